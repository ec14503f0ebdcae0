# psycopg 3: modes text, binary, client (parameters put into the text by the client).
import json, sys
import psycopg

mode = sys.argv[1]
factory = psycopg.ClientCursor if mode == "client" else psycopg.Cursor
ALL = "SELECT n FROM parcels ORDER BY n"


class Session:
    def __init__(self):
        self.conn = psycopg.connect("", autocommit=True, cursor_factory=factory)
        self.notices = []
        self.conn.add_notice_handler(self.notice)

    def notice(self, n):  # which is valid during the call only
        self.notices.append({"severity": n.severity_nonlocalized, "code": n.sqlstate, "message": n.message_primary,
                             "detail": n.message_detail, "hint": n.message_hint})

    def run(self, query, *args):
        options = {} if mode == "client" else {"binary": mode == "binary"}
        return self.conn.execute(query, args or None, **options)

    def rows(self, query, *args):
        return [row[0] for row in self.run(query, *args)]

    def code(self, query):
        try:
            self.run(query)
        except psycopg.Error as e:
            return e.sqlstate

    def last(self):
        return json.loads(self.conn.info.parameter_status("rowcap.last"))


def say(check, **got):
    print(json.dumps({"check": check, "got": got}), flush=True)


s = Session()
cursor = s.run(ALL)
say("rows", rows=[row[0] for row in cursor], count=cursor.rowcount)
say("notice", **s.notices.pop())
say("last", **s.last())
say("step", rows=s.rows("SELECT 7"), notices=len(s.notices))

s = Session()
say("whole", rows=s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n"), notices=len(s.notices), completeness=s.last()["completeness"])
say("own", rows=s.rows(ALL + " LIMIT 3"), notices=len(s.notices))
say("clamped", rows=s.rows(ALL + " LIMIT 12"), notices=len(s.notices))

s = Session()
query, cut, whole = "SELECT n FROM parcels WHERE n > %s ORDER BY n", 0, 0
for _ in range(8):  # prepared on the server from the sixth run on
    cut += s.rows(query, 2) == [3, 4, 5, 6, 7]
    whole += s.rows(query, 9) == [10, 11, 12]
say("prepared", cut=cut, whole=whole, notices=len(s.notices))

s = Session()
with s.conn.transaction():
    with s.conn.cursor("pages") as c:
        c.execute(ALL)
        pages = [[row[0] for row in c.fetchmany(4)] for _ in range(3)]
    with s.conn.cursor("rest") as c:
        c.execute(ALL)
        say("cursor", pages=pages, all=[row[0] for row in c.fetchall()], next=[c.fetchone()[0]])

s = Session()
s.rows(ALL)
say("error", code=s.code("SELECT 1/0"), rows=s.rows("SELECT 7"))
s.run("BEGIN")
s.rows(ALL)
codes = [s.code("SELECT 1/0"), s.code("SELECT 7")]
s.run("ROLLBACK")
say("transaction", codes=codes, rows=s.rows("SELECT 7"))

s = Session()
cursor = s.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
rows, count = [row[0] for row in cursor], int(cursor.statusmessage.split()[-1])  # rowcount counts the rows that came
say("returning", rows=rows, count=count, stored=s.rows("SELECT count(*) FROM shelves")[0], notices=len(s.notices))

s = Session()
say("guard", rows=len(s.run("SHOW ALL").fetchall()), notices=len(s.notices))

try:
    with s.conn.cursor().copy("COPY parcels TO STDOUT") as copy:
        list(copy)
    code = None
except psycopg.Error as e:
    code = e.sqlstate
say("copy_out", code=code, rows=s.rows("SELECT 7"))
with s.conn.cursor().copy("COPY shelves FROM STDIN") as copy:
    copy.write_row([101])
    copy.write_row([102])
say("copy_in", stored=s.rows("SELECT count(*) FROM shelves WHERE n > 100")[0])

s = Session()
c = s.conn.execute(ALL + "; SELECT 7")
results = [[row[0] for row in c.fetchall()]]
while c.nextset():
    results.append([row[0] for row in c.fetchall()])
say("script", rows=results, notices=len(s.notices))

if mode != "client":
    s = Session()
    with s.conn.pipeline():
        cursors = [s.run(ALL), s.run("SELECT n FROM parcels WHERE n = %s", 7), s.run("SELECT n FROM parcels WHERE n > %s ORDER BY n", 6)]
    say("pipeline", rows=[[row[0] for row in c] for c in cursors], notices=len(s.notices))
