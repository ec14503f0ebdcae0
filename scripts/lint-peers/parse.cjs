// node parse.cjs PARSER DIALECT FILE…: has a parser of npm's read every statement of
// files in which each ends with a semicolon at the end of a line, and prints how many it
// read and how many it could not.
"use strict";
const fs = require("fs");
const path = require("path");

const modules = process.env.LINT_PEERS;
const load = (name) => require(path.join(modules, "node_modules", name));

// parsers are functions that throw where a statement cannot be read.
const parsers = {
  "node-sql-parser": (dialect) => {
    const { Parser } = load(`node-sql-parser/build/${dialect === "postgres" ? "postgresql" : dialect}`);
    const parser = new Parser();
    return (sql) => parser.astify(sql);
  },
  "pgsql-ast-parser": () => load("pgsql-ast-parser").parse,
  "libpg-query": async () => {
    const { loadModule, parseSync } = load("libpg-query");
    await loadModule();
    return parseSync;
  },
  "sql-parser-cst": (dialect) => {
    const { parse } = load("sql-parser-cst");
    const options = { dialect: dialect === "postgres" ? "postgresql" : dialect, paramTypes: [] };
    return (sql) => parse(sql, options);
  },
};

(async () => {
  const [name, dialect, ...files] = process.argv.slice(2);
  const parse = await parsers[name](dialect);
  let read = 0, unread = 0;
  for (const file of files) {
    for (const sql of fs.readFileSync(file, "utf8").split(";\n")) {
      if (sql === "") continue;
      try {
        parse(sql);
        read++;
      } catch {
        unread++;
      }
    }
  }
  console.log(`${read} ${unread}`);
})();
