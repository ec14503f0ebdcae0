package mysql

import (
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Inspector = dialect{}

// Inspect says where things stand in the text of one statement; see
// rewrite.Inspector. It goes by the words that the server reserves and by brackets.
// Its error is that of the parser at hand, not the server's.
func (d dialect) Inspect(text string) rewrite.Anatomy {
	if _, ok := d.long(text); ok {
		return rewrite.Anatomy{}
	}
	if why := d.obstacle(text); why != "" {
		return rewrite.Anatomy{Err: &rewrite.ParseError{Message: why, Offset: -1}, Doubted: true}
	}
	s, reason := one(text, &d.settings)
	if s == nil {
		return rewrite.Anatomy{Err: d.faultIn(text, reason), Doubted: reason != faultQuote && reason != faultComment && reason != faultExecutable}
	}
	i := inspection{source: s}
	node := s.node()
	if node == nil {
		if st := s.statement(); st.Kind == rewrite.KindUnknown {
			return i.unread(st.Obstacle)
		}
	}
	s.readWhole()
	i.level(0, len(s.tokens), true)
	a := s.orderAndSchema(node)
	a.Parts = i.parts
	return a
}

// readWhole reads all tokens of a write, of which the plan needs the first ones only.
func (s *source) readWhole() {
	if !s.headOnly {
		return
	}
	l := lexer{settings: *s.settings, text: s.text}
	s.headOnly, s.tokens = false, s.tokens[:0]
	for t, ok := l.next(); ok && len(s.tokens) < maxTokens; t, ok = l.next() {
		s.tokens = append(s.tokens, t)
	}
}

// unread looks at a statement that could not be read.
func (i *inspection) unread(why string) rewrite.Anatomy {
	switch why {
	case errUnread.Error():
		i.keywords()
		return rewrite.Anatomy{Parts: i.parts, Err: i.syntaxError()}
	case unknownKind:
		return rewrite.Anatomy{Err: &rewrite.ParseError{Message: why, Offset: -1}}
	}
	return rewrite.Anatomy{Err: &rewrite.ParseError{Message: why, Offset: -1}, Doubted: true}
}

// faultIn places the lexer's fault in a text.
func (d dialect) faultIn(text, reason string) *rewrite.ParseError {
	for t := range d.Tokens(text) {
		if t.Kind == rewrite.TokenBroken {
			return &rewrite.ParseError{Message: reason, Offset: t.Start}
		}
	}
	return &rewrite.ParseError{Message: reason, Offset: -1}
}

// syntaxError asks TiDB's parser where the statement goes wrong.
func (s *source) syntaxError() *rewrite.ParseError {
	out := &rewrite.ParseError{Message: errUnread.Error(), Offset: -1}
	if s.charset == charsetSingle {
		return out
	}
	_, err := parseTiDB(reading{text: s.text}, s.settings)
	if err == nil {
		return out
	}
	// line 1 column 14 near "FROM t" and a reason, if there is one.
	_, near, ok := strings.Cut(err.Error(), ` near "`)
	if !ok {
		return out
	}
	at := -1
	for i := strings.LastIndexByte(near, '"'); i >= 0 && at < 0; i = strings.LastIndexByte(near[:i], '"') {
		if strings.HasSuffix(s.text, near[:i]) {
			at = len(s.text) - i
		}
	}
	if at < 0 {
		return out
	}
	// What the parser stumbled over is the token that begins there.
	for _, t := range s.tokens {
		if int(t.end) > at {
			at = int(t.start)
			word := s.text[t.start:t.end]
			if len(word) > 40 {
				word = word[:40] + "…"
			}
			return &rewrite.ParseError{Message: "syntax error at or near " + strconv.Quote(word), Offset: at}
		}
	}
	return &rewrite.ParseError{Message: "syntax error at the end of the statement", Offset: len(s.text)}
}

// inspection collects the parts of one statement.
type inspection struct {
	*source
	parts []rewrite.Part
}

// add notes the tokens [from, to).
func (i *inspection) add(k rewrite.PartKind, from, to int) {
	if from < 0 || from >= to || to > len(i.tokens) {
		return
	}
	i.parts = append(i.parts, rewrite.Part{Kind: k, Start: int(i.tokens[from].start), End: int(i.tokens[to-1].end)})
}

// query is what stands at one level of brackets.
type query struct {
	ordered, aggregated bool
	// countAt and offsetAt are the tokens of the limit's values, or of the words
	// FIRST or NEXT; -1 for none.
	countAt, offsetAt int
	// single reports a limit of no rows or one.
	zero, single bool
	// into reports INTO of a SELECT.
	into bool
	// limits are the tokens of the limits of queries in FROM, named those of the queries
	// of WITH by their names in small letters.
	limits []int
	named  map[string]int
	// branches are the tokens of the limits of queries in brackets that this one is put
	// together from; manyFrom are those that are neither 0 nor 1.
	branches, manyFrom []int
}

// level looks at the tokens [from, to), which are one query and what stands in its
// brackets, or an expression with such.
func (i *inspection) level(from, to int, outermost bool) query {
	if outermost && i.isOp(from, '(') && i.behindBrackets(from) == to {
		return i.level(from+1, to-1, true)
	}
	q := query{countAt: -1, offsetAt: -1}
	inFrom := false
	name := -1 // the token of the next name of WITH
	if i.is(from, "WITH") {
		name = from + 1
		if i.is(name, "RECURSIVE") {
			name++
		}
	}
	for k := from; k < to; k++ {
		switch {
		case i.isOp(k, '('):
			end := i.behindBrackets(k)
			sub := i.brackets(k, end, inFrom, &q)
			if sub.countAt >= 0 && i.isBranch(k, from, end, to) {
				q.branches = append(q.branches, sub.countAt)
				if !sub.zero && !sub.single {
					q.manyFrom = append(q.manyFrom, sub.countAt)
				}
			}
			if name >= 0 && i.is(k-1, "AS") {
				if sub.countAt >= 0 && !sub.zero && !sub.single {
					q.name(i.tokenName(name), sub.countAt)
				}
				name = end + 1 // behind the comma
			}
			k = end - 1
		case inFrom && len(q.named) > 0 && (i.is(k-1, "FROM") || i.is(k-1, "JOIN") || i.isOp(k-1, ',')):
			if at, ok := q.named[strings.ToLower(i.tokenName(k))]; ok && !i.isOp(k+1, '.') {
				q.limits = append(q.limits, at)
			}
		case i.is(k, "FROM"):
			inFrom = true
		case i.isOp(k, ';'): // in a body
			q, inFrom, name = query{countAt: -1, offsetAt: -1}, false, -1
		case i.isSetOperation(k):
			inFrom, name = false, -1
			if q.countAt >= 0 { // a branch has to stand in brackets
				i.add(rewrite.PartForeignLimit, q.countAt, q.countAt+1)
				q.countAt, q.offsetAt, q.ordered = -1, -1, false
			}
		case i.is(k, "WHERE"), i.is(k, "HAVING"), i.is(k, "SELECT"):
			inFrom, name = false, -1
		case i.is(k, "GROUP"):
			inFrom, q.aggregated = false, true
		case i.is(k, "ORDER"):
			inFrom, q.ordered = false, true
		case i.is(k, "LIMIT") && i.is(k+1, "ROWS"):
			i.foreign(k, k+2)
		case i.is(k, "LIMIT"):
			i.limit(k, &q)
			if i.is(q.countAt+1, "ROWS") {
				i.foreign(q.countAt, q.countAt+2)
			}
		case i.is(k, "FETCH") && (i.is(k+1, "FIRST") || i.is(k+1, "NEXT")) && (i.isRows(k+2) || i.isRows(k+3)):
			i.foreign(k, k+2)
			q.countAt, q.single = k+1, i.isRows(k+2)
			if i.isCount(k + 2) {
				q.countAt = k + 2
				q.zero, q.single = i.number(k+2, "0"), i.number(k+2, "1")
			}
		case i.is(k, "OFFSET") && i.isCount(k+1):
			q.offsetAt = k + 1
			if i.isRows(k+2) && !i.is(k+3, "FETCH") {
				i.foreign(k, k+3)
			}
		case outermost:
			q.into = q.into || i.is(k, "INTO")
			i.outermost(k)
		}
	}
	if !outermost {
		return q
	}
	if q.countAt >= 0 {
		i.add(rewrite.PartLimit, q.countAt, q.countAt+1)
		if i.is(0, "UPDATE") || i.is(0, "DELETE") {
			i.writeLimit(q)
		}
		if i.keepsRows(q) && !q.ordered && !q.zero {
			i.add(rewrite.PartInnerLimit, q.countAt, q.countAt+1)
		}
	}
	if q.offsetAt >= 0 {
		i.add(rewrite.PartOffset, q.offsetAt, q.offsetAt+1)
	}
	i.aggregate(q)
	return q
}

// name notes the limit of a query of WITH.
func (q *query) name(name string, countAt int) {
	if q.named == nil {
		q.named = map[string]int{}
	}
	q.named[strings.ToLower(name)] = countAt
}

// keepsRows reports a statement that puts the rows of its outermost query somewhere.
func (i *inspection) keepsRows(q query) bool {
	switch {
	case i.is(0, "INSERT"), i.is(0, "REPLACE"):
		return true
	case i.is(0, "CREATE"):
		return !i.routine()
	}
	return i.isQuery() && q.into && !q.single // one row is what a variable takes
}

// limit reads LIMIT [offset,] count at token k.
func (i *inspection) limit(k int, q *query) {
	q.countAt = k + 1
	if i.isOp(k+2, ',') {
		q.offsetAt, q.countAt = k+1, k+3
	}
	q.zero, q.single = i.number(q.countAt, "0"), i.number(q.countAt, "1")
}

func (i *inspection) number(k int, n string) bool {
	return k < len(i.tokens) && i.text[i.tokens[k].start:i.tokens[k].end] == n
}

// outermost notes other clauses of the outermost level.
func (i *inspection) outermost(k int) {
	switch {
	case i.is(k, "WITH") && i.is(k+1, "TIES"):
		i.add(rewrite.PartTies, k, k+2)
	case i.is(k, "FOR") && (i.is(k+1, "UPDATE") || i.is(k+1, "SHARE")):
		i.add(rewrite.PartLock, k, k+2)
	case i.is(k, "LOCK") && i.is(k+1, "IN") && i.is(k+2, "SHARE"):
		i.add(rewrite.PartLock, k, min(k+4, len(i.tokens)))
	case i.is(k, "INTO") && (i.is(k+1, "OUTFILE") || i.is(k+1, "DUMPFILE")):
		i.add(rewrite.PartOutfile, k, k+2)
	}
}

// brackets looks at the tokens from the bracket at k to end, the token behind the one
// that closes it. It returns the query in them.
func (i *inspection) brackets(k, end int, inFrom bool, q *query) query {
	if !i.beginsSubquery(k + 1) {
		if before := i.tokenName(k - 1); !inFrom && aggregates[strings.ToLower(before)] && !i.is(end, "OVER") {
			q.aggregated = true
		}
		inner := query{}
		for j := k + 1; j < end-1; j++ {
			if i.is(j, "LIMIT") && !i.isOp(j-1, '.') { // as of GROUP_CONCAT
				i.foreign(j, j+2)
			}
			if i.isOp(j, '(') {
				behind := i.behindBrackets(j)
				i.brackets(j, behind, inFrom, &inner)
				j = behind - 1
			}
		}
		q.aggregated = q.aggregated || inner.aggregated
		q.limits = append(q.limits, inner.limits...)
		return query{countAt: -1}
	}
	sub := i.level(k+1, end-1, false)
	if sub.countAt >= 0 && !sub.zero {
		if !sub.ordered && !i.is(k-1, "EXISTS") {
			i.add(rewrite.PartInnerLimit, sub.countAt, sub.countAt+1)
		}
		if inFrom && !sub.single {
			q.limits = append(q.limits, sub.countAt)
		}
	}
	if inFrom {
		q.limits = append(q.limits, sub.manyFrom...)
	}
	if i.quantified(k) {
		if sub.countAt >= 0 {
			i.add(rewrite.PartQuantifiedLimit, sub.countAt, sub.countAt+1)
		}
		for _, at := range sub.branches {
			i.add(rewrite.PartQuantifiedLimit, at, at+1)
		}
	}
	i.aggregate(sub)
	return sub
}

// aggregate notes the limits of queries whose rows q aggregates.
func (i *inspection) aggregate(q query) {
	if !q.aggregated {
		return
	}
	for _, k := range q.limits {
		i.add(rewrite.PartAggregatedLimit, k, k+1)
	}
}

func (i *inspection) beginsSubquery(k int) bool {
	for i.isOp(k, '(') {
		k++
	}
	return i.is(k, "SELECT") || i.is(k, "WITH") || i.is(k, "TABLE") || i.is(k, "VALUES") && !i.isOp(k+1, ')')
}

// keywords notes the words LIMIT and FETCH outside of brackets.
func (i *inspection) keywords() {
	for k := 0; k < len(i.tokens); k++ {
		switch {
		case i.isOp(k, '('):
			k = i.behindBrackets(k) - 1
		case i.is(k, "LIMIT"), i.is(k, "FETCH") && k > 0:
			i.add(rewrite.PartLimitKeyword, k, k+1)
		}
	}
}
