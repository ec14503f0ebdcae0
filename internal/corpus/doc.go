// Package corpus holds the rewriter to the statements of the databases' own test
// suites, run on the databases themselves. Beside the tests it has what reads the suites' files,
// for other packages' tests.
//
// scripts/corpus extracts the suites of PostgreSQL, MariaDB and MySQL into the
// cache folder; nothing of them is in this repository. Each file of a suite runs in
// order against a private server, so that its statements find the tables that
// they are about, and every statement on the way is checked:
//
//   - a query that the server accepts is rewritten, kept, left or guarded, and
//     counted by why;
//   - every rewritten text is PREPAREd: the server must accept it, with the same
//     columns of the same types;
//   - the original and the capped text both run: the capped rows must be rows
//     of the original, from its beginning where the order says so, never more than
//     planned, and what the meter says of completeness must be true.
//
// An ordinary test run takes a sample of the files; the flag -file names others, and
// `make corpus` takes all and writes docs/correctness.md.
package corpus
