# asyncpg: extended queries in binary, every statement prepared by name and kept.
import asyncio, io, json
import asyncpg

ALL = "SELECT n FROM parcels ORDER BY n"


class Session:
    async def open(self):
        self.conn = await asyncpg.connect()
        self.notices = []
        self.conn.add_log_listener(lambda _, message: self.notices.append(message))
        return self

    async def rows(self, query, *args):
        rows = [row[0] for row in await self.conn.fetch(query, *args)]
        await asyncio.sleep(0)  # listeners are called by the loop
        return rows

    async def code(self, query):
        try:
            await self.conn.fetch(query)
        except asyncpg.PostgresError as e:
            return e.sqlstate

    def last(self):
        return json.loads(getattr(self.conn.get_settings(), "rowcap.last"))


def say(check, **got):
    print(json.dumps({"check": check, "got": got}), flush=True)


async def main():
    s = await Session().open()
    statement = await s.conn.prepare(ALL)
    rows = [row[0] for row in await statement.fetch()]
    await asyncio.sleep(0)
    say("rows", rows=rows, count=int(statement.get_statusmsg().split()[-1]))
    n = s.notices.pop()
    say("notice", severity=n.severity_en, code=n.sqlstate, message=n.message, detail=n.detail, hint=n.hint)
    say("last", **s.last())
    say("step", rows=await s.rows("SELECT 7"), notices=len(s.notices))

    s = await Session().open()
    rows = await s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n")
    say("whole", rows=rows, notices=len(s.notices), completeness=s.last()["completeness"])
    say("own", rows=await s.rows(ALL + " LIMIT 3"), notices=len(s.notices))
    rows = await s.rows(ALL + " LIMIT $1", 12)
    say("clamped", rows=rows, notices=len(s.notices))

    s = await Session().open()
    statement, cut, whole = await s.conn.prepare("SELECT n FROM parcels WHERE n > $1 ORDER BY n"), 0, 0
    for _ in range(8):
        cut += [row[0] for row in await statement.fetch(2)] == [3, 4, 5, 6, 7]
        whole += [row[0] for row in await statement.fetch(9)] == [10, 11, 12]
    await asyncio.sleep(0)
    say("prepared", cut=cut, whole=whole, notices=len(s.notices))

    s = await Session().open()
    async with s.conn.transaction():
        await s.conn.execute(f"DECLARE pages CURSOR FOR {ALL}")
        pages = [await s.rows("FETCH 4 FROM pages") for _ in range(3)]
        await s.conn.execute(f"DECLARE rest CURSOR FOR {ALL}")
        say("cursor", pages=pages, all=await s.rows("FETCH ALL FROM rest"), next=await s.rows("FETCH NEXT FROM rest"))

    s = await Session().open()
    async with s.conn.transaction():
        rows = [row[0] async for row in s.conn.cursor(ALL, prefetch=2)]
    await asyncio.sleep(0)
    say("fetch_size", rows=rows, notices=len(s.notices))
    s = await Session().open()
    row = await s.conn.fetchrow(ALL)  # which asks for one row
    await asyncio.sleep(0)
    say("first_row", rows=[row[0]], notices=len(s.notices))

    s = await Session().open()
    await s.rows(ALL)
    say("error", code=await s.code("SELECT 1/0"), rows=await s.rows("SELECT 7"))
    await s.conn.execute("BEGIN")
    await s.rows(ALL)
    codes = [await s.code("SELECT 1/0"), await s.code("SELECT 7")]
    await s.conn.execute("ROLLBACK")
    say("transaction", codes=codes, rows=await s.rows("SELECT 7"))

    s = await Session().open()
    statement = await s.conn.prepare("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
    rows = [row[0] for row in await statement.fetch()]
    count = int(statement.get_statusmsg().split()[-1])
    say("returning", rows=rows, count=count, stored=(await s.rows("SELECT count(*) FROM shelves"))[0], notices=len(s.notices))

    s = await Session().open()
    say("guard", rows=len(await s.rows("SHOW ALL")), notices=len(s.notices))

    try:
        await s.conn.copy_from_query("SELECT * FROM parcels", output=io.BytesIO())
        code = None
    except asyncpg.PostgresError as e:
        code = e.sqlstate
    say("copy_out", code=code, rows=await s.rows("SELECT 7"))
    await s.conn.copy_records_to_table("shelves", records=[(101,), (102,)])
    say("copy_in", stored=(await s.rows("SELECT count(*) FROM shelves WHERE n > 100"))[0])


asyncio.run(main())
