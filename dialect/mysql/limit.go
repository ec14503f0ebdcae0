package mysql

import (
	"iter"
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
	k := takeKept()
	defer k.giveBack()
	s := k.find(st.Text, &d.settings)
	if s == nil {
		var err error
		if s, err = readAgain(st.Text, &d.settings); err != nil {
			return nil, err
		}
		k.put([]*source{s})
	}
	w := writing{source: s, rows: rows, number: strconv.FormatUint(rows, 10)}
	if !w.write() {
		return nil, errNoPlace
	}
	return w.edits, nil
}

// readAgain reads a query that was read before.
func readAgain(text string, settings *settings) (*source, error) {
	s, obstacle := one(text, settings)
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
	p.look(s)
	s.parsed = p
	return s, nil
}

// writing tries places for a limit in a query.
type writing struct {
	*source
	rows   uint64
	number string
	tried  int
	// edits are the ones that were tried last.
	edits []rewrite.Edit
}

// write tries edits, the likeliest first, until some are proved right.
func (w *writing) write() bool {
	own, c := w.parsed.limit(), w.parsed.clause
	anywhere := w.parsed.facts.braced || w.isOp(0, '(')
	switch {
	case c != nil && (c.fetch || c.noCount):
		return w.try(w.clauseEdits(c, w.number)...)
	case own.Form == rewrite.LimitLiteral:
		return w.replaceCount(own.Rows, anywhere)
	case own.Form == rewrite.LimitNone:
		return w.insertLimit(anywhere)
	}
	return false
}

// try reports that the query with edits is proved to be the one that is wanted.
func (w *writing) try(edits ...rewrite.Edit) bool {
	w.edits = edits
	w.tried++
	return w.tried <= maxCandidates && w.proves(edits, w.rows)
}

// clauseEdits writes the number into MariaDB's own clauses.
func (s *source) clauseEdits(c *clause, number string) (edits []rewrite.Edit) {
	switch {
	case c.count >= 0:
		t := s.tokens[c.count]
		edits = append(edits, rewrite.Edit{Start: int(t.start), End: int(t.end), Text: number})
	case c.noCount && c.fetch:
		at := s.endOf(c.after)
		edits = append(edits, rewrite.Edit{Start: at, End: at, Text: " FETCH FIRST " + number + " ROWS ONLY"})
	default:
		at := int(s.tokens[c.after].end)
		edits = append(edits, rewrite.Edit{Start: at, End: at, Text: " " + number})
	}
	if c.ties >= 0 {
		with, ties := s.tokens[c.ties], s.tokens[c.ties+1]
		if with.comment != ties.comment {
			return nil
		}
		edits = append(edits, rewrite.Edit{Start: int(with.start), End: int(ties.end), Text: "ONLY"})
	}
	return edits
}

// outermost yields every token that stands in no brackets, from the last to the
// first, or every token anywhere: brackets may stand around the whole query.
func (s *source) outermost(anywhere bool) iter.Seq[int] {
	return func(yield func(i int) bool) {
		depth := 0
		for i := len(s.tokens) - 1; i >= 0; i-- {
			switch {
			case s.isOp(i, ')'):
				depth++
			case s.isOp(i, '('):
				depth--
			case depth == 0 || anywhere:
				if !yield(i) {
					return
				}
			}
		}
	}
}

// replaceCount tries the numbers that have the limit's value and stand where a count
// does.
func (w *writing) replaceCount(own uint64, anywhere bool) bool {
	for i := range w.outermost(anywhere) {
		count := -1
		switch {
		case w.is(i, "LIMIT") && w.isOp(i+2, ','):
			count = i + 3
		case w.is(i, "LIMIT"):
			count = i + 1
		case w.is(i, "FETCH") && (w.is(i+1, "FIRST") || w.is(i+1, "NEXT")):
			count = i + 2
		}
		if count < 0 || count >= len(w.tokens) || w.tokens[count].kind != tokenInt {
			continue
		}
		t := w.tokens[count]
		n, err := strconv.ParseUint(w.text[t.start:t.end], 10, 64)
		if err == nil && n == own && w.try(rewrite.Edit{Start: int(t.start), End: int(t.end), Text: w.number}) {
			return true
		}
	}
	return false
}

// insertLimit tries places for a new limit: behind the last token, before what may
// follow a limit, and inside of the brackets at the end.
func (w *writing) insertLimit(anywhere bool) bool {
	last := len(w.tokens) - 1
	if w.insert(w.endOf(last), " LIMIT "+w.number) {
		return true
	}
	for i := range w.outermost(anywhere) {
		before := w.is(i, "FOR") && !w.is(i+1, "SYSTEM_TIME") || w.is(i, "LOCK") || w.is(i, "INTO") || w.is(i, "PROCEDURE")
		if before && w.insert(w.startOf(i), "LIMIT "+w.number+" ") {
			return true
		}
	}
	for i := last; i > 0 && w.isOp(i, ')'); i-- {
		if w.insert(w.endOf(i-1), " LIMIT "+w.number) {
			return true
		}
	}
	return false
}

func (w *writing) insert(at int, text string) bool {
	return w.try(rewrite.Edit{Start: at, End: at, Text: text})
}

// endOf returns where text can stand behind token i: outside of an executable
// comment that ends with it.
func (s *source) endOf(i int) int {
	t := s.tokens[i]
	if t.comment > 0 && (i+1 == len(s.tokens) || s.tokens[i+1].comment != t.comment) {
		return s.comments[t.comment-1].end
	}
	return int(t.end)
}

// startOf returns where text can stand before token i: outside of an executable
// comment that begins with it.
func (s *source) startOf(i int) int {
	t := s.tokens[i]
	if t.comment > 0 && (i == 0 || s.tokens[i-1].comment != t.comment) {
		return s.comments[t.comment-1].start
	}
	return int(t.start)
}
