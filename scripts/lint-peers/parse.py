"""python3 parse.py PARSER DIALECT FILE…: has a parser of Debian's read every statement of
files in which each ends with a semicolon at the end of a line, and prints how many it
read and how many it could not."""

import sys


def parser(name, dialect):
    """Returns a function that raises an error where a statement cannot be read."""
    if name == "sqlparse":
        import sqlparse

        return sqlparse.parse
    import sqlglot

    return lambda sql: sqlglot.parse_one(sql, read=dialect)


def main():
    name, dialect, *files = sys.argv[1:]
    parse = parser(name, dialect)
    read = unread = 0
    for file in files:
        with open(file, encoding="utf-8") as text:
            for sql in text.read().split(";\n"):
                if sql == "":
                    continue
                try:
                    parse(sql)
                    read += 1
                except Exception:
                    unread += 1
    print(read, unread)


main()
