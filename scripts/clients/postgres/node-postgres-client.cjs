// node-postgres: modes simple (no parameters, the simple protocol) and extended.
const path = require("path");
const load = require("module").createRequire(path.join(process.env.ROWCAP_CLIENTS, "node", "x.js"));
const { Client } = load("pg");
const Cursor = load("pg-cursor");
const mode = process.argv[2];
const ALL = "SELECT n FROM parcels ORDER BY n";
const open = [];

class Session {
  async open() {
    this.client = new Client({ ssl: false });
    this.notices = [];
    this.client.on("notice", (n) => this.notices.push(n));
    this.parameters = {};
    this.client.connection.on("parameterStatus", (m) => (this.parameters[m.parameterName] = m.parameterValue));
    await this.client.connect();
    open.push(this.client);
    return this;
  }
  run(text, values) {
    return this.client.query(mode === "extended" ? { text, values: values || [], queryMode: "extended" } : { text, values });
  }
  async rows(text, values) {
    return (await this.run(text, values)).rows.map((r) => Number(Object.values(r)[0]));
  }
  async code(text) {
    try {
      await this.run(text);
    } catch (e) {
      return e.code;
    }
  }
  last() {
    return JSON.parse(this.parameters["rowcap.last"]);
  }
}

const say = (check, got) => console.log(JSON.stringify({ check, got }));

async function main() {
  let s = await new Session().open();
  const result = await s.run(ALL);
  say("rows", { rows: result.rows.map((r) => r.n), count: result.rowCount });
  const n = s.notices.pop();
  say("notice", { severity: n.severity, code: n.code, message: n.message, detail: n.detail, hint: n.hint });
  say("last", s.last());
  say("step", { rows: await s.rows("SELECT 7"), notices: s.notices.length });

  s = await new Session().open();
  let rows = await s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n");
  say("whole", { rows, notices: s.notices.length, completeness: s.last().completeness });
  rows = await s.rows(ALL + " LIMIT 3");
  say("own", { rows, notices: s.notices.length });
  rows = mode === "extended" ? await s.rows(ALL + " LIMIT $1", [12]) : await s.rows(ALL + " LIMIT 12");
  say("clamped", { rows, notices: s.notices.length });

  s = await new Session().open();
  let cut = 0, whole = 0;
  const above = async (n) => (await s.client.query({ name: "above", text: "SELECT n FROM parcels WHERE n > $1 ORDER BY n", values: [n] })).rows.map((r) => r.n).join();
  for (let i = 0; i < 8; i++) {
    if ((await above(2)) === "3,4,5,6,7") cut++;
    if ((await above(9)) === "10,11,12") whole++;
  }
  say("prepared", { cut, whole, notices: s.notices.length });

  s = await new Session().open();
  await s.run("BEGIN");
  await s.run("DECLARE pages CURSOR FOR " + ALL);
  const pages = [];
  for (let i = 0; i < 3; i++) pages.push(await s.rows("FETCH 4 FROM pages"));
  await s.run("DECLARE rest CURSOR FOR " + ALL);
  const all = await s.rows("FETCH ALL FROM rest");
  say("cursor", { pages, all, next: await s.rows("FETCH NEXT FROM rest") });
  await s.run("COMMIT");

  s = await new Session().open();
  const cursor = s.client.query(new Cursor(ALL));
  rows = [];
  for (let page; (page = await cursor.read(2)).length; ) rows.push(...page.map((r) => r.n));
  await cursor.close();
  say("fetch_size", { rows, notices: s.notices.length });

  s = await new Session().open();
  await s.rows(ALL);
  say("error", { code: await s.code("SELECT 1/0"), rows: await s.rows("SELECT 7") });
  await s.run("BEGIN");
  await s.rows(ALL);
  const codes = [await s.code("SELECT 1/0"), await s.code("SELECT 7")];
  await s.run("ROLLBACK");
  say("transaction", { codes, rows: await s.rows("SELECT 7") });

  s = await new Session().open();
  const written = await s.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
  rows = written.rows.map((r) => r.n);
  say("returning", { rows, count: written.rowCount, stored: (await s.rows("SELECT count(*) FROM shelves"))[0], notices: s.notices.length });

  s = await new Session().open();
  say("guard", { rows: (await s.run("SHOW ALL")).rows.length, notices: s.notices.length });
  say("copy_out", { code: await s.code("COPY parcels TO STDOUT"), rows: await s.rows("SELECT 7") });

  s = await new Session().open();
  if (mode === "simple") {
    const results = await s.client.query(ALL + "; SELECT 7");
    say("script", { rows: results.map((r) => r.rows.map((row) => Object.values(row)[0])), notices: s.notices.length });
  }
  for (const client of open) await client.end();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
