package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

const serverSetup = `
CREATE TABLE t (a int PRIMARY KEY, b text, "limit" int, "offset" int);
INSERT INTO t SELECT g, 'row ' || g, g % 3, g % 4 FROM generate_series(1, 40) g;
CREATE TABLE u (n int); INSERT INTO u SELECT g FROM generate_series(1, 9) g;
CREATE SEQUENCE s`

// answer is what a statement came back with: the rows' values joined, or the error.
type answer struct {
	columns []string
	rows    []string
	code    string
}

func ask(t *testing.T, c *pgconn.PgConn, sql string, params [][]byte) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	run := func(sql string) { must(t, c.Exec(ctx, sql).Close()) }
	run("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT a FROM t ORDER BY a; MOVE 20 c")
	defer run("ROLLBACK")
	result := c.ExecParams(ctx, sql, params, nil, nil, nil)
	var a answer
	for _, f := range result.FieldDescriptions() {
		a.columns = append(a.columns, fmt.Sprintf("%s %d %d", f.Name, f.DataTypeOID, f.TypeModifier))
	}
	for result.NextRow() {
		var values []string
		for _, v := range result.Values() {
			values = append(values, string(v))
		}
		a.rows = append(a.rows, strings.Join(values, "|"))
	}
	if _, err := result.Close(); err != nil {
		var pe *pgconn.PgError
		if !errors.As(err, &pe) {
			t.Fatalf("%q: %v", sql, err)
		}
		a.code = pe.Code
	}
	return a
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestServer runs statements as they are and with a limit, on a real server: the
// columns are the same, and the rows are the first ones.
func TestServer(t *testing.T) {
	server := dbtest.Postgres(t)
	c, err := pgconn.Connect(context.Background(), server.DSN(server.Database(t)))
	must(t, err)
	defer c.Close(context.Background())
	must(t, c.Exec(context.Background(), serverSetup).Close())
	number := func(s string) [][]byte { return [][]byte{[]byte(s)} }
	for _, test := range []struct {
		sql    string
		params [][]byte
		guard  bool // no limit may be written
	}{
		{sql: "SELECT a, b FROM t ORDER BY a"},
		{sql: "SELECT a, count(*) OVER () FROM t ORDER BY a DESC -- the end"},
		{sql: "SELECT a AS limit, t.\"offset\" FROM t ORDER BY t.\"limit\", t.a FOR UPDATE"},
		{sql: "SELECT a FROM t ORDER BY a OFFSET 35"},
		{sql: "SELECT a FROM t ORDER BY a FOR UPDATE OFFSET 38"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 30 OFFSET 3"},
		{sql: "SELECT a FROM t ORDER BY a OFFSET 3 LIMIT ALL"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT NULL"},
		{sql: "SELECT a FROM t ORDER BY a OFFSET 3 ROWS FETCH NEXT 30 ROWS ONLY"},
		{sql: "SELECT \"limit\" FROM t ORDER BY \"limit\" FETCH FIRST 14 ROWS WITH TIES"},
		{sql: "SELECT a FROM t ORDER BY a FETCH FIRST (10 + 20) ROWS ONLY FOR SHARE"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1", params: [][]byte{nil}},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1", params: number("2")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1", params: number("30")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1", params: number("-1")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1::int", params: number("3")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1::numeric", params: number("3.5"), guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT $1::float8", params: number("2.5"), guard: true},
		{sql: "SELECT a FROM t ORDER BY a FETCH FIRST $1 ROWS ONLY", params: number("3")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 2.5"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1e1"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '3'"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 'x'"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1e18"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '1e30'"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '-1'"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 9223372036854775807 + 1"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 2147483647 + $1", params: number("1")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1 / 0"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '9223372036854775808'::int8"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT COALESCE($1, 10)", params: number("3")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT GREATEST(1, LEAST($1, 500))", params: number("700")},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1e30", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1e30::numeric", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 1e30 + 0", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT (SELECT 1e30)", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT COALESCE(1e30, 1)", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT CASE WHEN true THEN 1e30 ELSE 1 END", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 'NaN'::float8", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 'infinity'::numeric", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '5'::text", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT '{5}'::int[]", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT now()", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT pi()", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT -1"},
		{sql: "SELECT a FROM t ORDER BY a FETCH FIRST -1 ROWS ONLY"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT 3::smallint"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT a", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT (SELECT count(*) FROM u)"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT (SELECT n FROM u ORDER BY n LIMIT 1) + 1", guard: true},
		{sql: "SELECT a FROM t ORDER BY a LIMIT nextval('s') + 2"},
		{sql: "SELECT a FROM t ORDER BY a LIMIT CASE WHEN true THEN 3 END OFFSET 1"},
		{sql: "(SELECT a FROM t LIMIT 30) ORDER BY a"},
		{sql: "((SELECT a FROM t ORDER BY a))"},
		{sql: "(SELECT a FROM t OFFSET 2) ORDER BY a"},
		{sql: "SELECT a FROM t WHERE a < 4 UNION ALL (SELECT n FROM u ORDER BY n LIMIT 3) ORDER BY 1"},
		{sql: "(SELECT 1 LIMIT 30) UNION ALL (SELECT 2 LIMIT 40) ORDER BY 1 LIMIT 50"},
		{sql: "VALUES (1), (2), (3), (4), (5), (6), (7)"},
		{sql: "TABLE u"},
		{sql: "SELECT FROM u"},
		{sql: "SELECT count(*), generate_series(1, 9) FROM t"},
		{sql: "SELECT DISTINCT \"limit\" FROM t ORDER BY 1"},
		{sql: "WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 100) SELECT n FROM r"},
		{sql: "WITH d AS (DELETE FROM u RETURNING n) SELECT n FROM d ORDER BY n"},
		{sql: "SELECT a FROM t WHERE a NOT /* c */ IN (1, 2) ORDER BY a NULLS /* c */ FIRST"},
		{sql: "SELECT 'a' -- c\n 'b', time WITH /* c */ TIME ZONE '12:00+00' FROM u"},
		{sql: "SELECT 'zażółć 漢字 🙂' AS \"Ünï\", a FROM t ORDER BY a LIMIT 30 -- ünïcode"},
		{sql: "SELECT a FROM t ORDER BY a USING < /* c */"},
		{sql: "SELECT no_such_column FROM t LIMIT 30"},
		{sql: "FETCH ALL FROM c"},
		{sql: "FETCH 15 FROM c"},
		{sql: "FETCH -15 c"},
		{sql: "FETCH BACKWARD ALL IN c"},
		{sql: "FETCH BACKWARD -15 c"},
		{sql: "FETCH FORWARD 2 c"},
		{sql: "FETCH FIRST FROM c"},
	} {
		for _, rows := range []uint64{1, 4} {
			d := New()
			statements, err := d.Parse(test.sql)
			if err != nil || len(statements) != 1 {
				t.Fatalf("%q: %d statements, %v", test.sql, len(statements), err)
			}
			st := statements[0]
			if st.Limit.Form == rewrite.LimitLiteral && st.Limit.Rows < rows && st.Kind != rewrite.KindFetch {
				continue
			}
			edits, err := d.SetLimit(st, rows)
			if test.guard {
				if err == nil {
					t.Errorf("%q: a limit was written: %v", test.sql, edits)
				}
				continue
			}
			if err != nil {
				t.Errorf("%q: %v", test.sql, err)
				continue
			}
			capped := rewrite.ApplyEdits(st.Text, edits)
			want, got := ask(t, c, test.sql, test.params), ask(t, c, capped, test.params)
			if want.code != got.code || !slices.Equal(want.columns, got.columns) {
				t.Errorf("%q: error %q, columns %q\n%q: error %q, columns %q", test.sql, want.code, want.columns, capped, got.code, got.columns)
			}
			if first := want.rows[:min(len(want.rows), int(rows))]; !slices.Equal(first, got.rows) {
				t.Errorf("%q: rows %q\n%q: rows %q", test.sql, first, capped, got.rows)
			}
		}
	}
}

// TestServerOneRow asks a real server whether statements that are said to return
// at most one row do.
func TestServerOneRow(t *testing.T) {
	server := dbtest.Postgres(t)
	c, err := pgconn.Connect(context.Background(), server.DSN(server.Database(t)))
	must(t, err)
	defer c.Close(context.Background())
	must(t, c.Exec(context.Background(), serverSetup).Close())
	must(t, c.Exec(context.Background(), `CREATE FUNCTION f(int) RETURNS SETOF int LANGUAGE sql AS 'SELECT generate_series(1, 3)';
		CREATE TYPE pair AS (x int, y int); CREATE FUNCTION f(pair) RETURNS SETOF int LANGUAGE sql AS 'SELECT generate_series(1, 3)';
		CREATE OPERATOR *** (leftarg = int, rightarg = int, function = generate_series);
		CREATE PROCEDURE p(INOUT x int) LANGUAGE plpgsql AS 'BEGIN PERFORM 1 FROM t; END'`).Close())
	many := 0
	for _, sql := range []string{
		"SELECT 1", "SELECT", "VALUES (1)", "SELECT now()", "SELECT f(1)", "SELECT (ROW(1, 2)::pair).f", "SELECT 1 *** 3", "SELECT 1 OPERATOR(public.***) 3",
		"SELECT generate_series(1, 3)", "SELECT 1 + generate_series(1, 3)", "SELECT ('{1,2}'::int[])[1]",
		"SELECT count(*) FROM t", "SELECT count(*), generate_series(1, 9) FROM t", "SELECT count(*) OVER () FROM t", "SELECT count(*) OVER (), count(*) FROM t",
		"SELECT count(*) FROM t ORDER BY generate_series(1, 3)", "SELECT DISTINCT ON (generate_series(1, 3)) count(*) FROM t", "SELECT 1 FROM t HAVING true",
		"SELECT 1 GROUP BY GROUPING SETS ((), ())", "SELECT count(*) FROM t GROUP BY \"limit\"", "SELECT f(count(*)::int) FROM t", "SELECT string_agg(b, ',') FROM t",
		"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t", "SELECT rank(3) WITHIN GROUP (ORDER BY a) FROM t", "SELECT rank() OVER () FROM t",
		"SELECT regexp_matches('abab', 'a', 'g')", "SELECT a FROM t LIMIT 1", "SELECT \"limit\" FROM t ORDER BY 1 FETCH FIRST ROW WITH TIES",
		"SELECT json_array_elements('[1,2]')", "SELECT (json_each('{\"a\":1,\"b\":2}')).key", "SHOW ALL", "SHOW datestyle", "CALL p(1)", "FETCH NEXT FROM c", "FETCH 3 FROM c",
		"FETCH RELATIVE 2 FROM c", "FETCH 0 FROM c", "FETCH ABSOLUTE -3 FROM c",
	} {
		statements, err := New().Parse(sql)
		if err != nil || len(statements) != 1 {
			t.Fatalf("%q: %d statements, %v", sql, len(statements), err)
		}
		a := ask(t, c, sql, nil)
		if a.code != "" {
			t.Errorf("%q: error %s", sql, a.code)
		}
		if len(a.rows) > 1 {
			many++
		}
		if statements[0].AtMostOneRow && len(a.rows) > 1 {
			t.Errorf("%q returned %d rows", sql, len(a.rows))
		}
	}
	if many < 15 {
		t.Errorf("only %d statements returned more than one row: the test tells little", many)
	}
}
