// Package conformance holds the sidecar to what clients and servers themselves
// expect of a PostgreSQL server. It has tests only, and all of them go through
// `rowcap serve` as it is built from this tree.
//
//   - PostgreSQL's own regression suite, run by its own pg_regress: straight
//     and through the sidecar, under a limit that no result reaches, each on a fresh
//     server; the printed results must be the same, byte for byte.
//
//   - The drivers' own test suites (pgx with its pgconn, pgxpool and stdlib; lib/pq), run
//     straight and through the sidecar: what passes straight must pass.
//
//   - The clients of PostgreSQL, and of MySQL and MariaDB: each runs the same checks under a cap of five rows and prints what it saw, a JSON
//     line for each check; want.jsonl in a folder of testdata/clients says what all must see, and
//     cannot.jsonl what some cannot see, and why.
//
//   - MariaDB's own test suite, run by its own mysqltest in the same way, by text, by prepared
//     statements and by cursors; the tests of its client library; and those of Go's drivers for
//     MySQL, on MariaDB and on MySQL.
//
// `make conformance-postgres` runs the first two, `make clients` the third and `make conformance-mysql` the
// fourth; all write their part of docs/conformance.md. A plain go test run takes those clients that need
// no installation beyond that of the other tests, and a dozen tests of MariaDB's suite.
package conformance
