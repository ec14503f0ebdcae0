// Package query runs SQL on a PostgreSQL, MySQL or MariaDB server through a
// driver, holds its rows to what a rewrite.Rewriter planned, and returns them as
// the server prints them.
//
// # Connections
//
// A DSN is one of
//
//	postgres://user:password@host:port/database?sslmode=disable   (or postgresql://)
//	host=/run/postgresql user=app dbname=shop                      (libpq's key=value form)
//	mysql://user:password@host:port/database?tls=skip-verify       (or mariadb://)
//	mysql://user:password@/database?unix_socket=/run/mysqld/mysqld.sock
//
// Special characters in user and password are percent-encoded. The parameters
// are those of pgx and of go-sql-driver/mysql. Whether a server is MySQL or
// MariaDB is read from its version, whatever the scheme says.
//
// # Rows beyond the cap
//
// They are never returned. Where the cap could not be written into the statement
// the rest of the answer is read and dropped: no cancel request is sent, as a
// late one would hit another statement and an early one would undo a write.
//
// # Scripts
//
// PostgreSQL runs a text of several statements as one simple query, in one
// transaction unless the text has BEGIN or COMMIT of its own. MySQL and MariaDB
// get one statement at a time, and what the text says after a SET is read anew
// with the settings that it made; of the server's warnings, only those of the
// last statement are known, because asking for them in between would change what
// ROW_COUNT() and FOUND_ROWS() return.
//
// # Values
//
// Values are the text that the server sent: numbers with all their digits, NaN
// and Infinity, timestamps as the session formats them, bytea as \x and hex.
// MySQL's binary strings (BLOB, BINARY, BIT, GEOMETRY) come as 0x and hex. Bytes
// that are not UTF-8 become U+FFFD, and a warning counts the values. The zeros
// that MySQL's ZEROFILL puts in front of numbers are not kept.
package query

import (
	"errors"
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// Class says how a column's values can be read by programs.
type Class uint8

const (
	// Text is everything else.
	Text Class = iota
	// Number is a number, or NaN, Infinity or -Infinity.
	Number
	// Bool is t or f.
	Bool
	// JSON is a JSON value.
	JSON
	// Binary is bytes in hex, after \x or 0x.
	Binary
)

// Column is one column of a result. Names may repeat.
type Column struct {
	Name string
	// Type is the server's own name of the type.
	Type  string
	Class Class
	// Masked reports that MaskedText stands for every value.
	Masked bool
}

// Value is one value as the server prints it. Text is valid UTF-8.
type Value struct {
	Text string
	Null bool
}

// ServerWarning is what the server remarked on a statement.
type ServerWarning struct {
	// Level is the server's own word: WARNING, NOTICE, Note, …
	Level string
	// Code is a SQLSTATE or a MySQL error number.
	Code    string
	Message string
	Detail  string
	Hint    string
}

// Result is the answer to one statement.
type Result struct {
	// Columns is nil for a statement that returns no rows.
	Columns []Column
	Rows    [][]Value
	// Command says what a statement without rows did, as INSERT 0 3.
	Command string
	// Affected is the number of rows that a statement changed which was run to write, nil
	// for others.
	Affected *uint64
	// Outcome says whether rows are missing, and Notice says so in words; it is
	// nil for a complete answer.
	Outcome rewrite.Outcome
	Notice  *rewrite.Notice
	// ServerWarnings are in the order in which they came.
	ServerWarnings []ServerWarning
	// Unreadable is the number of values that held bytes that are not UTF-8.
	Unreadable int
}

// maxServerWarnings bounds what is kept of a statement that warns in a loop.
const maxServerWarnings = 100

// gather collects the rows of one answer under a plan.
type gather struct {
	meter  rewrite.Meter
	result Result
	skip   uint64 // rows to drop first
	most   int    // bytes to keep, 0 for any number
	seen   uint64 // rows that came
	bytes  int    // kept so far
	// stopped reports that no further row is of interest.
	stopped bool
}

func newGather(p rewrite.Plan, columns []Column) *gather {
	if columns == nil {
		columns = []Column{}
	}
	return &gather{meter: p.Meter(), result: Result{Columns: columns}}
}

// wants counts one more row and reports whether it is to be kept.
func (g *gather) wants() bool {
	g.seen++
	if g.skip > 0 {
		g.skip--
		return false
	}
	verdict := g.meter.Row()
	g.stopped = g.stopped || verdict == rewrite.Stop
	return verdict == rewrite.Deliver
}

// keep keeps a row.
func (g *gather) keep(row []Value) error {
	for _, v := range row {
		g.bytes += len(v.Text)
	}
	if g.most > 0 && g.bytes > g.most {
		return fmt.Errorf("%w than %d bytes together and are not shown; select fewer columns, a part of long values (SUBSTRING), or fewer rows", errTooLarge, g.most)
	}
	g.result.Rows = append(g.result.Rows, row)
	return nil
}

// done returns the result after the last row.
func (g *gather) done(r *rewrite.Rewriter) Result {
	g.result.Outcome = g.meter.Outcome()
	if r == nil { // a statement of rowcap's own
		return g.result
	}
	if n, ok := r.Notice(g.result.Outcome); ok {
		g.result.Notice = &n
	}
	return g.result
}

var errTooLarge = errors.New("the rows are larger")
