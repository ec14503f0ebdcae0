package postgres

import (
	"math"
	"strconv"

	"github.com/rowcap/rowcap/rewrite"
)

// readLimit reads the limit of an outermost SELECT.
func readLimit(sel node) rewrite.Limit {
	l := rewrite.Limit{WithTies: sel.get("limitOption").text() == "LIMIT_OPTION_WITH_TIES"}
	l.Offset, _ = integer(sel.get("limitOffset"))
	count := sel.get("limitCount")
	if !count.there() || count.get("A_Const").is("isnull") {
		return l
	}
	if rows, ok := integer(count); ok {
		l.Form, l.Rows = rewrite.LimitLiteral, rows
	} else if p, bits := parameter(sel, count); p > 0 {
		l.Form, l.Param, l.Bits = rewrite.LimitParam, int(p), bits
	} else {
		l.Form = rewrite.LimitOpaque
	}
	return l
}

// parameter reads a limit that is a parameter, or one cast to an integer type. The
// server gives the parameter the type that its first appearance asks for, which is
// known if that is the only one.
func parameter(sel, count node) (number int64, bits uint8) {
	bits = 64
	if cast := count.get("TypeCast"); cast.there() {
		if bits = integerBits(cast.get("typeName")); bits == 0 {
			return 0, 0
		}
		count = cast.get("arg")
	}
	number = count.get("ParamRef", "number").int()
	seen := 0
	for n := range sel.below {
		if n.key() == "ParamRef" && n.get("number").int() == number {
			seen++
		}
	}
	if seen != 1 {
		bits = 0
	}
	return number, bits
}

// integer reads a constant that is a row count: an integer of the server's bigint
// that is not negative. Those beyond 32 bits stand in the tree as text.
func integer(n node) (uint64, bool) {
	c := n.get("A_Const")
	if i := c.get("ival"); i.there() {
		v := i.get("ival").int()
		return uint64(max(v, 0)), v >= 0
	}
	if f := c.get("fval", "fval"); f.there() {
		v, err := strconv.ParseUint(f.str(), 10, 63)
		return v, err == nil
	}
	return 0, false
}

// SetLimit returns the edits that make rows the limit of st; see rewrite.Dialect.
func (d Dialect) SetLimit(st rewrite.Statement, rows uint64) ([]rewrite.Edit, error) {
	if reason := d.obstacle(); reason != "" {
		return nil, errorf("no limit can be written: %s", reason)
	}
	if rows > math.MaxInt64 {
		return nil, errorf("%d rows are more than a limit can say", rows)
	}
	if err := checkText(st.Text); err != nil {
		return nil, err
	}
	masked, err := d.mask(st.Text)
	if err != nil {
		return nil, err
	}
	t, tokens, err := readBoth(masked)
	if err != nil {
		return nil, err
	}
	stmt, ok := single(t)
	if !ok {
		return nil, errorf("the text is not one statement")
	}
	before := reading{sql: masked, tokens: tokens, stmt: stmt}
	w := newWords(masked, tokens)
	var edits []rewrite.Edit
	switch stmt.key() {
	case "SelectStmt":
		edits, err = editSelect(w, stmt, rows)
	case "FetchStmt":
		edits, err = editFetch(w, stmt, rows)
	default:
		err = errorf("the statement takes no limit")
	}
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	if again, err := d.mask(rewrite.ApplyEdits(st.Text, edits)); err != nil || again != rewrite.ApplyEdits(masked, edits) {
		return nil, errorf("the limit could not be written: the strings end elsewhere with it")
	}
	if err := verify(before, edits, rows); err != nil {
		return nil, err
	}
	return edits, nil
}

// single returns the only statement of a tree.
func single(t *tree) (node, bool) {
	raw := t.root().get("stmts").only()
	if !raw.there() || int(t.cells[raw.i].end) != len(t.cells) {
		return node{}, false
	}
	return raw.get("stmt").only(), true
}

