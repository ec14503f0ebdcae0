package sqlgen

import (
	"math/bits"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// Statements returns a generator of statements for t.
func Statements(t Target) *rapid.Generator[Statement] {
	classes := t.Classes()
	return rapid.Custom(func(r *rapid.T) Statement {
		g := &gen{Target: t, r: r}
		var weights []int
		for _, c := range classes {
			weights = append(weights, c.Weight)
		}
		return g.draw(classes[g.weigh(weights...)].Class)
	})
}

// gen draws one statement. It appends to tokens, and notes in st what is known of the
// statement.
type gen struct {
	Target
	r      *rapid.T
	tokens []Token
	st     Statement
	names  int // that were made up
	ctes   []relation
	deep   int // how deep subqueries are nested

}

// draw draws a statement of class c.
func (g *gen) draw(c Class) Statement {
	g.st = Statement{Class: c, Settled: true}
	g.tokens, g.names, g.ctes, g.deep = nil, 0, nil, 0
	switch c {
	case ClassSelect, ClassSetOperation, ClassWith, ClassValues, ClassLocking:
		g.top(c)
	case ClassScript:
		return g.script()
	default:
		g.special(c)
	}
	g.numberParams()
	g.st.Tokens = g.tokens
	return g.decorate(g.st)
}

// upTo draws a number from 0 to n-1, each as likely as any other. Small ones are
// simple ones.
func (g *gen) upTo(n int) int {
	if n <= 1 {
		return 0
	}
	const more = 3
	width := bits.Len(uint(n-1)) + more
	u := 0
	for range width {
		u <<= 1
		if coin.Draw(g.r, "") {
			u |= 1
		}
	}
	return u * n >> width
}

var coin = rapid.Bool()

// chance is true in p of 100 draws. False is the simple outcome.
func (g *gen) chance(p int) bool { return g.upTo(100) >= 100-p }

// weigh draws an index by weight.
func (g *gen) weigh(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := g.upTo(total)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	return 0
}

// pick draws one of several texts.
func (g *gen) pick(texts ...string) string { return texts[g.upTo(len(texts))] }

// put appends the tokens of text, which are apart by blanks. A tilde glues a token to
// the one before.
func (g *gen) put(text string) {
	for _, word := range strings.Fields(text) {
		t := Token{Text: word}
		if word[0] == '~' {
			t.Text, t.Glued = word[1:], true
		}
		g.tokens = append(g.tokens, t)
	}
}

// word appends one token.
func (g *gen) word(text string) { g.tokens = append(g.tokens, Token{Text: text}) }

// number appends a plain number.
func (g *gen) number(n int) {
	g.tokens = append(g.tokens, Token{Text: strconv.Itoa(n), Free: n > 1 && n < 1e9})
}

// list appends n items with commas between them.
func (g *gen) list(n int, item func(i int)) {
	for i := range n {
		if i > 0 {
			g.put(",")
		}
		item(i)
	}
}

// brackets appends what inner appends, in brackets.
func (g *gen) brackets(inner func()) {
	g.put("(")
	inner()
	g.put(")")
}

// call appends a function call.
func (g *gen) call(name string, args ...func()) {
	g.put(name + " ~(")
	g.list(len(args), func(i int) { args[i]() })
	g.put(")")
}

// fresh makes up a name.
func (g *gen) fresh(prefix string) string {
	g.names++
	return prefix + strconv.Itoa(g.names)
}
