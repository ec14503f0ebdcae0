package mysqlerror

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// limited is an edit that puts a limit behind the first part of text, which it returns
// without the mark |.
func limited(text string) (string, []rewrite.Edit) {
	at := strings.Index(text, "|")
	return text[:at] + text[at+1:], []rewrite.Edit{{Start: at, End: at, Text: " LIMIT 101"}}
}

// TestOriginal has quotes of which the place can be told, and such of which it cannot.
// TestSyntaxErrors of proxy/mysqlwire has the servers' own.
func TestOriginal(t *testing.T) {
	const prefix = "You have an error in your SQL syntax; check the manual for the right syntax to use near '"
	y := strings.Repeat("y", 80)
	long := "SELECT a FROM t WHERE b = '" + strings.Repeat("a", 90) + "' AND c = 1 AND d = 'x'"
	for _, test := range []struct{ text, near, want string }{
		{"SELECT a FROM t WHERE b = 1|", "b = 1 LIMIT 101", "b = 1"},
		{"SELECT a FROM t WHERE b = 1|", "LIMIT 101", ""},
		{"SELECT a FROM t WHERE b = 1| ; ", "b = 1 LIMIT 101", "b = 1"},
		{"SELECT a FROM t| # why\n-- so\n/* it */ FOR UPDATE", "LIMIT 101 # why\n-- so\n/* it */ FOR UPDATE", "FOR UPDATE"},
		{"SELECT a FROM t| /*!50000 x */", "LIMIT 101 /*!50000 x */", "/*!50000 x */"},
		{"SELECT a FROM t| --", "LIMIT 101 --", ""},
		{"SELECT a FROM t WHERE b = 1|", "something else", "something else"},
		{long + "|", long[20:100], long[20:100]},
		{long + "|", (long + " LIMIT 101")[len(long)-70 : len(long)+10], long[len(long)-70:]},
		// It may be from either of two places, which would read differently.
		{"x LIMIT 101;" + y + "; SELECT z|;" + y, "LIMIT 101;" + y[:70], "LIMIT 101;" + y[:70]},
	} {
		text, edits := limited(test.text)
		got := Original(prefix+test.near+"' at line 1", rewrite.ApplyEdits(text, edits), text, edits, false)
		got, _, found := strings.Cut(strings.TrimPrefix(got, prefix), "' at line ")
		if !found || got != test.want {
			t.Errorf("%q near %q: %q, want %q", text, test.near, got, test.want)
		}
	}
	text, edits := limited("SELECT a FROM t| -- one\n -- two\n; SELECT 2")
	if got := Original("near: x near 'LIMIT 101 -- one\n -- two\n; SELECT 2' at line 4", rewrite.ApplyEdits(text, edits), text, edits, true); got != "near: x near '; SELECT 2' at line 6" {
		t.Errorf("got %q", got)
	}
	for _, message := range []string{"", "near", " near '", "' at line 1", "' at line 1 near '", "x near 'LIMIT 101"} {
		if got := Original(message, "SELECT 1 LIMIT 101", "SELECT 1", nil, true); got != message {
			t.Errorf("%q became %q", message, got)
		}
	}
}
