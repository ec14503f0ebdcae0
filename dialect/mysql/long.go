package mysql

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// longWrite is the length in bytes from which a write is classed by its first word
// alone: reading thousands of rows of VALUES would teach nothing.
const longWrite = 64 << 10

// writeKinds are the first words of writes.
var writeKinds = map[string]rewrite.Kind{"INSERT": rewrite.KindInsert, "REPLACE": rewrite.KindInsert,
	"UPDATE": rewrite.KindUpdate, "DELETE": rewrite.KindDelete}

// long classes a long write. It must be one statement for certain: no semicolon
// stands in it, not even in a string.
func (d dialect) long(sql string) (st rewrite.Statement, ok bool) {
	if len(sql) < longWrite || d.obstacle(sql) != "" {
		return st, false
	}
	l := lexer{settings: d.settings, text: sql}
	first, ok := l.next()
	if !ok || first.kind != tokenWord || len(l.comments) > 0 {
		return st, false
	}
	kind, ok := writeKinds[strings.ToUpper(sql[first.start:first.end])]
	if !ok {
		return st, false
	}
	start, end := 0, len(sql)
	for end > start && (isBlank(sql[end-1]) || sql[end-1] == ';') {
		end--
	}
	if strings.IndexByte(sql[:end], ';') >= 0 {
		return st, false
	}
	for isBlank(sql[start]) {
		start++
	}
	st = rewrite.Statement{Text: sql[start:end], Pos: start, Kind: kind, Writes: true}
	if d.mariadb {
		st.ReturnsRows, st.Obstacle = true, "the statement writes, and is too long to be searched for RETURNING"
	}
	return st, true
}
