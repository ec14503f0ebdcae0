package mysql

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/rowcap/rowcap/rewrite"
)

// silent are the first words of statements that send no rows, whatever follows.
var silent = map[string]bool{
	"BACKUP": true, "BINLOG": true, "CHANGE": true, "CLONE": true, "COMMIT": true, "DEALLOCATE": true, "DO": true, "DROP": true,
	"FLUSH": true, "GET": true, "GRANT": true, "IMPORT": true, "INSTALL": true, "KILL": true, "LOCK": true, "PURGE": true,
	"RELEASE": true, "RENAME": true, "RESET": true, "RESIGNAL": true, "RESTART": true, "REVOKE": true, "ROLLBACK": true,
	"SAVEPOINT": true, "SHUTDOWN": true, "SIGNAL": true, "START": true, "STOP": true, "TRUNCATE": true, "UNINSTALL": true,
	"UNLOCK": true, "USE": true,
}

// changes are the silent ones that change data or its shape.
var changes = map[string]bool{"DROP": true, "IMPORT": true, "RENAME": true, "TRUNCATE": true}

// telling are the first words of statements that send rows and take no limit.
var telling = map[string]bool{"CACHE": true, "CHECK": true, "CHECKSUM": true, "HELP": true, "OPTIMIZE": true, "REPAIR": true}

// classify tells the class of a statement that is no query by its first words.
// What sends no rows for certain is all that matters; the rest is guarded.
func (s *source) classify(st *rewrite.Statement) {
	first := ""
	if t := s.tokens[0]; t.kind == tokenWord {
		first = strings.ToUpper(s.text[t.start:t.end])
	}
	switch first {
	case "INSERT", "REPLACE":
		s.write(st, rewrite.KindInsert)
	case "UPDATE":
		s.write(st, rewrite.KindUpdate)
	case "DELETE":
		s.write(st, rewrite.KindDelete)
	case "CALL":
		s.rows(st, rewrite.KindCall, "CALL takes no limit")
	case "EXECUTE":
		s.rows(st, rewrite.KindExecute, "EXECUTE takes no limit")
	case "PREPARE":
		st.Kind, st.ReturnsRows = rewrite.KindPrepare, false
	case "SHOW":
		s.show(st)
	case "EXPLAIN", "DESCRIBE", "DESC", "ANALYZE":
		s.explain(st, first)
	case "SET":
		if s.is(1, "STATEMENT") && !s.isOp(2, '=') {
			st.Obstacle = "SET STATEMENT has a statement of its own"
			return
		}
		st.Kind = rewrite.KindUtility
		st.ReturnsRows = s.is(1, "PASSWORD") && s.randomPassword()
		st.Obstacle = "SET takes no limit"
	case "BEGIN":
		if s.block() {
			st.Obstacle = "the statement has statements of its own"
			return
		}
		st.Kind, st.ReturnsRows = rewrite.KindUtility, false
	case "CREATE":
		s.create(st)
	case "ALTER":
		st.Kind, st.Writes = rewrite.KindUtility, true
		// CHECK PARTITION and its kin send rows.
		st.ReturnsRows = s.partition || s.is(1, "USER") && s.randomPassword()
		st.Obstacle = "ALTER takes no limit"
	case "LOAD":
		st.Kind, st.Writes = rewrite.KindUtility, !s.is(1, "INDEX")
		st.ReturnsRows = s.is(1, "INDEX")
		st.Obstacle = "LOAD takes no limit"
	case "XA":
		st.Kind, st.ReturnsRows = rewrite.KindUtility, s.is(1, "RECOVER")
		st.Obstacle = "XA takes no limit"
	case "HANDLER":
		last := len(s.tokens) - 1
		st.Kind = rewrite.KindUtility
		st.ReturnsRows = !(s.is(last, "CLOSE") || s.is(2, "OPEN") || s.is(4, "OPEN"))
		st.Obstacle = "the limit of HANDLER is not read"
	default:
		switch {
		case silent[first]:
			st.Kind, st.ReturnsRows, st.Writes = rewrite.KindUtility, false, changes[first]
		case telling[first]:
			s.rows(st, rewrite.KindUtility, first+" takes no limit")
		default:
			st.Obstacle = unknownKind
		}
	}
}

