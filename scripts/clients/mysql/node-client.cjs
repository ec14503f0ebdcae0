// The modules mysql2, mysql and mariadb of npm: the first argument is the module, the
// second the mode: text, or prepared (COM_STMT_EXECUTE).
const path = require("path");
const load = require("module").createRequire(path.join(process.env.ROWCAP_CLIENTS, "node", "x.js"));
const [name, mode] = process.argv.slice(2);
const ALL = "SELECT n FROM parcels ORDER BY n";
const options = {
  host: process.env.MYSQL_HOST, port: Number(process.env.MYSQL_TCP_PORT), user: process.env.MYSQL_USER, password: process.env.MYSQL_PWD,
  database: process.env.MYSQL_DATABASE, multipleStatements: true,
};
const open = [];
const value = (row) => Number(Object.values(row)[0]);
const join = (rows) => rows.map(value).join();

// What differs between the modules: connecting, running a text or a prepared
// statement to its end, and reading row by row.
const modules = {
  mysql: () => callbacks(load("mysql"), (c, sql, values, done) => c.query(sql, values, done), rowByRow),
  mysql2: () => callbacks(load("mysql2"), (c, sql, values, done) => c[mode === "prepared" && values ? "execute" : "query"](sql, values, done),
    (c, sql) => (mode === "prepared" ? c.execute(sql) : c.query(sql)).stream()),
  mariadb: () => {
    const { createConnection } = load("mariadb");
    return {
      async connect() {
        const c = await createConnection({ ...options, allowPublicKeyRetrieval: true, bigIntAsNumber: true, insertIdAsNumber: true });
        return {
          run: (sql, values) => (mode === "prepared" && values ? c.execute(sql, values) : c.query(sql, values)),
          stream: (sql) => c.queryStream(sql),
          prepare: async (sql) => {
            const s = mode === "prepared" ? await c.prepare(sql) : null;
            return { run: (values) => (s ? s.execute(values) : c.query(sql, values)), close: () => s && s.close() };
          },
          end: () => c.end(),
        };
      },
    };
  },
};

// mysql's own streams are of an older kind than for await takes.
function rowByRow(c, sql) {
  return new Promise((resolve, reject) => {
    const rows = [];
    c.query(sql).on("error", reject).on("result", (row) => rows.push(row)).on("end", () => resolve(rows));
  });
}

function callbacks(module, run, stream) {
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        const c = module.createConnection(options);
        const one = (sql, values) =>
          new Promise((resolve, reject) => run(c, sql, values, (e, rows) => (e ? reject(e) : resolve(rows))));
        c.connect((e) =>
          e ? reject(e) : resolve({
            run: one,
            stream: (sql) => stream(c, sql),
            prepare: async (sql) => ({ run: (values) => one(sql, values), close() {} }),
            end: () => new Promise((resolve) => c.end(resolve)),
          }));
      }),
  };
}

class Session {
  async open() {
    this.conn = await modules[name]().connect();
    open.push(this.conn);
    return this;
  }
  async rows(sql, values) {
    return (await this.conn.run(sql, values)).map(value);
  }
  // The results of a command that has several: lists of rows, and what is no list.
  async lists(sql) {
    return (await this.conn.run(sql)).filter(Array.isArray).map((rows) => rows.map(value));
  }
  async fault(sql) {
    try {
      await this.conn.run(sql);
      return {};
    } catch (e) {
      return { code: e.errno, state: e.sqlState };
    }
  }
  warnings() {
    return this.conn.run("SHOW WARNINGS");
  }
  async told() {
    return (await this.warnings()).length;
  }
}

const say = (check, got) => console.log(JSON.stringify({ check, got }));

async function main() {
  let s = await new Session().open();
  let rows = await s.rows(ALL);
  say("rows", { rows, count: rows.length });
  for (const w of await s.warnings()) say("notice", { level: w.Level, code: w.Code, message: w.Message });
  say("step", { rows: await s.rows("SELECT 7"), notices: await s.told() });
  await s.rows("SELECT n FROM parcels WHERE n > 'x' ORDER BY n");
  say("merged", { codes: [...new Set((await s.warnings()).map((w) => w.Code))] });
  say("whole", { rows: await s.rows("SELECT n FROM parcels WHERE n <= ? ORDER BY n", [5]), notices: await s.told() });
  say("own", { rows: await s.rows(ALL + " LIMIT ?", [3]), notices: await s.told() });
  say("clamped", { rows: await s.rows(ALL + " LIMIT ?", [12]), notices: await s.told() });

  const above = await s.conn.prepare("SELECT n FROM parcels WHERE n > ? ORDER BY n");
  let cut = 0, whole = 0, notices = 0;
  for (let i = 0; i < 8; i++) {
    if (join(await above.run([2])) === "3,4,5,6,7") cut++;
    notices += await s.told();
    if (join(await above.run([9])) === "10,11,12") whole++;
    notices += await s.told();
  }
  await above.close();
  say("prepared", { cut, whole, notices });

  s = await new Session().open();
  rows = [];
  for await (const row of await s.conn.stream(ALL)) rows.push(value(row));
  notices = await s.told();
  say("stream", { rows, notices, next: await s.rows("SELECT 7") });

  s = await new Session().open();
  await s.rows(ALL);
  say("error", { ...(await s.fault("SELECT nothing")), rows: await s.rows("SELECT 7") });
  await s.conn.run("START TRANSACTION");
  await s.conn.run("INSERT INTO shelves VALUES (1)");
  await s.rows(ALL);
  const { code } = await s.fault("INSERT INTO shelves VALUES (1)");
  const [before] = await s.rows("SELECT count(*) FROM shelves");
  await s.conn.run("ROLLBACK");
  say("transaction", { code, before, after: (await s.rows("SELECT count(*) FROM shelves"))[0] });

  s = await new Session().open();
  if (process.env.MYSQL_FLAVOR === "mariadb") {
    rows = await s.rows("INSERT INTO shelves SELECT n FROM parcels WHERE n <= ? RETURNING n", [8]);
    notices = await s.told();
    say("returning", { rows, stored: (await s.rows("SELECT count(*) FROM shelves"))[0], notices });
  }
  say("guard", { rows: (await s.conn.run("SHOW VARIABLES")).length, notices: await s.told() });
  say("call", { rows: await s.lists("CALL lists()"), notices: await s.told() });
  say("script", { rows: await s.lists(ALL + "; SELECT 7"), notices: await s.told() });
  // mariadb sends these at once, the others one after the other.
  const lists = await Promise.all([s.rows(ALL), s.rows("SELECT n FROM parcels WHERE n = ?", [7]), s.rows("SELECT n FROM parcels WHERE n > ? ORDER BY n", [6])]);
  say("pipeline", { rows: lists, notices: await s.told() });

  s = await new Session().open();
  await s.conn.run("SET sql_select_limit = 3");
  const below = await s.rows(ALL), below_notices = await s.told();
  await s.conn.run("SET sql_select_limit = 9");
  say("select_limit", { below, below_notices, above: await s.rows(ALL), above_notices: await s.told(), setting: (await s.rows("SELECT @@sql_select_limit"))[0] });
  for (const c of open) await c.end();
}

main().catch((e) => {
  if (name === "mysql" && e.code === "ER_NOT_SUPPORTED_AUTH_MODE" && process.env.MYSQL_FLAVOR === "mysql") return;
  console.error(e);
  process.exit(1);
});
