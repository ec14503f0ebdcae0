package mysql

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

func TestLongWrites(t *testing.T) {
	rows := strings.Repeat("(1,'x'),", longWrite/8) + "(1,'x')"
	for _, c := range []struct {
		sql  string
		kind rewrite.Kind
		n    int // statements
		text string
	}{
		{"INSERT INTO t VALUES " + rows, rewrite.KindInsert, 1, ""},
		{" /* all */ insert into t values " + rows + " RETURNING a ;\n", rewrite.KindInsert, 1, "/* all */ insert into t values " + rows + " RETURNING a"},
		{"DELETE FROM t WHERE (a,b) IN (" + rows + ")", rewrite.KindDelete, 1, ""},
		{"UPDATE t SET a = 1 WHERE (a,b) IN (" + rows + ")", rewrite.KindUpdate, 1, ""},
		{"INSERT INTO t VALUES " + rows + "; SELECT 1", rewrite.KindInsert, 2, "INSERT INTO t VALUES " + rows},
		{"VALUES " + rows, rewrite.KindSelect, 1, ""},
	} {
		got, err := NewMariaDB().Parse(c.sql)
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
		if c.n == 1 && !got[0].ReturnsRows {
			t.Errorf("%.40s… is said to return no rows", c.sql)
		}
	}
}
