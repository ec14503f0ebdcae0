package mysql

import (
	"strconv"

	"github.com/rowcap/rowcap/rewrite"
)

// maxCandidates is how many places are tried for an edit.
const maxCandidates = 8

// SetLimit makes rows the outermost limit of st. It tries the places where a
// limit can stand and takes the first whose result reads back as planned.
func (d dialect) SetLimit(st rewrite.Statement, rows uint64) ([]rewrite.Edit, error) {
	switch {
	case !st.Limitable:
		return nil, errNotLimitable(st.Obstacle)
	case st.Limit.AtBind:
		return nil, errAtBind
	}
	s, obstacle := one(st.Text, &d.settings)
	if obstacle != "" {
		return nil, errNotLimitable(obstacle)
	}
	p, err := s.parse()
	if err != nil {
		return nil, err
	}
	if p.tree == nil {
		return nil, errNotQuery
	}
	own := p.limit()
	p.tree.bound(rows)
	want, err := p.tree.print()
	if err != nil {
		return nil, err
	}
	_, byTiDB := p.tree.(*tidbTree)
	for i, edits := range s.candidates(p, own, rows) {
		if i == maxCandidates {
			break
		}
		if s.proves(edits, want, byTiDB, p.plain) {
			return edits, nil
		}
	}
	return nil, errNoPlace
}

// candidates proposes edits, the likeliest first.
func (s *source) candidates(p *parsed, own rewrite.Limit, rows uint64) [][]rewrite.Edit {
	number := strconv.FormatUint(rows, 10)
	c, anywhere := p.clause, p.facts.braced || s.isOp(0, '(')
	switch {
	case c != nil && (c.fetch || c.noCount):
		return [][]rewrite.Edit{s.clauseEdits(c, number)}
	case own.Form == rewrite.LimitLiteral:
		return s.replaceCount(own.Rows, number, anywhere)
	case own.Form == rewrite.LimitNone:
		return s.insertLimit(number, anywhere)
	}
	return nil
}

// clauseEdits writes the number into MariaDB's own clauses.
func (s *source) clauseEdits(c *clause, number string) (edits []rewrite.Edit) {
	switch {
	case c.count >= 0:
		t := s.tokens[c.count]
		edits = append(edits, rewrite.Edit{Start: t.start, End: t.end, Text: number})
	case c.noCount && c.fetch:
		at := s.endOf(c.after)
		edits = append(edits, rewrite.Edit{Start: at, End: at, Text: " FETCH FIRST " + number + " ROWS ONLY"})
	default:
		at := s.tokens[c.after].end
		edits = append(edits, rewrite.Edit{Start: at, End: at, Text: " " + number})
	}
	if c.ties >= 0 {
		with, ties := s.tokens[c.ties], s.tokens[c.ties+1]
		if with.comment != ties.comment {
			return nil
		}
		edits = append(edits, rewrite.Edit{Start: with.start, End: ties.end, Text: "ONLY"})
	}
	return edits
}

// outermost calls f for every token that stands in no brackets, from the last to
// the first, or for every token anywhere: brackets may stand around the whole query.
func (s *source) outermost(anywhere bool, f func(i int)) {
	depth := 0
	for i := len(s.tokens) - 1; i >= 0; i-- {
		switch {
		case s.isOp(i, ')'):
			depth++
		case s.isOp(i, '('):
			depth--
		case depth == 0 || anywhere:
			f(i)
		}
	}
}

// replaceCount proposes the numbers that have the limit's value and stand where a
// count does.
func (s *source) replaceCount(own uint64, number string, anywhere bool) (all [][]rewrite.Edit) {
	s.outermost(anywhere, func(i int) {
		count := -1
		switch {
		case s.is(i, "LIMIT") && s.isOp(i+2, ','):
			count = i + 3
		case s.is(i, "LIMIT"):
			count = i + 1
		case s.is(i, "FETCH") && (s.is(i+1, "FIRST") || s.is(i+1, "NEXT")):
			count = i + 2
		}
		if count < 0 || count >= len(s.tokens) || s.tokens[count].kind != tokenInt {
			return
		}
		t := s.tokens[count]
		if n, err := strconv.ParseUint(s.text[t.start:t.end], 10, 64); err == nil && n == own {
			all = append(all, []rewrite.Edit{{Start: t.start, End: t.end, Text: number}})
		}
	})
	return all
}

// insertLimit proposes places for a new limit: behind the last token, before what
// may follow a limit, and inside of the brackets at the end.
func (s *source) insertLimit(number string, anywhere bool) (all [][]rewrite.Edit) {
	insert := func(at int, text string) {
		all = append(all, []rewrite.Edit{{Start: at, End: at, Text: text}})
	}
	last := len(s.tokens) - 1
	insert(s.endOf(last), " LIMIT "+number)
	s.outermost(anywhere, func(i int) {
		if s.is(i, "FOR") && !s.is(i+1, "SYSTEM_TIME") || s.is(i, "LOCK") || s.is(i, "INTO") || s.is(i, "PROCEDURE") {
			insert(s.startOf(i), "LIMIT "+number+" ")
		}
	})
	for i := last; i > 0 && s.isOp(i, ')'); i-- {
		insert(s.endOf(i-1), " LIMIT "+number)
	}
	return all
}

// endOf returns where text can stand behind token i: outside of an executable
// comment that ends with it.
func (s *source) endOf(i int) int {
	t := s.tokens[i]
	if t.comment > 0 && (i+1 == len(s.tokens) || s.tokens[i+1].comment != t.comment) {
		return s.comments[t.comment-1].end
	}
	return t.end
}

// startOf returns where text can stand before token i: outside of an executable
// comment that begins with it.
func (s *source) startOf(i int) int {
	t := s.tokens[i]
	if t.comment > 0 && (i == 0 || s.tokens[i-1].comment != t.comment) {
		return s.comments[t.comment-1].start
	}
	return t.start
}
