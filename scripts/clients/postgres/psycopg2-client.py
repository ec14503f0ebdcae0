# psycopg2, which sends every statement as a simple query; PREPARE is SQL's own.
import io, json
import psycopg2

ALL = "SELECT n FROM parcels ORDER BY n"


class Session:
    def __init__(self):
        self.conn = psycopg2.connect("")
        self.conn.autocommit = True

    def run(self, query, *args):
        c = self.conn.cursor()
        c.execute(query, args or None)
        return c

    def rows(self, query, *args):
        return [row[0] for row in self.run(query, *args).fetchall()]

    def code(self, query):
        try:
            self.run(query)
        except psycopg2.Error as e:
            return e.pgcode

    def last(self):
        return json.loads(self.conn.get_parameter_status("rowcap.last"))


def say(check, **got):
    print(json.dumps({"check": check, "got": got}), flush=True)


s = Session()
cursor = s.run(ALL)
say("rows", rows=[row[0] for row in cursor.fetchall()], count=cursor.rowcount)
lines = dict(line.split(":  ", 1) for line in s.conn.notices.pop().strip().split("\n"))
say("notice", severity="WARNING" if "WARNING" in lines else None, message=lines["WARNING"], detail=lines["DETAIL"], hint=lines["HINT"])
say("last", **s.last())
say("step", rows=s.rows("SELECT 7"), notices=len(s.conn.notices))

s = Session()
say("whole", rows=s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n"), notices=len(s.conn.notices), completeness=s.last()["completeness"])
say("own", rows=s.rows(ALL + " LIMIT 3"), notices=len(s.conn.notices))
say("clamped", rows=s.rows(ALL + " LIMIT %s", 12), notices=len(s.conn.notices))

s = Session()
s.run("PREPARE above (int) AS SELECT n FROM parcels WHERE n > $1 ORDER BY n")
cut = whole = 0
for _ in range(8):
    cut += s.rows("EXECUTE above(%s)", 2) == [3, 4, 5, 6, 7]
    whole += s.rows("EXECUTE above(%s)", 9) == [10, 11, 12]
say("prepared", cut=cut, whole=whole, notices=len(s.conn.notices))

s = Session()
s.conn.autocommit = False
with s.conn.cursor("pages") as c:
    c.execute(ALL)
    pages = [[row[0] for row in c.fetchmany(4)] for _ in range(3)]
with s.conn.cursor("rest") as c:
    c.execute(ALL)
    say("cursor", pages=pages, all=[row[0] for row in c.fetchall()], next=[c.fetchone()[0]])
s.conn.rollback()

s = Session()
s.rows(ALL)
say("error", code=s.code("SELECT 1/0"), rows=s.rows("SELECT 7"))
s.conn.autocommit = False
s.rows(ALL)
codes = [s.code("SELECT 1/0"), s.code("SELECT 7")]
s.conn.rollback()
say("transaction", codes=codes, rows=s.rows("SELECT 7"))

s = Session()
cursor = s.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
rows, count = [row[0] for row in cursor.fetchall()], int(cursor.statusmessage.split()[-1])  # rowcount counts the rows that came
say("returning", rows=rows, count=count, stored=s.rows("SELECT count(*) FROM shelves")[0], notices=len(s.conn.notices))

s = Session()
say("guard", rows=len(s.run("SHOW ALL").fetchall()), notices=len(s.conn.notices))

try:
    s.conn.cursor().copy_expert("COPY parcels TO STDOUT", io.StringIO())
    code = None
except psycopg2.Error as e:
    code = e.pgcode
say("copy_out", code=code, rows=s.rows("SELECT 7"))
s.conn.cursor().copy_expert("COPY shelves FROM STDIN", io.StringIO("101\n102\n"))
say("copy_in", stored=s.rows("SELECT count(*) FROM shelves WHERE n > 100")[0])
