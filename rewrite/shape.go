package rewrite

import (
	"encoding/binary"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Shaper is a Dialect that can tell scripts apart by their shape: their tokens
// with literals abstracted. What was learnt of one script holds for every other
// of its shape, so that a text never seen before costs one pass of a lexer.
type Shaper interface {
	Dialect
	// Shape reads the tokens of sql in one pass. It appends to key what the
	// script's meaning depends on, and to spans the byte offsets of each token's
	// start and end; comments and white space are no tokens, a semicolon is
	// one.
	//
	// Of two texts with equal keys, Parse finds the same facts, but for
	// Limit.Rows and Limit.Offset, whose digits stand in the same tokens; and
	// SetLimit makes the same edits at the same tokens. The numbers 0 and 1 are
	// part of the key, as they change facts. ok is false for a text that has to
	// be parsed.
	Shape(sql string, key []byte, spans []int32) (k []byte, s []int32, ok bool)
}

// shape is what was learnt of scripts with the same key: templates of their
// statements, in which places are numbers of tokens.
type shape struct{ statements []shapeStatement }

type shapeStatement struct {
	facts Statement // without Text and Pos
	// from and to are the numbers of the statement's first token and of the one
	// after its last.
	from, to int
	// limit and offset are the tokens of the literals in facts.Limit, -1 where
	// there is none or the number is part of the key.
	limit, offset int
	// recipe is how to write a limit, nil until it was asked for.
	recipe *atomic.Pointer[recipe]
}

// recipe is how SetLimit bounded one statement. It holds for any number of rows
// below the statement's own limit, which is all that plans ask for. Why SetLimit
// did not bound one is not kept, as that may depend on the number.
type recipe struct{ steps []step }

// step is one edit. The number of rows stands between before and after if numbered.
type step struct {
	start, end    place
	before, after string
	numbered      bool
}

// place is the start or the end of a token.
type place struct {
	token int
	end   bool
}

// spaces are what no dialect takes for a token at either end of a statement.
const spaces = " \t\n\r\f\v"

// shapeBuffer is the working memory of one pass.
type shapeBuffer struct {
	key   []byte
	spans []int32
}

var shapeBuffers = sync.Pool{New: func() any { return new(shapeBuffer) }}

// shaped is a script's reading by its shape.
type shaped struct {
	sql   string
	shape *shape
	spans []int32
}

// readShape reads sql by its shape, which it learns if need be. ok is false where
// the text has to be parsed; then statements and err may hold what Parse found
// already, if parsed.
func (r *Rewriter) readShape(sql string, b *shapeBuffer) (by shaped, statements []Statement, err error, parsed bool) {
	lexer, ok := r.dialect.(Shaper)
	if !ok || len(sql) > memoryText {
		return by, nil, nil, false
	}
	b.key = binary.BigEndian.AppendUint32(b.key[:0], uint32(r.reading))
	b.key, b.spans, ok = lexer.Shape(sql, b.key, b.spans[:0])
	if !ok {
		return by, nil, nil, false
	}
	if s := r.memory.shape(b.key); s != nil {
		by = shaped{sql, s, b.spans}
		return by, by.statements(), nil, true
	}
	statements, err = r.dialect.Parse(sql)
	if err == nil {
		if s := r.learn(sql, statements, b.spans); s != nil {
			by = shaped{sql, r.memory.putShape(b.key, s), b.spans}
		}
	}
	return by, statements, err, true
}

// learn makes templates of statements, nil if they do not stand where they should.
func (r *Rewriter) learn(sql string, statements []Statement, spans []int32) *shape {
	s := &shape{statements: make([]shapeStatement, 0, len(statements))}
	token := 0
	for _, st := range statements {
		if st.Kind == KindUnknown {
			return nil
		}
		t := shapeStatement{facts: st, limit: -1, offset: -1, recipe: new(atomic.Pointer[recipe])}
		for token*2 < len(spans) && int(spans[token*2]) < st.Pos {
			token++
		}
		t.from = token
		end := st.Pos + len(st.Text)
		for token*2 < len(spans) && int(spans[token*2+1]) <= end {
			token++
		}
		t.to = token
		if start, text := t.text(sql, spans); start != st.Pos || text != st.Text {
			return nil
		}
		if t.facts.Limit.Rows > 1 && t.facts.Limit.Form == LimitLiteral {
			if t.limit = t.find(sql, spans, r, st); t.limit < 0 {
				return nil
			}
		}
		if t.facts.Limit.Offset > 1 {
			if t.offset = t.only(sql, spans, st.Limit.Offset); t.offset < 0 {
				return nil
			}
		}
		t.facts.Text = ""
		s.statements = append(s.statements, t)
	}
	return s
}

// text returns where the statement stands in sql: between its neighbours'
// semicolons, without the white space at its ends.
func (t *shapeStatement) text(sql string, spans []int32) (start int, text string) {
	end := len(sql)
	if t.from > 0 {
		start = int(spans[t.from*2-1])
	}
	if t.to*2 < len(spans) {
		end = int(spans[t.to*2])
	}
	text = strings.TrimRight(sql[start:end], spaces)
	trimmed := strings.TrimLeft(text, spaces)
	return start + len(text) - len(trimmed), trimmed
}

// find returns the token of the literal limit: the one that SetLimit replaces. It
// learns the recipe as well, so that a limit above the cap is proved once.
func (t *shapeStatement) find(sql string, spans []int32, r *Rewriter, st Statement) int {
	rows := st.Limit.Rows - 1
	edits, err := r.dialect.SetLimit(st, rows)
	if err != nil {
		return -1
	}
	t.learnRecipe(spans, st.Pos, edits, rows)
	for _, e := range edits {
		if text := st.Text[e.Start:e.End]; text == strconv.FormatUint(st.Limit.Rows, 10) {
			if i := t.at(spans, st.Pos+e.Start, false); i >= 0 && int(spans[i*2+1]) == st.Pos+e.End {
				return i
			}
		}
	}
	return -1
}

// only returns the one token that is the number n, -1 if there is none or more.
func (t *shapeStatement) only(sql string, spans []int32, n uint64) int {
	found := -1
	for i, number := t.from, strconv.FormatUint(n, 10); i < t.to; i++ {
		if sql[spans[i*2]:spans[i*2+1]] == number {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// at returns the token that starts, or ends, at an offset, or -1.
func (t *shapeStatement) at(spans []int32, offset int, end bool) int {
	side := 0
	if end {
		side = 1
	}
	for i := t.from; i < t.to; i++ {
		if int(spans[i*2+side]) == offset {
			return i
		}
	}
	return -1
}

// statements makes the script's statements.
func (by shaped) statements() []Statement {
	out := make([]Statement, len(by.shape.statements))
	for i := range out {
		t := &by.shape.statements[i]
		st := &out[i]
		*st = t.facts
		st.Pos, st.Text = t.text(by.sql, by.spans)
		st.Limit.Rows = by.number(t.limit, st.Limit.Rows)
		st.Limit.Offset = by.number(t.offset, st.Limit.Offset)
	}
	return out
}

// number reads a token, which has few digits.
func (by shaped) number(token int, otherwise uint64) uint64 {
	if token < 0 {
		return otherwise
	}
	n, err := strconv.ParseUint(by.sql[by.spans[token*2]:by.spans[token*2+1]], 10, 64)
	if err != nil {
		return otherwise
	}
	return n
}

// setLimit writes a limit into the script's statement i by its recipe, which is
// learnt if need be.
func (by shaped) setLimit(d Dialect, i int, st Statement, rows uint64) ([]Edit, error) {
	t := &by.shape.statements[i]
	if known := t.recipe.Load(); known != nil {
		return known.edits(by.spans, st.Pos, rows), nil
	}
	edits, err := d.SetLimit(st, rows)
	if err != nil {
		return nil, err
	}
	t.learnRecipe(by.spans, st.Pos, edits, rows)
	return edits, nil
}

// learnRecipe keeps what edits tell, if it holds for all of the shape.
func (t *shapeStatement) learnRecipe(spans []int32, pos int, edits []Edit, rows uint64) {
	if learnt, ok := t.recipeOf(spans, pos, edits, rows); ok {
		t.recipe.CompareAndSwap(nil, learnt)
	}
}

// recipeOf turns the edits of one statement into a recipe for all of its shape.
func (t *shapeStatement) recipeOf(spans []int32, pos int, edits []Edit, rows uint64) (*recipe, bool) {
	r := new(recipe)
	number, numbered := strconv.FormatUint(rows, 10), false
	for _, e := range edits {
		var s step
		var ok bool
		if s.start, s.end, ok = t.places(spans, pos+e.Start, pos+e.End); !ok {
			return nil, false
		}
		s.before, s.after, s.numbered = strings.Cut(e.Text, number)
		if strings.ContainsAny(s.before, "0123456789") || strings.ContainsAny(s.after, "0123456789") {
			return nil, false
		}
		r.steps = append(r.steps, s)
		numbered = numbered || s.numbered
	}
	// Without a number the statement's own limit happened to be rows.
	return r, numbered
}

// places finds the tokens at which an edit's range begins and ends.
func (t *shapeStatement) places(spans []int32, start, end int) (from, to place, ok bool) {
	if start == end {
		p := place{token: t.at(spans, start, true), end: true}
		if p.token < 0 {
			p = place{token: t.at(spans, start, false)}
		}
		return p, p, p.token >= 0
	}
	from, to = place{token: t.at(spans, start, false)}, place{token: t.at(spans, end, true), end: true}
	return from, to, from.token >= 0 && to.token >= 0
}

// edits follows the recipe.
func (r *recipe) edits(spans []int32, pos int, rows uint64) []Edit {
	out := make([]Edit, len(r.steps))
	for i, s := range r.steps {
		out[i] = Edit{Start: s.start.offset(spans) - pos, End: s.end.offset(spans) - pos, Text: s.text(rows)}
	}
	return out
}

func (s step) text(rows uint64) string {
	if !s.numbered {
		return s.before
	}
	var number [20]byte
	return s.before + string(strconv.AppendUint(number[:0], rows, 10)) + s.after
}

func (p place) offset(spans []int32) int {
	if p.end {
		return int(spans[p.token*2+1])
	}
	return int(spans[p.token*2])
}