// write is a statement that changes rows and sends none, but MariaDB's RETURNING.
func (s *source) write(st *rewrite.Statement, kind rewrite.Kind) {
	st.Kind, st.Writes = kind, true
	st.ReturnsRows = s.returning && (s.mariadb || s.foreign)
	st.Obstacle = "RETURNING takes no limit"
	st.Locks, st.Volatile = false, false
}

func (s *source) rows(st *rewrite.Statement, kind rewrite.Kind, obstacle string) {
	st.Kind, st.Obstacle = kind, obstacle
}

// explain tells EXPLAIN, which may run what it explains, from DESCRIBE of a
// table and from ANALYZE TABLE.
func (s *source) explain(st *rewrite.Statement, first string) {
	st.Kind, st.Obstacle = rewrite.KindExplain, first+" takes no limit"
	if first == "ANALYZE" {
		if s.is(1, "TABLE") || s.is(2, "TABLE") {
			st.Kind = rewrite.KindUtility
			return
		}
		for i := 1; i < min(len(s.tokens), 6); i++ {
			if s.is(i, "INSERT") || s.is(i, "REPLACE") || s.is(i, "UPDATE") || s.is(i, "DELETE") {
				st.Writes = true // MariaDB runs the statement
				return
			}
		}
		return
	}
	if len(s.tokens) < 2 {
		return
	}
	if s.isOp(1, '(') {
		return
	}
	for _, word := range []string{"SELECT", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE", "TABLE", "VALUES", "ANALYZE", "FORMAT", "EXTENDED", "PARTITIONS", "FOR", "INTO"} {
		if s.is(1, word) {
			return
		}
	}
	st.Kind = rewrite.KindShow
}

// show reads the limit that some forms of SHOW have.
func (s *source) show(st *rewrite.Statement) {
	st.Kind, st.Obstacle = rewrite.KindShow, "SHOW takes no cap"
	st.AtMostOneRow = s.is(1, "COUNT")
	depth := 0
	for i := range s.tokens {
		switch {
		case s.isOp(i, '('):
			depth++
		case s.isOp(i, ')'):
			depth--
		case depth == 0 && s.is(i, "LIMIT"):
			st.Limit = s.showLimit(i + 1)
		}
	}
}

// showLimit reads the numbers at the end of SHOW … LIMIT.
func (s *source) showLimit(i int) rewrite.Limit {
	opaque := rewrite.Limit{Form: rewrite.LimitOpaque}
	number := func(i int) (uint64, bool) {
		if i >= len(s.tokens) || s.tokens[i].kind != tokenInt {
			return 0, false
		}
		n, err := strconv.ParseUint(s.text[s.tokens[i].start:s.tokens[i].end], 10, 64)
		return n, err == nil
	}
	first, ok := number(i)
	if !ok {
		return opaque
	}
	switch {
	case i+1 == len(s.tokens):
		return rewrite.Limit{Form: rewrite.LimitLiteral, Rows: first}
	case i+3 != len(s.tokens):
		return opaque
	}
	second, ok := number(i + 2)
	switch {
	case ok && s.isOp(i+1, ','):
		return rewrite.Limit{Form: rewrite.LimitLiteral, Rows: second, Offset: first}
	case ok && s.is(i+1, "OFFSET"):
		return rewrite.Limit{Form: rewrite.LimitLiteral, Rows: first, Offset: second}
	}
	return opaque
}

// create tells CREATE TABLE … SELECT from other statements.
func (s *source) create(st *rewrite.Statement) {
	st.Kind, st.ReturnsRows, st.Writes = rewrite.KindUtility, false, true
	if s.is(1, "USER") {
		st.ReturnsRows = s.randomPassword()
		st.Obstacle = "CREATE takes no limit"
		return
	}
	if s.tooLarge != "" || s.unread != "" || s.routine() {
		return
	}
	var unknown *clause
	if s.is(1, "OR") && s.is(2, "REPLACE") {
		unknown = &clause{from: 1, to: 3} // MariaDB's, with no part in what is asked
	}
	r := s.read(unknown, false)
	if node, err := parseTiDB(r, s.settings); err == nil {
		if table, ok := node.(*ast.CreateTableStmt); ok && table.Select != nil {
			st.Kind = rewrite.KindSelectInto
		}
	}
}

// randomPassword reports that MySQL is asked to make passwords, which it sends.
func (s *source) randomPassword() bool {
	for i := 2; !s.mariadb && i < len(s.tokens); i++ {
		if s.is(i, "RANDOM") {
			return true
		}
	}
	return false
}
