package fuzz

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// FuzzTokens reads any text with each dialect's lexer and its parser. Tokens stand in
// order, have white space between them at most and are the same every time; one that has no
// end reaches to the end of the text. The parser's statements begin and end at tokens;
// between them are semicolons and comments alone; a query holds no semicolon; and a shape has
// the lexer's tokens.
func FuzzTokens(f *testing.F) {
	names := []string{"postgres", "mysql", "mariadb"}
	for i, name := range names {
		for k, sql := range cases(f, name) {
			f.Add(sql, uint8(i), uint8(k))
		}
	}
	f.Fuzz(func(t *testing.T, text string, which, session uint8) {
		if len(text) > longest {
			return
		}
		d := sessionOf(t, names[int(which)%len(names)], session)
		tokens, broken := tokensOf(t, d, text)
		if broken {
			return
		}
		checkShaped(t, d, text, tokens)
		statements, err := d.Parse(text)
		if err != nil {
			return
		}
		checkBoundaries(t, d, text, tokens, statements)
	})
}

// empty reports what may stand between two tokens: white space, and in MySQL's grammar
// the marks around what a server reads of an executable comment.
func empty(d rewrite.Dialect, gap string) bool {
	for {
		gap = strings.TrimLeft(gap, " \t\n\r\f\v")
		if gap == "" || d.Name() == "postgres" {
			return gap == ""
		}
		rest, ok := strings.CutPrefix(gap, "*/")
		if !ok {
			if rest, ok = strings.CutPrefix(gap, "/*!"); !ok {
				rest, ok = strings.CutPrefix(gap, "/*M!")
			}
			rest = strings.TrimLeft(rest, "0123456789")
		}
		if !ok {
			return false
		}
		gap = rest
	}
}

func tokensOf(t *testing.T, d rewrite.Tokenizer, text string) (tokens []rewrite.Token, broken bool) {
	last := 0
	for token := range d.Tokens(text) {
		if token.Start < last || token.End <= token.Start || token.End > len(text) {
			t.Fatalf("%q: a token at [%d, %d) behind %d", text, token.Start, token.End, last)
		}
		if gap := text[last:token.Start]; !empty(d, gap) {
			t.Fatalf("%q: %q is in no token", text, gap)
		}
		if broken {
			t.Fatalf("%q: a token behind one that has no end", text)
		}
		if broken = token.Kind == rewrite.TokenBroken; broken && token.End != len(text) {
			t.Fatalf("%q: what has no end ends at %d", text, token.End)
		}
		last = token.End
		tokens = append(tokens, token)
	}
	if !broken && !empty(d, text[last:]) {
		t.Fatalf("%q: %q is in no token", text, text[last:])
	}
	i := 0
	for token := range d.Tokens(text) {
		if i >= len(tokens) || tokens[i] != token {
			t.Fatalf("%q: token %d is another one the second time", text, i)
		}
		i++
	}
	return tokens, broken
}

// checkShaped compares a shape's tokens with the lexer's. Texts in quotes that go on in
// another line are one token there.
func checkShaped(t *testing.T, d rewrite.Shaper, text string, tokens []rewrite.Token) {
	_, spans, ok := d.Shape(text, nil, nil)
	if !ok {
		return
	}
	starts, ends := map[int]bool{}, map[int]bool{}
	for _, token := range tokens {
		starts[token.Start], ends[token.End] = true, true
	}
	covered := 0
	for i := 0; i < len(spans); i += 2 {
		from, to := int(spans[i]), int(spans[i+1])
		if !starts[from] || !ends[to] {
			t.Fatalf("%q: the shape has the token %q", text, text[from:to])
		}
		for covered < len(tokens) && tokens[covered].End <= to {
			if token := tokens[covered]; token.Start < from && token.Kind != rewrite.TokenComment {
				t.Fatalf("%q: the shape has not the token %q", text, text[token.Start:token.End])
			}
			covered++
		}
	}
	for _, token := range tokens[covered:] {
		if token.Kind != rewrite.TokenComment {
			t.Fatalf("%q: the shape has not the token %q", text, text[token.Start:token.End])
		}
	}
}

// checkBoundaries compares a parser's statements with the lexer's tokens.
func checkBoundaries(t *testing.T, d rewrite.Dialect, text string, tokens []rewrite.Token, statements []rewrite.Statement) {
	i := 0
	between := func(until int) {
		for ; i < len(tokens) && tokens[i].Start < until; i++ {
			if piece := text[tokens[i].Start:tokens[i].End]; tokens[i].Kind != rewrite.TokenComment && piece != ";" {
				t.Fatalf("%q: %q is in no statement", text, piece)
			}
		}
	}
	for _, st := range statements {
		between(st.Pos)
		end := st.Pos + len(st.Text)
		if i >= len(tokens) || !empty(d, text[st.Pos:tokens[i].Start]) || tokens[i].Start > st.Pos && text[st.Pos] != '/' {
			t.Fatalf("%q: no token begins where %q does", text, st.Text)
		}
		for ; i < len(tokens) && tokens[i].Start < end; i++ {
			if tokens[i].End > end {
				t.Fatalf("%q: %q ends within %q", text, st.Text, text[tokens[i].Start:tokens[i].End])
			}
			if st.Kind == rewrite.KindSelect && text[tokens[i].Start:tokens[i].End] == ";" {
				t.Fatalf("%q: the query %q holds a semicolon", text, st.Text)
			}
		}
		if !empty(d, text[tokens[i-1].End:end]) {
			t.Fatalf("%q: no token ends where %q does", text, st.Text)
		}
	}
	between(len(text))
}
