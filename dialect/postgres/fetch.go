package postgres

import (
	"math"
	"strconv"

	"github.com/rowcap/rowcap/rewrite"
)

// isAll reports the count of FETCH ALL: the largest of C's long (FETCH_ALL in
// parsenodes.h), which has 32 bits in the parser compiled to WebAssembly. A count
// written out has at most as many, and the largest of them is taken for ALL too.
func isAll(count int64) bool { return count >= math.MaxInt32 }

// describeFetch fills in the facts about a FETCH or MOVE. A negative count turns
// the direction round and bounds the rows like a positive one.
func (d Dialect) describeFetch(st *rewrite.Statement, stmt node) {
	st.Kind = rewrite.KindFetch
	if stmt.is("ismove") {
		return
	}
	st.ReturnsRows = true
	count := stmt.get("howMany").int()
	switch direction := stmt.get("direction").text(); {
	case direction != "FETCH_FORWARD" && direction != "FETCH_BACKWARD":
		st.AtMostOneRow = true
	case isAll(count):
	default:
		st.Limit = rewrite.Limit{Form: rewrite.LimitLiteral, Rows: magnitude(count)}
		st.AtMostOneRow = st.Limit.Rows <= 1
	}
	st.Obstacle = d.obstacle()
	st.Limitable = st.Obstacle == ""
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// editFetch lowers the count of a FETCH to rows; a count that is not above rows
// stays. The count stands before the cursor's name: FETCH [FORWARD | BACKWARD]
// {ALL | [+ | -] n} [FROM | IN] name.
func editFetch(w words, fetch node, rows uint64) ([]rewrite.Edit, error) {
	count := fetch.get("howMany").int()
	direction := fetch.get("direction").text()
	switch {
	case fetch.is("ismove"):
		return nil, errorf("MOVE returns no rows")
	case direction != "FETCH_FORWARD" && direction != "FETCH_BACKWARD", !isAll(count) && magnitude(count) <= rows:
		return nil, nil
	case rows == 0:
		return nil, errorf("FETCH 0 returns the current row again")
	case rows >= math.MaxInt32:
		return nil, errorf("%d rows are more than a FETCH can count", rows)
	}
	i := 1
	if w.is(i, "forward") || w.is(i, "backward") {
		i++
	}
	if w.is(i, "-") || w.is(i, "+") {
		i++
	}
	if i >= len(w.tokens) {
		return nil, errorf("the place of the count was not found")
	}
	t := w.tokens[i]
	return []rewrite.Edit{{Start: int(t.start), End: int(t.end), Text: strconv.FormatUint(rows, 10)}}, nil
}
