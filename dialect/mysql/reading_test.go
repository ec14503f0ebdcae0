package mysql

import (
	"strings"
	"testing"
)

// TestRead checks what the parsers are given, and where the question marks stand in it.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		session uint8
		sql     string
		want    string
	}{
		{0, "SELECT a,b FROM t", "SELECT a,b FROM t"},
		{0, "SELECT  a , b/* c */FROM\tt -- end", "SELECT a , b FROM t"},
		{0, "SELECT a-- c\n-b", "SELECT a -b"},
		{0, "SELECT a--b", "SELECT a- -b"},
		{0, "SELECT 1.FROM t WHERE b=2. AND a = ?", "SELECT 1.0FROM t WHERE b=2.0 AND a = ?"},
		{0, "SELECT /*! a, */ b", "SELECT a, b"},
		{0, "SELECT ?,? FROM t LIMIT ?", "SELECT ?,? FROM t LIMIT ?"},
		{8, "SELECT '\xe9\xe8', ? , 2.", "SELECT 'éè', ? , 2.0"},
		{1, "SELECT a FROM t WHERE b = ? OFFSET ? ROWS FETCH NEXT ? ROWS ONLY", "SELECT a FROM t WHERE b = ? LIMIT ? , ?"},
		{1, "SELECT a FROM t ORDER BY a FETCH FIRST ROW ONLY FOR UPDATE", "SELECT a FROM t ORDER BY a LIMIT 1 FOR UPDATE"},
		{1, "VALUES (1),(2) LIMIT 3", "VALUES ROW (1), ROW(2) LIMIT 3"},
	} {
		d := sessionOf(c.session)
		s := split(c.sql, &d.settings)[0]
		r := s.read(s.findClause(), false)
		if got := strings.Join(strings.Fields(r.text), " "); got != c.want {
			t.Errorf("%q is read as %q, want %q", c.sql, got, c.want)
		}
		if len(r.params) != strings.Count(c.want, "?") {
			t.Errorf("%q has the parameters %v", c.sql, r.params)
		}
		for i, p := range r.params {
			if r.text[p.offset] != '?' || p.number != i+1 {
				t.Errorf("%q has the parameters %v in %q", c.sql, r.params, r.text)
			}
		}
	}
}
