package property

import (
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// null is how a NULL is written among values.
const null = "\x00NULL"

// answer is the answer to one statement.
type answer struct {
	// columns are the labels with their types, nil where no rows can come.
	columns []string
	rows    [][]string
	// tag is what the server says of a statement without rows.
	tag string
}

// failure is a server's error.
type failure struct {
	code string
	// offset is the byte offset in the text that the error points to, -1 if
	// it points nowhere.
	offset  int
	message string
}

const (
	// died is the code of a server that is gone.
	died = "died"
	// tooLong is the code of a server that stopped a statement for its time.
	tooLong = "too long"
)

// gone reports that the server did not answer at all.
func (f *failure) gone() bool { return f != nil && (f.code == died || f.code == tooLong) }

// fataler is what a session needs of a test: *testing.T or *rapid.T.
type fataler interface {
	Fatalf(format string, args ...any)
}

// session is a connection whose settings stay the same.
type session interface {
	target() sqlgen.Target
	// dialect is the dialect as the session's settings have it.
	dialect() rewrite.Dialect
	// run runs a text as a client sends it, and undoes what it did. bound is the
	// session's own bound, nil for none.
	run(t fataler, sql string, bound *uint64) ([]answer, *failure)
	// late reports an error that depends on the rows that were computed.
	late(code string) bool
}
