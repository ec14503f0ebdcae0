# PyMySQL and MySQLdb (mysqlclient), which send values in the text of the query;
# PREPARE is SQL's own. The first argument is the module.
import importlib, json, os, sys

db = importlib.import_module(sys.argv[1])
cursors = importlib.import_module(sys.argv[1] + ".cursors")
flags = importlib.import_module(sys.argv[1] + ".constants.CLIENT")

ALL = "SELECT n FROM parcels ORDER BY n"


class Session:
    def __init__(self):
        e = os.environ
        self.conn = db.connect(host=e["MYSQL_HOST"], port=int(e["MYSQL_TCP_PORT"]), user=e["MYSQL_USER"], passwd=e["MYSQL_PWD"],
                               db=e["MYSQL_DATABASE"], charset="utf8mb4", client_flag=flags.MULTI_STATEMENTS, autocommit=True)

    def run(self, query, *args, kind=None):
        c = self.conn.cursor(kind)
        c.execute(query, args or None)
        return c

    def rows(self, query, *args, kind=None):
        return numbers(self.run(query, *args, kind=kind))

    def lists(self, cursor):
        lists = []
        while cursor.description:
            lists.append(numbers(cursor))
            if not cursor.nextset():
                break
        return lists

    def fault(self, query):
        try:
            self.run(query)
        except db.Error as e:
            return e.args[0]

    def warnings(self):
        return self.conn.show_warnings() or []

    def told(self):
        return len(self.warnings())


def numbers(cursor):
    return [int(row[0]) for row in cursor.fetchall()]


def say(check, **got):
    print(json.dumps({"check": check, "got": got}), flush=True)


s = Session()
cursor = s.run(ALL)
count = s.conn.warning_count() if hasattr(s.conn, "warning_count") else None
say("rows", rows=numbers(cursor), count=cursor.rowcount)
for level, code, message in s.warnings():
    say("notice", count=count, level=level, code=code, message=message)
say("step", rows=s.rows("SELECT 7"), notices=s.told())
s.rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n")
say("merged", codes=sorted({w[1] for w in s.warnings()}))
say("whole", rows=s.rows("SELECT n FROM parcels WHERE n <= %s ORDER BY n", 5), notices=s.told())
say("own", rows=s.rows(ALL + " LIMIT %s", 3), notices=s.told())
say("clamped", rows=s.rows(ALL + " LIMIT %s", 12), notices=s.told())

s.run("PREPARE above FROM 'SELECT n FROM parcels WHERE n > ? ORDER BY n'")
cut = whole = notices = 0
for _ in range(8):
    s.run("SET @n = 2")
    cut += s.rows("EXECUTE above USING @n") == [3, 4, 5, 6, 7]
    notices += s.told()
    s.run("SET @n = 9")
    whole += s.rows("EXECUTE above USING @n") == [10, 11, 12]
    notices += s.told()
say("prepared", cut=cut, whole=whole, notices=notices)

s = Session()
cursor = s.run(ALL, kind=cursors.SSCursor)
rows = []
while (row := cursor.fetchone()) is not None:
    rows.append(row[0])
cursor.close()
say("stream", rows=rows, notices=s.told(), next=s.rows("SELECT 7"))

s = Session()
s.rows(ALL)
say("error", code=s.fault("SELECT nothing"), rows=s.rows("SELECT 7"))
s.conn.begin()
s.run("INSERT INTO shelves VALUES (1)")
s.rows(ALL)
code = s.fault("INSERT INTO shelves VALUES (1)")
before = s.rows("SELECT count(*) FROM shelves")[0]
s.conn.rollback()
say("transaction", code=code, before=before, after=s.rows("SELECT count(*) FROM shelves")[0])

s = Session()
if os.environ["MYSQL_FLAVOR"] == "mariadb":
    rows, notices = s.rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= 8 RETURNING n"), s.told()
    say("returning", rows=rows, stored=s.rows("SELECT count(*) FROM shelves")[0], notices=notices)
say("guard", rows=len(s.run("SHOW VARIABLES").fetchall()), notices=s.told())
cursor = s.conn.cursor()
cursor.callproc("lists")
say("call", rows=s.lists(cursor), notices=s.told())
say("script", rows=s.lists(s.run(ALL + "; SELECT 7")), notices=s.told())

s = Session()
s.run("SET sql_select_limit = 3")
below, below_notices = s.rows(ALL), s.told()
s.run("SET sql_select_limit = 9")
say("select_limit", below=below, below_notices=below_notices, above=s.rows(ALL), above_notices=s.told(), setting=s.rows("SELECT @@sql_select_limit")[0])
