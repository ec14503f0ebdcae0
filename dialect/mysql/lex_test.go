package mysql

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// lines returns the statements of the package's test data.
func lines(t *testing.T) (texts []string) {
	t.Helper()
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), err)
	}
	for _, file := range append(files, "testdata/forms.txt") {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(string(content), "\n") {
			texts = append(texts, strings.ReplaceAll(line, "⏎", "\n"))
		}
	}
	return texts
}

// TestTokens holds the tokens that other packages see to those by which scripts are
// cut.
func TestTokens(t *testing.T) {
	compared, comments := 0, 0
	for _, name := range []rewrite.Dialect{New(), NewMariaDB()} {
		d := name.(dialect)
		for _, sql := range lines(t) {
			var want []token
			l := lexer{settings: d.settings, text: sql}
			for tok, ok := l.next(); ok; tok, ok = l.next() {
				want = append(want, tok)
			}
			i, last, broken := 0, 0, false
			for tok := range d.Tokens(sql) {
				if tok.Start < last || tok.End < tok.Start || tok.End > len(sql) {
					t.Fatalf("%q: a token at %d to %d", sql, tok.Start, tok.End)
				}
				last = tok.End
				switch tok.Kind {
				case rewrite.TokenBroken:
					broken = true
				case rewrite.TokenComment:
					comments++
					if text := sql[tok.Start:tok.End]; !strings.HasPrefix(text, "--") && text[0] != '#' && !strings.HasPrefix(text, "/*") {
						t.Errorf("%q: the comment %q", sql, text)
					}
				default:
					if i >= len(want) || int(want[i].start) != tok.Start || int(want[i].end) != tok.End {
						t.Fatalf("%q: token %d is %q", sql, i, sql[tok.Start:tok.End])
					}
					i++
				}
			}
			compared += i
			if i != len(want) || broken != (l.fault != "") {
				t.Errorf("%q: %d tokens of %d, broken %v: %s", sql, i, len(want), broken, l.fault)
			}
		}
	}
	if compared < 3000 || comments < 50 {
		t.Errorf("%d tokens and %d comments only", compared, comments)
	}
}

// TestTokenKinds has comments of all kinds, and what has no end.
func TestTokenKinds(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"SELECT 1 -- c\n, 2 # d", "w SELECT|n 1|c -- c|o ,|n 2|c # d"},
		{"/*!50000 SELECT */ 1 /* x */", "w SELECT|n 1|c /* x */"},
		{"SELECT /*!99999 x */ 1", "w SELECT|c /*!99999 x */|n 1"},
		{"SELECT 1 /*!50000 + 1 /* in */ */", "w SELECT|n 1|o +|n 1|c /* in */"},
		{"SELECT `a`, \"b\", ?, @x", "w SELECT|q `a`|o ,|q \"b\"|o ,|p ?|o ,|w @x"},
		{"SELECT 'open", "w SELECT|b 'open"},
		{"SELECT /* open", "w SELECT|b /* open"},
		{"SELECT 1--1", "w SELECT|n 1|o -|o -|n 1"},
	} {
		var parts []string
		for tok := range New().(dialect).Tokens(c.sql) {
			parts = append(parts, string("cwqnpob"[tok.Kind])+" "+c.sql[tok.Start:tok.End])
		}
		if got := strings.Join(parts, "|"); got != c.want {
			t.Errorf("%q: %s", c.sql, got)
		}
	}
}

// TestInspectHostile looks at texts that are hard on parsers.
func TestInspectHostile(t *testing.T) {
	for _, sql := range append(lines(t), "", ";", "SELECT", "SELECT 1; SELECT 2", "SELECT 1+"+strings.Repeat("1+", 40_000)+"1", strings.Repeat("(", 5_000),
		"SELECT \x00", strings.Repeat("SELECT (", 500)+"1"+strings.Repeat(")", 500), "SELECT '"+strings.Repeat("x", 1<<20), "SELECT a FROM t LIMIT", "DELETE FROM t LIMIT") {
		for _, name := range []rewrite.Dialect{New(), NewMariaDB()} {
			a := name.(dialect).Inspect(sql)
			for _, p := range a.Parts {
				if p.Start < 0 || p.Start > p.End || p.End > len(sql) {
					t.Errorf("%.40q: a part at %d to %d of %d", sql, p.Start, p.End, len(sql))
				}
			}
			if a.Err != nil && (a.Err.Offset < -1 || a.Err.Offset > len(sql)) {
				t.Errorf("%.40q: an error at %d", sql, a.Err.Offset)
			}
		}
	}
}
