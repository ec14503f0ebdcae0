// postgres.js: modes prepared (statements are kept by name) and unprepared.
const path = require("path");
const load = require("module").createRequire(path.join(process.env.ROWCAP_CLIENTS, "node", "x.js"));
const postgres = load("postgres");
const mode = process.argv[2];
const ALL = "SELECT n FROM parcels ORDER BY n";
const open = [];

class Session {
  constructor() {
    this.notices = [];
    this.parameters = {};
    this.sql = postgres({
      max: 1, ssl: false, prepare: mode === "prepared", fetch_types: false,
      host: process.env.PGHOST, port: Number(process.env.PGPORT), database: process.env.PGDATABASE, user: process.env.PGUSER, pass: process.env.PGPASSWORD,
      onnotice: (n) => this.notices.push(n), onparameter: (key, value) => (this.parameters[key] = value),
    });
    open.push(this.sql);
  }
  run(text, values) {
    return this.sql.unsafe(text, values || [], { prepare: mode === "prepared" });
  }
  async rows(text, values) {
    return Array.from(await this.run(text, values), (r) => Number(Object.values(r)[0]));
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
const numbers = (rows) => Array.from(rows, (r) => r.n);

async function main() {
  let s = new Session();
  const result = await s.run(ALL);
  say("rows", { rows: numbers(result), count: result.count });
  const n = s.notices.pop();
  say("notice", { severity: n.severity, code: n.code, message: n.message, detail: n.detail, hint: n.hint });
  say("last", s.last());
  say("step", { rows: await s.rows("SELECT 7"), notices: s.notices.length });

  s = new Session();
  let rows = await s.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n");
  say("whole", { rows, notices: s.notices.length, completeness: s.last().completeness });
  rows = await s.rows(ALL + " LIMIT 3");
  say("own", { rows, notices: s.notices.length });
  rows = await s.rows(ALL + " LIMIT $1", [12]);
  say("clamped", { rows, notices: s.notices.length });

  s = new Session();
  let cut = 0, whole = 0;
  const above = async (n) => numbers(await s.sql`SELECT n FROM parcels WHERE n > ${n} ORDER BY n`).join();
  for (let i = 0; i < 8; i++) {
    if ((await above(2)) === "3,4,5,6,7") cut++;
    if ((await above(9)) === "10,11,12") whole++;
  }
  say("prepared", { cut, whole, notices: s.notices.length });

  s = new Session();
  await s.sql.begin(async (sql) => {
    const fetch = async (text) => numbers(await sql.unsafe(text));
    await sql.unsafe("DECLARE pages CURSOR FOR " + ALL);
    const pages = [];
    for (let i = 0; i < 3; i++) pages.push(await fetch("FETCH 4 FROM pages"));
    await sql.unsafe("DECLARE rest CURSOR FOR " + ALL);
    const all = await fetch("FETCH ALL FROM rest");
    say("cursor", { pages, all, next: await fetch("FETCH NEXT FROM rest") });
  });

  s = new Session();
  rows = [];
  for await (const page of s.sql`SELECT n FROM parcels ORDER BY n`.cursor(2)) rows.push(...numbers(page));
  say("fetch_size", { rows, notices: s.notices.length });

  s = new Session();
  await s.rows(ALL);
  say("error", { code: await s.code("SELECT 1/0"), rows: await s.rows("SELECT 7") });
  const codes = [];
  await s.sql.begin(async (sql) => {
    await sql.unsafe(ALL);
    for (const text of ["SELECT 1/0", "SELECT 7"]) await sql.unsafe(text).catch((e) => codes.push(e.code));
    throw new Error("to roll back");
  }).catch(() => {});
  say("transaction", { codes, rows: await s.rows("SELECT 7") });

  s = new Session();
  const written = await s.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n");
  say("returning", { rows: numbers(written), count: written.count, stored: (await s.rows("SELECT count(*) FROM shelves"))[0], notices: s.notices.length });

  s = new Session();
  say("guard", { rows: (await s.run("SHOW ALL")).length, notices: s.notices.length });
  say("copy_out", { code: await s.code("COPY parcels TO STDOUT"), rows: await s.rows("SELECT 7") });

  const { pipeline } = require("stream/promises");
  await pipeline(["101\n", "102\n"], await s.sql`COPY shelves FROM STDIN`.writable());
  say("copy_in", { stored: (await s.rows("SELECT count(*) FROM shelves WHERE n > 100"))[0] });

  s = new Session();
  const results = await s.sql.unsafe(ALL + "; SELECT 7").simple();
  say("script", { rows: results.map((r) => Array.from(r, (row) => Object.values(row)[0])), notices: s.notices.length });

  s = new Session();
  const three = await Promise.all([s.run(ALL), s.run("SELECT n FROM parcels WHERE n = $1", [7]), s.run("SELECT n FROM parcels WHERE n > $1 ORDER BY n", [6])]);
  say("pipeline", { rows: three.map(numbers), notices: s.notices.length });
  for (const sql of open) await sql.end();
}

main().catch((e) => {
  console.error(e);
  process.exit(1);
});
