package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestPostgresCaps(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE n (i int PRIMARY KEY); INSERT INTO n SELECT generate_series(1, 30)")
	const complete, truncated, unknown = rewrite.Complete, rewrite.Truncated, rewrite.Unknown
	open(t, s.URL(db), small()).checkCaps(t, []capCase{
		{"SELECT i FROM n ORDER BY i", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodProbe, "", "showing the first 5 rows; more rows exist"},
		{"SELECT i FROM n WHERE i <= 5 ORDER BY i", 0, 5, complete, rewrite.SourceDefault, rewrite.MethodProbe, "", ""},
		{"SELECT i FROM n WHERE i <= 4 ORDER BY i", 0, 4, complete, rewrite.SourceDefault, rewrite.MethodProbe, "", ""},
		{"SELECT i FROM n WHERE i <= 6 ORDER BY i", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodProbe, "", "cap 5 from the default limit"},
		{"SELECT i FROM n ORDER BY i LIMIT 7", 0, 7, complete, rewrite.SourceUserSQL, rewrite.MethodOwn, "", ""},
		{"SELECT i FROM n ORDER BY i LIMIT 20", 0, 10, truncated, rewrite.SourceCapped, rewrite.MethodProbe, "limit_capped", "20 rows were asked for"},
		{"SELECT i FROM n ORDER BY i --", 7, 7, truncated, rewrite.SourceToolParam, rewrite.MethodProbe, "", "ask for up to 10 rows"},
		{"SELECT i FROM n ORDER BY i -- 2", 50, 10, truncated, rewrite.SourceCapped, rewrite.MethodProbe, "limit_capped", "maximum limit"},
		{"SELECT i FROM n ORDER BY i FOR UPDATE", 0, 5, unknown, rewrite.SourceDefault, rewrite.MethodExact, "", "more rows may exist"},
		{"EXPLAIN ANALYZE SELECT a.i FROM n a, n b, n c WHERE a.i=b.i AND b.i=c.i", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodGuard, "", "more rows exist"},
		{"SHOW ALL", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodGuard, "", "have the cap raised"},
		{"SHOW server_version", 0, 1, complete, rewrite.SourceNone, rewrite.MethodPass, "", ""},
	})
}

func TestPostgresWriteStands(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE n (i int)")
	c := open(t, s.URL(db), small())
	r := c.one(t, "INSERT INTO n SELECT generate_series(1, 10000) RETURNING i")
	if len(r.Rows) != 5 || r.Outcome.Completeness != rewrite.Truncated || !strings.Contains(r.Notice.Detail, "all its changes were made") {
		t.Errorf("%d rows, %v", len(r.Rows), r.Notice)
	}
	if n := text(c.one(t, "SELECT count(*) FROM n")); n != "10000" {
		t.Errorf("%s rows were written", n)
	}
	if r := c.one(t, "UPDATE n SET i = 0 WHERE i <= 3"); r.Columns != nil || r.Command != "UPDATE 3" {
		t.Errorf("%+v", r)
	}
}