// editSelect writes a limit into a SELECT. Positions are found from the places
// that the tree notes: to the left of the limit's own expression stands its
// keyword.
func editSelect(w words, sel node, rows uint64) ([]rewrite.Edit, error) {
	number := strconv.FormatUint(rows, 10)
	count, offset := sel.get("limitCount"), sel.get("limitOffset")
	if leftmost(sel).get("intoClause").there() {
		return nil, errorf("SELECT INTO takes no limit")
	}
	if !count.there() {
		if offset.there() {
			k := w.before(offset.location(), "offset")
			if k < 0 {
				return nil, errorf("the place of OFFSET was not found")
			}
			return insertion(int(w.tokens[k].start), "LIMIT "+number+" "), nil
		}
		return insertion(w.end(), " LIMIT "+number), nil
	}
	c, ok := w.limitClause(count)
	if !ok {
		return nil, errorf("the place of the limit was not found")
	}
	own := readLimit(sel)
	var edits []rewrite.Edit
	switch {
	case own.WithTies && own.Form != rewrite.LimitLiteral:
		return nil, errorf("WITH TIES of an expression can return any number of rows")
	case own.WithTies && own.Rows < rows:
		return nil, errorf("WITH TIES can return more rows than its number")
	case own.Form == rewrite.LimitLiteral && own.Rows == rows:
	case own.Form == rewrite.LimitLiteral || own.Form == rewrite.LimitNone:
		text := number
		if c.from == c.to {
			text += " "
		}
		start, end := c.span(w)
		edits = []rewrite.Edit{{Start: start, End: end, Text: text}}
	case !boundable(count):
		return nil, errorf("the limit may be no integer, and bounding it would hide the server's error")
	default:
		start, end := c.span(w)
		edits = []rewrite.Edit{
			{Start: start, End: start, Text: "LEAST("},
			{Start: end, End: end, Text: ", " + number + "::bigint)"},
		}
	}
	if own.WithTies {
		with := c.to + 1
		if !w.is(with, "with") || !w.is(with+1, "ties") {
			return nil, errorf("the place of WITH TIES was not found")
		}
		edits = append(edits, rewrite.Edit{Start: int(w.tokens[with].start), End: int(w.tokens[with+1].end), Text: "ONLY"})
	}
	return edits, nil
}

func insertion(at int, text string) []rewrite.Edit {
	return []rewrite.Edit{{Start: at, End: at, Text: text}}
}

// clause is where a limit's value stands: the tokens [from, to). In FETCH FIRST ROW
// ONLY there are none, and it would stand before token to.
type clause struct{ from, to int }

// span returns the bytes of the value, or the empty range where it would stand.
func (c clause) span(w words) (start, end int) {
	if c.from == c.to {
		return int(w.tokens[c.to].start), int(w.tokens[c.to].start)
	}
	return int(w.tokens[c.from].start), int(w.tokens[c.to-1].end)
}

// limitClause finds the value whose tree is count.
func (w words) limitClause(count node) (clause, bool) {
	k := -1
	if at := count.location(); at >= 0 {
		k = w.before(at, "limit", "fetch")
	} else {
		// The 1 of FETCH FIRST ROW ONLY stands nowhere.
		k = w.before(len(w.sql), "fetch")
	}
	switch {
	case w.is(k, "limit"):
		c := clause{from: k + 1}
		c.to = w.until(c.from, "offset", "for", "fetch")
		return c, c.from < c.to
	case w.is(k, "fetch") && (w.is(k+1, "first") || w.is(k+1, "next")):
		c := clause{from: k + 2}
		c.to = w.until(c.from, "row", "rows")
		return c, w.is(c.to, "row") || w.is(c.to, "rows")
	}
	return clause{}, false
}

// before returns the index of the last of the given words that starts before byte
// offset at, or -1.
func (w words) before(at int, any ...string) int {
	if at < 0 {
		return -1
	}
	for i := w.at(at); i >= 0; i-- {
		for _, s := range any {
			if w.is(i, s) {
				return i
			}
		}
	}
	return -1
}

// until returns the index of the first token from i on, outside of brackets opened
// since, that is one of the given words, closes a bracket, or ends the statement.
func (w words) until(i int, any ...string) int {
	depth := 0
	for ; i < len(w.tokens); i++ {
		switch {
		case w.is(i, "("), w.is(i, "["):
			depth++
		case w.is(i, ")"), w.is(i, "]"):
			if depth == 0 {
				return i
			}
			depth--
		case depth == 0:
			if w.is(i, ";") {
				return i
			}
			for _, s := range any {
				if w.is(i, s) {
					return i
				}
			}
		}
	}
	return i
}

// end returns the byte offset after the last token that is not a semicolon.
func (w words) end() int {
	for i := len(w.tokens) - 1; i >= 0; i-- {
		if !w.is(i, ";") {
			return int(w.tokens[i].end)
		}
	}
	return 0
}
