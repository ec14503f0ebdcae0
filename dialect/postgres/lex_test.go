package postgres

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// TestTokens holds the tokens that other packages see to those of PostgreSQL's own
// scanner.
func TestTokens(t *testing.T) {
	d := Dialect{}
	compared := 0
	for _, sql := range corpus(t) {
		want, err := scan(sql)
		if err != nil || strings.IndexByte(sql, 0) >= 0 {
			continue
		}
		compared++
		i, until := 0, 0
		for token := range d.Tokens(sql) {
			if token.Start < until { // a string that goes on in another line is one to the scanner
				continue
			}
			if i < len(want) && token.Kind == rewrite.TokenQuoted && int(want[i].start) == token.Start {
				until = int(want[i].end)
				token.End = until
			}
			if i >= len(want) || int(want[i].start) != token.Start || int(want[i].end) != token.End {
				t.Errorf("%q: token %d is %q", sql, i, sql[token.Start:token.End])
				break
			}
			if comment := want[i].comment(sql); comment != (token.Kind == rewrite.TokenComment) || token.Kind == rewrite.TokenBroken {
				t.Errorf("%q: token %d, %q, is of kind %d", sql, i, sql[token.Start:token.End], token.Kind)
			}
			i++
		}
		if !t.Failed() && i != len(want) {
			t.Errorf("%q: %d tokens, and the scanner has %d", sql, i, len(want))
		}
	}
	if compared < 300 {
		t.Errorf("%d texts only", compared)
	}
}

// TestTokenKinds has what scanners of several versions read in different ways, and what
// is not SQL.
func TestTokenKinds(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{`SELECT 'it''s' -- c`, "w SELECT|q 'it''s'|c -- c"},
		{"SELECT /* a /* b */ */ 1", "w SELECT|c /* a /* b */ */|n 1"},
		{`SELECT E'a\'b', U&'x', N'y', b'1', "a""b", U&"c"`, `w SELECT|q E'a\'b'|o ,|q U&'x'|o ,|q N'y'|o ,|q b'1'|o ,|q "a""b"|o ,|q U&"c"`},
		{"SELECT $1, $$a;b$$, $x$ $$ $x$", "w SELECT|p $1|o ,|q $$a;b$$|o ,|q $x$ $$ $x$"},
		{"SELECT 1_000, 0x1F, 1.5e3, .5", "w SELECT|n 1_000|o ,|n 0x1F|o ,|n 1.5e3|o ,|n .5"},
		{`SELECT 1 \gx`, `w SELECT|n 1|o \|w gx`},
		{"a::int[1:2] := b", "w a|o ::|w int|o [|n 1|o :|n 2|o ]|o :=|w b"},
		{"SELECT 'open", "w SELECT|b 'open"},
		{"SELECT /* open", "w SELECT|b /* open"},
		{"SELECT $x$ open", "w SELECT|b $x$ open"},
		{`SELECT "open`, `w SELECT|b "open`},
		{"SELECT ${x}", "w SELECT|o $|o {|w x|o }"},
		{"SELECT E'a'\n 'b\\'c' 'd\\'", `w SELECT|q E'a'|q 'b\'c'|q 'd\'`},
		{`SELECT ""`, `w SELECT|q ""`},
		{"", ""},
	} {
		var parts []string
		for token := range (Dialect{}).Tokens(c.sql) {
			parts = append(parts, string("cwqnpob"[token.Kind])+" "+c.sql[token.Start:token.End])
		}
		if got := strings.Join(parts, "|"); got != c.want {
			t.Errorf("%q: %s", c.sql, got)
		}
	}
}

// TestInspectHostile looks at texts that are hard on parsers.
func TestInspectHostile(t *testing.T) {
	for _, sql := range []string{"", ";", "SELECT", "SELECT 1; SELECT 2", "SELECT 1+" + strings.Repeat("1+", 40_000) + "1", strings.Repeat("(", 5_000),
		"SELECT \x00", strings.Repeat("SELECT (", 500) + "1" + strings.Repeat(")", 500), "SELECT '" + strings.Repeat("x", 1<<20)} {
		d := Dialect{}
		for _, p := range d.Inspect(sql).Parts {
			if p.Start < 0 || p.Start > p.End || p.End > len(sql) {
				t.Errorf("%.40q: a part at %d to %d of %d", sql, p.Start, p.End, len(sql))
			}
		}
	}
}
