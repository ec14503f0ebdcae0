package postgres

import (
	"errors"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Inspector = Dialect{}

// Inspect says where things stand in the text of one statement; see
// rewrite.Inspector. Its error is PostgreSQL's own.
func (d Dialect) Inspect(text string) rewrite.Anatomy {
	if _, ok := d.long(text); ok {
		return rewrite.Anatomy{}
	}
	if err := checkText(text); err != nil {
		return unread(text, err)
	}
	masked, err := d.mask(text)
	if err != nil {
		return unread(text, err)
	}
	t, tokens, err := readBoth(masked)
	if err != nil {
		a := unread(masked, err)
		if tokens, err := scan(masked); err == nil {
			i := inspection{w: newWords(masked, tokens)}
			i.keywords()
			a.Parts = i.parts
		}
		return a
	}
	stmt, ok := single(t)
	if !ok {
		return rewrite.Anatomy{}
	}
	i := inspection{w: newWords(masked, tokens)}
	sel := stmt
	if stmt.key() == "CopyStmt" {
		sel = stmt.get("query", "SelectStmt")
	}
	if sel.key() == "SelectStmt" {
		i.outermost(sel)
	}
	if stmt.get("intoClause").there() && stmt.key() == "SelectStmt" { // its rows are kept, as those of CREATE TABLE AS
		i.inner(stmt, false)
	}
	i.inside(stmt, false)
	return rewrite.Anatomy{Parts: i.parts, Order: i.order(sel), Pinned: pinnedBy(stmt), Schema: schemaFacts(stmt)}
}

// unread says why a text cannot be read: in the parser's words, or by a bound of ours.
func unread(text string, err error) rewrite.Anatomy {
	var said *syntaxError
	return rewrite.Anatomy{Err: parseError(text, err), Doubted: !errors.As(err, &said)}
}

// inspection collects the parts of one statement.
type inspection struct {
	w     words
	parts []rewrite.Part
}

func (i *inspection) add(k rewrite.PartKind, start, end int) {
	i.parts = append(i.parts, rewrite.Part{Kind: k, Start: start, End: end})
}

// outermost looks at the clauses of the outermost SELECT.
func (i *inspection) outermost(sel node) {
	if start, end, ok := i.count(sel); ok {
		i.add(rewrite.PartLimit, start, end)
		if c, ok := i.w.limitClause(sel.get("limitCount")); ok && i.w.is(c.to+1, "with") && i.w.is(c.to+2, "ties") {
			i.add(rewrite.PartTies, int(i.w.tokens[c.to+1].start), int(i.w.tokens[c.to+2].end))
		}
	}
	offset := sel.get("limitOffset")
	if k := i.w.before(offset.location(), "offset"); offset.there() && k >= 0 {
		if to := i.w.until(k+1, "limit", "fetch", "for", "row", "rows"); to > k+1 {
			i.add(rewrite.PartOffset, int(i.w.tokens[k+1].start), int(i.w.tokens[to-1].end))
		}
	}
	for _, value := range []node{sel.get("limitCount"), offset} {
		if value.get("A_Const", "ival", "ival").int() < 0 {
			if at := i.w.at(value.location()); at >= 0 {
				i.add(rewrite.PartNegative, int(i.w.tokens[at].start), int(i.w.tokens[min(at+1, len(i.w.tokens)-1)].end))
			}
		}
	}
	if !sel.get("lockingClause").there() {
		return
	}
	for k := range i.w.tokens {
		if i.w.is(k, "for") && (i.w.is(k+1, "update") || i.w.is(k+1, "share") || i.w.is(k+1, "no") || i.w.is(k+1, "key")) {
			i.add(rewrite.PartLock, int(i.w.tokens[k].start), int(i.w.tokens[min(k+1, len(i.w.tokens)-1)].end))
		}
	}
}

// count returns where a query's limit stands: its value, or FETCH FIRST ROW.
func (i *inspection) count(sel node) (start, end int, ok bool) {
	count := sel.get("limitCount")
	if !count.there() {
		return 0, 0, false
	}
	c, ok := i.w.limitClause(count)
	if !ok {
		return 0, 0, false
	}
	if c.from == c.to {
		c = clause{from: c.from - 2, to: c.to + 1}
	}
	start, end = c.span(i.w)
	return start, end, true
}

// inside looks at the queries below n. exists reports that n is the query of EXISTS.
func (i *inspection) inside(n node, exists bool) {
	for m := range n.children {
		switch m.key() {
		case "SubLink":
			i.inside(m, m.get("subLinkType").text() == "EXISTS_SUBLINK")
			continue
		case "SelectStmt", "larg", "rarg":
			if m.get("op").there() {
				i.inner(m, exists)
			}
		}
		i.inside(m, exists && m.key() == "subselect")
	}
	if n.get("op").there() && n.get("limitOption").there() {
		i.aggregated(n)
	}
}

// inner notes the limit of a query inside of the statement.
func (i *inspection) inner(sel node, exists bool) {
	l := readLimit(sel)
	if l.Form == rewrite.LimitNone || sel.get("sortClause").there() || exists || l.Form == rewrite.LimitLiteral && l.Rows == 0 ||
		atMostOneRow(sel, rewrite.Limit{}) {
		return
	}
	if start, end, ok := i.count(sel); ok && sel.get("limitCount").location() >= 0 {
		i.add(rewrite.PartInnerLimit, start, end)
	}
}

// aggregated notes the limits of the queries in FROM if sel aggregates their rows.
func (i *inspection) aggregated(sel node) {
	if !aggregates(sel) && !sel.get("groupClause").there() {
		return
	}
	named := map[string]node{}
	for cte := range sel.get("withClause", "ctes").children {
		c := cte.get("CommonTableExpr")
		named[c.get("ctename").str()] = c.get("ctequery", "SelectStmt")
	}
	i.limitsOf(sel.get("fromClause"), named)
}

// limitsOf notes the limits of the queries that stand in FROM at n, or are named there.
func (i *inspection) limitsOf(n node, named map[string]node) {
	for m := range n.children {
		var query node
		switch m.key() {
		case "RangeSubselect":
			query = m.get("subquery", "SelectStmt")
		case "RangeVar":
			if !m.get("schemaname").there() {
				query = named[m.get("relname").str()]
			}
		case "quals":
			continue
		default:
			i.limitsOf(m, named)
			continue
		}
		if query.there() {
			i.limitOf(query)
		}
	}
}

// limitOf notes the limit of a query whose rows are aggregated, and those of the queries
// that it is put together from.
func (i *inspection) limitOf(query node) {
	l := readLimit(query)
	if l.Form != rewrite.LimitNone && !(l.Form == rewrite.LimitLiteral && l.Rows <= 1) && query.get("limitCount").location() >= 0 {
		if start, end, ok := i.count(query); ok {
			i.add(rewrite.PartAggregatedLimit, start, end)
		}
	}
	for _, side := range []string{"larg", "rarg"} {
		if branch := query.get(side); branch.there() {
			i.limitOf(branch)
		}
	}
}

// keywords notes the words LIMIT and FETCH outside of brackets.
func (i *inspection) keywords() {
	depth := 0
	for k, t := range i.w.tokens {
		switch {
		case i.w.is(k, "("):
			depth++
		case i.w.is(k, ")"):
			depth--
		case depth == 0 && (i.w.is(k, "limit") || i.w.is(k, "fetch") && k > 0):
			i.add(rewrite.PartLimitKeyword, int(t.start), int(t.end))
		}
	}
}