func TestPostgresValues(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TYPE mood AS ENUM ('sad', 'glad')")
	c := open(t, s.URL(db), small())
	for sql, want := range map[string]string{
		"SELECT 9223372036854775807::int8, 0.10::numeric(5,2), 1e400::numeric":                 "9223372036854775807|0.10|1" + strings.Repeat("0", 400),
		"SELECT 'NaN'::float8, '-Infinity'::float8, 'NaN'::numeric, 1e20::float8, 0.1::float4": "NaN|-Infinity|NaN|1e+20|0.1",
		"SELECT NULL::text, '', 'NULL'":                                                                       "<null>||NULL",
		`SELECT '\x00ff'::bytea, true, '{1,NULL}'::int[]`:                                                     `\x00ff|t|{1,NULL}`,
		"SELECT timestamp '2024-02-29 12:00:00.5', 'infinity'::timestamptz, date '0044-03-15 BC'":             "2024-02-29 12:00:00.5|infinity|0044-03-15 BC",
		"SELECT E'a\\nb|c', 'ü', '{\"a\": 12345678901234567890}'::jsonb":                                      "a\nb|c|ü|{\"a\": 12345678901234567890}",
		"SELECT FROM generate_series(1,3)":                                                                    "\n\n",
		"VALUES (1), (2)":                                                                                     "1\n2",
		"SELECT x.a, x.a FROM (SELECT 1 AS a) x":                                                              "1|1",
		"SELECT 'glad'::mood, 7::oid, '1 day'::interval, row(1,2)":                                            "glad|7|1 day|(1,2)",
		"SELECT convert_from('\\xc3a9'::bytea, 'UTF8'), chr(128512), length(convert_from('\\xc3a9', 'UTF8'))": "é|😀|1",
	} {
		if got := text(c.one(t, sql)); got != want {
			t.Errorf("%s\n got %s\nwant %s", sql, got, want)
		}
	}
	r := c.one(t, "SELECT 1 AS a, 2::int8 AS a, 1.5, 'x'::varchar(3) AS \"α|β\", 'glad'::mood, true AS b")
	if got := names(r); got != "a int4, a int8, ?column? numeric, α|β varchar, mood mood, b bool" {
		t.Errorf("columns %s", got)
	}
	if r.Columns[0].Class != Number || r.Columns[5].Class != Bool || r.Columns[3].Class != Text {
		t.Errorf("classes %+v", r.Columns)
	}
	if n := len(c.one(t, "SELECT FROM generate_series(1,3)").Columns); n != 0 {
		t.Errorf("%d columns", n)
	}
}

func TestPostgresInvalidUTF8(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, "postgres", fmt.Sprintf("CREATE DATABASE %s_ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0", db))
	t.Cleanup(func() { s.SQL(t, "postgres", fmt.Sprintf("DROP DATABASE %s_ascii WITH (FORCE)", db)) })
	r := open(t, s.URL(db+"_ascii")+"&client_encoding=SQL_ASCII", small()).one(t, "SELECT E'a\\xffb', 'ok'")
	if got := text(r); got != "a\uFFFDb|ok" || r.Unreadable != 1 {
		t.Errorf("%q, %d unreadable", got, r.Unreadable)
	}
}

func TestPostgresErrors(t *testing.T) {
	s := dbtest.Postgres(t)
	c := open(t, s.URL(s.Database(t)), small())
	for _, want := range []struct {
		sql, code, message string
		line, column       int
	}{
		{"SELECT 'ü',\n  nope FROM generate_series(1,3)", "42703", `column "nope" does not exist`, 2, 3},
		{"SELECT 1 FROM pg_class; SELECT * FROM nope", "42P01", `relation "nope" does not exist`, 1, 39},
		{"SELECT i FROM generate_series(1,9) i LIMIT 100; SELEC 1", "42601", `syntax error at or near "SELEC"`, 1, 49},
		{"SELECT 1/(i-3) FROM generate_series(1,9) i", "22012", "division by zero", 0, 0},
	} {
		_, err := c.fails(t, want.sql)
		var e *Error
		if !errors.As(err, &e) || e.Code != want.code || e.Message != want.message || e.Line != want.line || e.Column != want.column {
			t.Errorf("%s: %+v", want.sql, err)
		}
	}
	results, _ := c.fails(t, "SELECT 1; SELECT 1/0")
	if len(results) != 1 || text(results[0]) != "1" {
		t.Errorf("the answers before the error: %v", results)
	}
	if _, err := c.fails(t, "SELECT 1\x002"); !strings.Contains(err.Error(), "NUL") {
		t.Error(err)
	}
}

func TestPostgresCopy(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE n (i int); INSERT INTO n VALUES (1)")
	c := open(t, s.URL(db), small())
	var refused *rewrite.RefusedError
	if _, err := c.fails(t, "COPY n TO STDOUT"); !errors.As(err, &refused) {
		t.Error(err)
	}
	p := small()
	p.CopyOut = rewrite.CopyPass
	if _, err := open(t, s.URL(db), p).fails(t, "COPY n TO STDOUT"); !strings.Contains(err.Error(), "psql") {
		t.Error(err)
	}
	for _, sql := range []string{"COPY n FROM STDIN", "SELECT 1; COPY n FROM STDIN"} {
		if _, err := c.fails(t, sql); !strings.Contains(err.Error(), "has no data to send") {
			t.Error(err)
		}
	}
	if got := text(c.one(t, "SELECT i FROM n")); got != "1" {
		t.Errorf("after COPY: %s", got)
	}
}

