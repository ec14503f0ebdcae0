package dialect

import (
	"slices"
	"testing"
)

func TestFunctions(t *testing.T) {
	for _, c := range []struct {
		dialect, setting, value, sql string
		want                         []string
	}{
		{dialect: "postgres", sql: "SELECT a, b.c FROM t b"},
		{dialect: "postgres", sql: "SELECT 'f(1)' AS \"g(\", a /* h(2) */ FROM t"},
		{dialect: "postgres", sql: `SELECT Lower(x), pg_catalog.UPPER(y), "Odd"(1) FROM f(1), LATERAL (SELECT lower(g())) s`,
			want: []string{"Odd", "f", "g", "lower", "upper"}},
		{dialect: "postgres", sql: "SELECT ('s'::regclass).nextval, r.pg_read_file FROM text('PG_VERSION') r, (SELECT (x.y).z[1].w) q",
			want: []string{"nextval", "pg_read_file", "text", "w", "z"}},
		{dialect: "postgres", sql: "SELECT text.nextval, t.lo_price FROM text('s'), lineorder t", want: []string{"nextval", "text"}},
		{dialect: "postgres", sql: `EXPLAIN ANALYZE SELECT U&"\0070g_sleep"(1)`, want: []string{"pg_sleep"}},
		{dialect: "postgres", setting: "standard_conforming_strings", value: "off", sql: `SELECT 'it\'s f(1)', g(2)`, want: []string{"g"}},
		{dialect: "mysql", sql: "SELECT a, b.c FROM t b"},
		{dialect: "mysql", sql: "SELECT 'f(1)', `a` /* h(2) */ FROM t -- i(3)"},
		{dialect: "mysql", sql: "SELECT Load_File ('x'), `sleep`(1) FROM t WHERE a IN (1)", want: []string{"in", "load_file", "sleep"}},
		{dialect: "mysql", sql: "SELECT /*!40000 load_file( */ /*!40000 'x') */", want: []string{"load_file"}},
		{dialect: "mysql", sql: "SHOW TABLES WHERE load_file('x') = 1", want: []string{"load_file"}},
		{dialect: "mysql", sql: `EXPLAIN ANALYZE SELECT "f"("g")`},
		{dialect: "mysql", setting: "sql_mode", value: "ANSI_QUOTES", sql: `SELECT "f"("g")`, want: []string{"f"}},
		{dialect: "mysql", sql: "INSERT INTO t VALUES (1, 2, 3), (4, 5, 6), (7, 8, 9), (10, 11, /*!40000 load_file('x') */)", want: []string{"load_file", "values"}},
		{dialect: "mariadb", sql: "SELECT /*M!100000 load_file('x') */ 1", want: []string{"load_file"}},
	} {
		d, err := Lookup(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if c.setting != "" {
			d = d.With(c.setting, c.value)
		}
		got, err := Functions(d, c.sql)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %s: %q, %v; want %q", c.dialect, c.sql, got, err, c.want)
		}
	}
	for name, sql := range map[string]string{"postgres": "SELEC f(1)", "mysql": "SELECT 'f(1)"} {
		d, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Functions(d, sql); err == nil {
			t.Errorf("%s: %s: %q and no error", name, sql, got)
		}
	}
}
