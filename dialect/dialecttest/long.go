package dialecttest

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// LongWrites checks writes of more than atLeast bytes, from which on d classes a write by
// its first word: they are the statements that they would be if they were short, and
// none behind them is overlooked.
func LongWrites(t *testing.T, d rewrite.Dialect, atLeast int) {
	rows := strings.Repeat("(1,'x'),", atLeast/8) + "(1,'x')"
	for _, c := range []struct {
		sql  string
		kind rewrite.Kind
		n    int    // statements
		text string // of the first one, sql if empty
	}{
		{"INSERT INTO t VALUES " + rows, rewrite.KindInsert, 1, ""},
		{" /* all */ insert into t values " + rows + " RETURNING a ;\n", rewrite.KindInsert, 1, "/* all */ insert into t values " + rows + " RETURNING a"},
		{"DELETE FROM t WHERE (a,b) IN (" + rows + ")", rewrite.KindDelete, 1, ""},
		{"UPDATE t SET a = 1 WHERE (a,b) IN (" + rows + ")", rewrite.KindUpdate, 1, ""},
		{"INSERT INTO t VALUES " + rows + "; SELECT 1", rewrite.KindInsert, 2, "INSERT INTO t VALUES " + rows},
		{"INSERT INTO t VALUES " + rows + ", (';','y')", rewrite.KindInsert, 1, ""},
		{"VALUES " + rows, rewrite.KindSelect, 1, ""},
	} {
		got, err := d.Parse(c.sql)
		if err != nil || len(got) != c.n || got[0].Kind != c.kind {
			t.Errorf("%.40s…: %d statements, %v", c.sql, len(got), err)
			continue
		}
		if c.text == "" {
			c.text = c.sql
		}
		if got[0].Text != c.text || c.sql[got[0].Pos:got[0].Pos+len(c.text)] != c.text {
			t.Errorf("%.40s… stands at %d and has %d bytes, want %d", c.sql, got[0].Pos, len(got[0].Text), len(c.text))
		}
	}
}
