package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// tablesOf prints the tables of a text, each as it stands there.
func tablesOf(sql string, r rewrite.Reads) string {
	var all []string
	for _, t := range r.Tables {
		name := sql[t.Start:t.End]
		if t.Alias != "" {
			name += " " + t.Alias
		}
		if !t.Plain {
			name += "!"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestReads(t *testing.T) {
	for _, c := range []struct {
		dialect, sql, tables, used, with string
		implicit                         bool
		shown                            string
	}{
		{dialect: "postgres", sql: "SELECT a, b AS c, upper(d) FROM t", tables: "t", used: "d", shown: "a: b:c :"},
		{dialect: "postgres", sql: `SELECT x.* FROM "S"."T" AS x JOIN db.s.u USING (k) WHERE x.id = 1`, tables: `"S"."T" x, db.s.u`, used: "id k", implicit: true, shown: "*"},
		{dialect: "postgres", sql: "WITH w AS (SELECT a FROM t) SELECT b FROM w, ONLY o TABLESAMPLE SYSTEM (1)", tables: "o!, t, w", with: "w", shown: "b:"},
		{dialect: "postgres", sql: "SELECT u FROM users u", tables: "users u", used: "", implicit: true, shown: "u:"},
		{dialect: "postgres", sql: "SELECT c FROM users u(a, b, c)", tables: "users u", implicit: true, shown: "c:"},
		{dialect: "postgres", sql: "SELECT a FROM t NATURAL JOIN u", tables: "t, u", implicit: true, shown: "a:"},
		{dialect: "postgres", sql: "SELECT count(*) FROM t GROUP BY a ORDER BY b", tables: "t", used: "a b", shown: ":"},
		{dialect: "postgres", sql: "TABLE t", tables: "t", implicit: true, shown: "*"},
		{dialect: "postgres", sql: "EXPLAIN SELECT a FROM t WHERE (r).f = 1", tables: "t", used: "f r"},
		{dialect: "postgres", sql: "SELECT a FROM t UNION SELECT b FROM u ORDER BY a", tables: "t, u", used: "a", shown: "a:"},
		{dialect: "mysql", sql: "SELECT a, b AS c, upper(d) FROM t", tables: "t", used: "d", shown: "a: b:c :"},
		{dialect: "mysql", sql: "SELECT t.*, `T`.a FROM s.`t` JOIN u USING (k) WHERE t.id = 1", tables: "s.`t`, u", used: "id k", implicit: true, shown: "* a:"},
		{dialect: "mysql", sql: "SELECT t.a FROM t AS t", tables: "t t", shown: "a:"},
		{dialect: "mysql", sql: "SELECT t.t FROM t", tables: "t!", shown: "t:"},
		{dialect: "mysql", sql: "SELECT a FROM t AS `x` USE INDEX (i), u PARTITION (p)", tables: "t x!, u!", shown: "a:"},
		{dialect: "mysql", sql: "WITH w AS (SELECT a FROM t) SELECT b FROM w", tables: "t, w!", with: "w", shown: "b:"},
		{dialect: "mysql", sql: "SELECT a FROM /*!40000 t */ WHERE b = 1", tables: "t", used: "b", shown: "a:"},
		{dialect: "mysql", sql: "SELECT 't' FROM`t`WHERE b", tables: "`t`", used: "b", shown: ":"},
		{dialect: "mysql", sql: "SELECT \u00e4 FROM t", tables: "t", implicit: true, shown: "\u00e4:"},
		{dialect: "mysql", sql: "EXPLAIN SELECT a FROM status WHERE status.b = 1", tables: "status", used: "b"},
		{dialect: "mysql", sql: "DESCRIBE t"},
		{dialect: "mysql", sql: "SHOW TABLES WHERE a = (SELECT b FROM t)", tables: "t", used: "a"},
		{dialect: "mariadb", sql: "(SELECT a FROM t) UNION (SELECT b FROM u) ORDER BY 1", tables: "t, u", shown: "a:"},
		{dialect: "mariadb", sql: "DELETE FROM t WHERE a IN (SELECT b FROM u)", tables: "t, u", used: "a"},
	} {
		d, err := Lookup(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Reads(d, c.sql)
		if err != nil {
			t.Errorf("%s: %s: %v", c.dialect, c.sql, err)
			continue
		}
		shown := ""
		for _, item := range r.Shown {
			if item.Star {
				shown += "* "
			} else {
				shown += item.Column + ":" + item.Name + " "
			}
		}
		got := fmt.Sprintf("%s | %s | %s | %v | %s", tablesOf(c.sql, r), strings.Join(slices.Sorted(maps.Keys(r.Used)), " "), strings.Join(r.With, " "), r.Implicit, strings.TrimSpace(shown))
		if want := fmt.Sprintf("%s | %s | %s | %v | %s", c.tables, c.used, c.with, c.implicit, c.shown); got != want {
			t.Errorf("%s: %s:\n got %s\nwant %s", c.dialect, c.sql, got, want)
		}
	}
	for _, c := range [][2]string{
		{"postgres", "SELEC 1"}, {"postgres", "SELECT 1; SELECT 2"}, {"postgres", "SELECT '\x00'"},
		{"mysql", "SELECT 'f"}, {"mysql", "SELECT 1; SELECT 2"}, {"mysql", "SHOW PROCESSLIST"}, {"mysql", "SELECT a FROM t PROCEDURE ANALYSE()"},
	} {
		d, err := Lookup(c[0])
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Reads(d, c[1]); err == nil {
			t.Errorf("%s: %+v and no error", c[1], r)
		}
	}
}