func TestPostgresScript(t *testing.T) {
	s := dbtest.Postgres(t)
	c := open(t, s.URL(s.Database(t)), small())
	results := c.run(t, "CREATE TABLE n (i int); ; INSERT INTO n SELECT generate_series(1,20);\n-- rows\nSELECT i FROM n ORDER BY 1; SELECT i FROM n ORDER BY 1 LIMIT 2; VALUES (7)", 0)
	var got []string
	for _, r := range results {
		if r.Columns == nil {
			got = append(got, r.Command)
		} else {
			got = append(got, strings.ReplaceAll(text(r), "\n", " ")+" "+r.Outcome.Completeness.String())
		}
	}
	want := "CREATE TABLE; INSERT 0 20; 1 2 3 4 5 truncated; 1 2 complete; 7 complete"
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s", strings.Join(got, "; "))
	}
	results = c.run(t, "SET standard_conforming_strings = off; SELECT 1", 0)
	if len(results) != 2 {
		t.Errorf("%d results", len(results))
	}
	// The setting is in force now: a backslash escapes the quote.
	if got := text(c.one(t, `SELECT 'a\'' LIMIT 3`)); got != "a'" {
		t.Errorf("got %s", got)
	}
	if results := c.run(t, "-- nothing", 0); len(results) != 0 {
		t.Errorf("%v", results)
	}
}

func TestPostgresNotices(t *testing.T) {
	s := dbtest.Postgres(t)
	c := open(t, s.URL(s.Database(t)), small())
	results := c.run(t, "DO $$ BEGIN RAISE WARNING 'careful' USING HINT = 'look', DETAIL = 'here'; END $$; SELECT 1", 0)
	w := results[0].ServerWarnings
	if len(w) != 1 || w[0] != (ServerWarning{"WARNING", "01000", "careful", "here", "look"}) || len(results[1].ServerWarnings) != 0 {
		t.Errorf("%+v", results)
	}
	w = c.one(t, "DO $$ BEGIN FOR i IN 1..1000 LOOP RAISE NOTICE '%', i; END LOOP; END $$").ServerWarnings
	if len(w) != maxServerWarnings+1 || w[0].Message != "1" || !strings.HasPrefix(w[maxServerWarnings].Message, "900 more") {
		t.Errorf("%d warnings: %+v", len(w), w[len(w)-1])
	}
}

func TestPostgresRefusesConnection(t *testing.T) {
	s := dbtest.Postgres(t)
	_, err := Open(t.Context(), s.URL("no_such_database"))
	var e *Error
	if !errors.As(err, &e) || e.Code != "3D000" || !strings.Contains(err.Error(), "refuses the connection") {
		t.Errorf("err = %v", err)
	}
}

func TestPostgresConnectionLost(t *testing.T) {
	s := dbtest.Postgres(t)
	session, err := Open(t.Context(), s.URL(s.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	c := &client{session, open(t, s.URL("postgres"), small()).rewriter}
	_, err = c.fails(t, "SELECT pg_terminate_backend(pg_backend_pid())")
	if e := (*Error)(nil); !errors.As(err, &e) || e.Code != "57P01" {
		t.Errorf("err = %v", err)
	}
	if _, err := c.fails(t, "SELECT 1"); !strings.Contains(err.Error(), "the connection was lost") {
		t.Errorf("err = %v", err)
	}
}

// TestUsersRelationOfACataloguesName has a table that passes for a system catalogue, whose
// rows are not exempt.
func TestUsersRelationOfACataloguesName(t *testing.T) {
	s := dbtest.Postgres(t)
	c := open(t, s.URL(s.Database(t)), small())
	c.run(t, "SET search_path = public, pg_catalog; CREATE TABLE public.pg_class AS SELECT g AS oid FROM generate_series(1, 30) g", 0)
	for sql, want := range map[string]int{"SELECT oid FROM pg_class": 5, "SELECT count(*), oid FROM pg_class GROUP BY oid": 5, "SELECT a.attname FROM pg_attribute a LIMIT 30": 30} {
		r := c.one(t, sql)
		if whole := r.Outcome.Completeness == rewrite.Complete; len(r.Rows) != want || whole != (want == 30) {
			t.Errorf("%s: %d rows, %s", sql, len(r.Rows), r.Outcome.Completeness)
		}
	}
}
