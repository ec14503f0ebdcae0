// Package conformance holds the sidecar to what clients and servers themselves
// expect of a PostgreSQL server. It has tests only, and all of them go through
// `rowcap serve` as it is built from this tree.
//
//   - PostgreSQL's own regression suite, run by its own pg_regress: straight
//     and through the sidecar, under a limit that no result reaches, each on a fresh
//     server; the printed results must be the same, byte for byte.
//   - The drivers' own test suites (pgx with its pgconn, pgxpool and stdlib; lib/pq), run
//     straight and through the sidecar: what passes straight must pass.
//   - The clients: each runs the same checks under a cap of five rows and prints what it saw, a JSON
//     line for each check; testdata/clients/want.jsonl says what all must see, and
//     testdata/clients/cannot.jsonl what some cannot see, and why.
//
// `make conformance-postgres` runs the first two and `make clients` the third; both
// write their part of docs/conformance.md. A plain go test run takes those clients that need
// no installation beyond that of the other tests.
package conformance
