package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// longWrite is the length in bytes from which a write is classed by its first word
// alone: reading thousands of rows of VALUES would teach nothing.
const longWrite = 64 << 10

// long classes a long write. It must be one statement for certain: no semicolon
// stands in it, not even in a string.
func (d Dialect) long(sql string) (st rewrite.Statement, ok bool) {
	if len(sql) < longWrite || d.obstacle() != "" {
		return st, false
	}
	start, _, ok := skipSpace(sql, 0)
	if !ok || start == len(sql) {
		return st, false
	}
	end, class := scanToken(sql, start, d.backslashes)
	if class != classWord {
		return st, false
	}
	var kind rewrite.Kind
	switch strings.ToLower(sql[start:end]) {
	case "insert":
		kind = rewrite.KindInsert
	case "update":
		kind = rewrite.KindUpdate
	case "delete":
		kind = rewrite.KindDelete
	case "merge":
		kind = rewrite.KindMerge
	default:
		return st, false
	}
	text := strings.TrimRight(sql, space+";")
	if strings.IndexByte(text, ';') >= 0 {
		return st, false
	}
	st = trimmed(text, 0, len(text))
	st.Kind, st.Writes, st.ReturnsRows = kind, true, true
	st.Obstacle = "the statement writes, and is too long to be searched for RETURNING"
	return st, true
}
