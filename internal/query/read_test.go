package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// eachServer runs a test on every kind of server, in a database with the table n
// of the numbers 1 to 20.
func eachServer(t *testing.T, test func(t *testing.T, s *dbtest.Server, db string)) {
	dbtest.EachDatabase(t, tenTwice, test)
}

// openWith returns a source that is closed when the test ends.
func openWith(t *testing.T, o Options) *Source {
	t.Helper()
	source, err := NewSource(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := source.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return source
}

// capping is small, also for catalogues.
func capping() rewrite.Policy {
	p := small()
	p.Catalogs = rewrite.CatalogsCap
	return p
}

func openSource(t *testing.T, s *dbtest.Server, db string, timeout time.Duration) *Source {
	t.Helper()
	return openWith(t, Options{DSN: s.URL(db), Policy: capping(), Timeout: timeout, Sessions: 2})
}

func mustRead(t *testing.T, s *Source, q Request) Answer {
	t.Helper()
	a, err := s.Read(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return a
}

func kinds(a Answer) string {
	var all []string
	for _, w := range a.Outcome.Plan.Warnings {
		all = append(all, w.Kind)
	}
	return strings.Join(all, " ")
}

func TestReadLimits(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		for _, want := range []struct {
			q        Request
			rows     int
			state    rewrite.Completeness
			source   rewrite.Source
			sent     string
			warnings string
		}{
			{Request{SQL: "SELECT i FROM n ORDER BY i"}, 5, rewrite.Truncated, rewrite.SourceDefault, "LIMIT 6", ""},
			{Request{SQL: "SELECT i FROM n WHERE i <= 5"}, 5, rewrite.Complete, rewrite.SourceDefault, "LIMIT 6", ""},
			{Request{SQL: "SELECT i FROM n WHERE i <= 6"}, 5, rewrite.Truncated, rewrite.SourceDefault, "LIMIT 6", "arbitrary_rows unstable_order"},
			{Request{SQL: "SELECT i FROM n ORDER BY i LIMIT 7", Limit: 8}, 7, rewrite.Complete, rewrite.SourceUserSQL, "LIMIT 7", "own_limit_reached"},
			{Request{SQL: "SELECT i FROM n ORDER BY i LIMIT 5000"}, 10, rewrite.Truncated, rewrite.SourceCapped, "LIMIT 11", "limit_capped"},
			{Request{SQL: "SELECT i FROM n ORDER BY i", Limit: 8}, 8, rewrite.Truncated, rewrite.SourceToolParam, "LIMIT 9", ""},
			{Request{SQL: "SELECT i FROM n ORDER BY i", Limit: 2000}, 10, rewrite.Truncated, rewrite.SourceCapped, "LIMIT 11", "limit_capped"},
			{Request{SQL: "SELECT i FROM n GROUP BY i ORDER BY i", Limit: 3}, 3, rewrite.Truncated, rewrite.SourceToolParam, "LIMIT 4", "groups_missing unstable_order"},
			{Request{SQL: "SELECT count(*) FROM n"}, 1, rewrite.Complete, rewrite.SourceDefault, "FROM n", ""},
		} {
			a := mustRead(t, s, want.q)
			if len(a.Rows) != want.rows || a.Outcome.Completeness != want.state || a.Outcome.Plan.Cap.Source != want.source || kinds(a) != want.warnings || !strings.HasSuffix(a.SQL, want.sent) {
				t.Errorf("%+v: %d rows, %s, %s, %q, sent %q", want.q, len(a.Rows), a.Outcome.Completeness, a.Outcome.Plan.Cap.Source, kinds(a), a.SQL)
			}
		}
	})
}

// TestReadPages reads statements page by page and finds every row once, and none
// beyond the statement's own limit.
func TestReadPages(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		cases := map[string][2]int{ // the first row and the number of rows
			"SELECT i FROM n ORDER BY i":                      {1, 20},
			"SELECT i FROM n ORDER BY i; -- a remark":         {1, 20},
			"SELECT i FROM n ORDER BY i LIMIT 12":             {1, 12},
			"SELECT i FROM n ORDER BY i LIMIT 5000":           {1, 20},
			"SELECT i FROM n ORDER BY i LIMIT 11 OFFSET 3":    {4, 11},
			"SELECT i FROM n ORDER BY i LIMIT 9":              {1, 9},
			"(SELECT i FROM n) ORDER BY i LIMIT 13 OFFSET 0":  {1, 13},
			"SELECT i FROM n WHERE i <= 8 ORDER BY i":         {1, 8},
			"SELECT i FROM n WHERE i > 10 ORDER BY i LIMIT 8": {11, 8},
		}
		if server.Flavor == dbtest.FlavorPostgres {
			cases["SELECT i FROM n ORDER BY i OFFSET 4"] = [2]int{5, 16}
			cases["SELECT i FROM n ORDER BY i OFFSET 4 ROWS FETCH FIRST 13 ROWS ONLY"] = [2]int{5, 13}
			cases["SELECT i FROM n ORDER BY i FETCH FIRST 13 ROWS ONLY"] = [2]int{1, 13}
		} else {
			cases["SELECT i FROM n ORDER BY i LIMIT 2, 9"] = [2]int{3, 9}
		}
		for sql, want := range cases {
			for _, limit := range []uint64{1, 4} {
				var got []string
				offset := uint64(0)
				for {
					a := mustRead(t, s, Request{SQL: sql, Limit: limit, Offset: offset})
					for _, row := range a.Rows {
						got = append(got, row[0].Text)
					}
					if uint64(len(a.Rows)) > limit {
						t.Fatalf("%s: a page of %d rows", sql, len(a.Rows))
					}
					if a.Outcome.Completeness != rewrite.Truncated {
						break
					}
					offset += uint64(len(a.Rows))
				}
				var all []string
				for i := range want[1] {
					all = append(all, fmt.Sprint(want[0]+i))
				}
				if strings.Join(got, " ") != strings.Join(all, " ") {
					t.Errorf("%s by %d: rows %v", sql, limit, got)
				}
			}
		}
		if a := mustRead(t, s, Request{SQL: "SELECT i FROM n ORDER BY i", Offset: 3, Limit: 2}); !strings.HasSuffix(a.SQL, " LIMIT 3 OFFSET 3") || a.Rows[0][0].Text != "4" {
			t.Errorf("sent %s", a.SQL)
		}
		if a := mustRead(t, s, Request{SQL: "SELECT i FROM n ORDER BY i", Offset: 100}); len(a.Rows) != 0 || a.Outcome.Completeness != rewrite.Complete {
			t.Errorf("beyond the end: %d rows", len(a.Rows))
		}
		if _, err := s.Read(t.Context(), Request{SQL: "SELECT i FROM n", Offset: 1, Explain: true}); err == nil || !strings.Contains(err.Error(), "have no pages") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestReadRefuses(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		refused := []string{"DELETE FROM n", "INSERT INTO n VALUES (99)", "DROP TABLE n", "SELECT 1; SELECT 2", "", "-- nothing", "SELEC 1",
			"BEGIN", "COMMIT", "ROLLBACK", "SET autocommit = 1", "CREATE TABLE m (i int)", "TRUNCATE TABLE n", "CALL p()", "SELECT 1\x00",
			"EXPLAIN ANALYZE DELETE FROM n", "PREPARE p AS SELECT 1"}
		if server.Flavor == dbtest.FlavorPostgres {
			refused = append(refused, "COPY n TO STDOUT", "COPY n TO PROGRAM 'true'", "SELECT nextval('x')", "SELECT pg_advisory_lock(1)", "SELECT lo_import('/etc/passwd')",
				"WITH d AS (DELETE FROM n RETURNING i) SELECT * FROM d", "SELECT i INTO m FROM n", "DO $$ BEGIN END $$", "EXPLAIN ANALYZE SELECT pg_advisory_lock(1)",
				"EXPLAIN ANALYZE /* SELECT 1 -- */ SELECT pg_advisory_lock(1)", "EXPLAIN ANALYZE -- SELECT 1\nSELECT pg_advisory_lock(1)", "EXPLAIN ANALYZE/**/SELECT pg_advisory_lock(1)",
				"EXPLAIN ANALYZE(SELECT pg_advisory_lock(1))", "EXPLAIN ANALYZE VERBOSE SELECT 1 FROM n WHERE pg_advisory_lock(1) IS NULL",
				"EXPLAIN (ANALYZE) (SELECT set_config('a.b', 'c', false))", "EXPLAIN EXECUTE p", "LOCK TABLE n", "VACUUM", "SELECT pg_terminate_backend(pg_backend_pid())",
				"SELECT (0).pg_cancel_backend", "SELECT r.pg_cancel_backend FROM int4(0) r", "EXPLAIN (ANALYZE) SELECT (0).pg_cancel_backend",
				"SELECT pg_read_file('PG_VERSION')", "SELECT pg_catalog.pg_read_binary_file('PG_VERSION')", "SELECT * FROM pg_ls_dir('.')", "SELECT (pg_stat_file('PG_VERSION')).size",
				"SELECT ('PG_VERSION'::text).pg_read_file", "SELECT r.pg_read_file FROM text('PG_VERSION') r", `SELECT U&"pg\005fread_file"('PG_VERSION')`,
				"SELECT 1 WHERE EXISTS (SELECT pg_sleep(0))", "EXPLAIN ANALYZE SELECT pg_sleep_for('0')", "WITH w AS (SELECT PG_READ_FILE('PG_VERSION') AS f) SELECT f FROM w")
		} else {
			refused = append(refused, "SELECT i FROM n INTO OUTFILE '/tmp/x'", "SELECT 1 INTO @a", "SELECT SLEEP(1)", "SELECT GET_LOCK('a', 1)", "SELECT BENCHMARK(1, 1)",
				"EXPLAIN SELECT SLEEP(1)", "HANDLER n OPEN", "LOAD DATA INFILE '/x' INTO TABLE n", "SELECT @a := 1", "DO 1",
				"SELECT LOAD_FILE('/etc/passwd')", "SELECT `load_file` ('/etc/passwd')", "SELECT /*!40000 load_file( */ /*!40000 '/etc/passwd') */", "SHOW TABLES WHERE LOAD_FILE('/etc/passwd') IS NULL",
				"EXPLAIN SELECT LOAD_FILE('/etc/passwd')", "WITH w AS (SELECT load_file('/etc/passwd') AS f) SELECT f FROM w")
		}
		for _, sql := range refused {
			_, err := s.Read(t.Context(), Request{SQL: sql})
			var r *rewrite.RefusedError
			if !errors.As(err, &r) || r.Hint == "" {
				t.Errorf("%q: %v", sql, err)
			}
		}
		if a := mustRead(t, s, Request{SQL: "SELECT count(*) FROM n"}); a.Rows[0][0].Text != "20" {
			t.Errorf("%s rows are left", a.Rows[0][0].Text)
		}
		for _, sql := range []string{"EXPLAIN SELECT i FROM n", "EXPLAIN (SELECT i FROM n)", "SELECT 1", "VALUES (1)", "WITH w AS (SELECT 1 AS a) SELECT a FROM w",
			"SELECT 'pg_read_file(1) load_file(1)' AS a /* pg_sleep(1) load_file(1) */", "SELECT x.lo_price FROM (SELECT i AS lo_price FROM n) x"} {
			if sql == "VALUES (1)" && server.Flavor != dbtest.FlavorPostgres {
				continue
			}
			mustRead(t, s, Request{SQL: sql})
		}
	})
}

// TestReadOnlyOnTheServer has a function write that the parser cannot know to.
func TestReadOnlyOnTheServer(t *testing.T) {
	pg := dbtest.Postgres(t)
	db := pg.Database(t)
	pg.SQL(t, db, "CREATE TABLE w (i int); CREATE FUNCTION sly() RETURNS int LANGUAGE sql AS 'INSERT INTO w VALUES (1) RETURNING i'")
	s := openSource(t, pg, db, DefaultTimeout)
	var e *Error
	if _, err := s.Read(t.Context(), Request{SQL: "SELECT sly()"}); !errors.As(err, &e) || e.Code != "25006" {
		t.Errorf("err = %v", err)
	}
	my := dbtest.MariaDB(t)
	db = my.Database(t)
	my.SQL(t, db, "CREATE TABLE w (i int);\nDELIMITER //\nCREATE FUNCTION sly() RETURNS int MODIFIES SQL DATA BEGIN INSERT INTO w VALUES (2); RETURN 1; END//\n")
	s = openSource(t, my, db, DefaultTimeout)
	if _, err := s.Read(t.Context(), Request{SQL: "SELECT sly()"}); !errors.As(err, &e) || !strings.HasPrefix(e.Code, "1792") {
		t.Errorf("err = %v", err)
	}
}

func TestReadParams(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		first, second := "?", "?"
		if server.Flavor == dbtest.FlavorPostgres {
			first, second = "$1", "$2"
		}
		number := func(n string) Param { return Param{Text: n, Number: true} }
		a := mustRead(t, s, Request{SQL: "SELECT i FROM n WHERE i > " + first + " AND i <> " + second + " ORDER BY i", Params: []Param{number("17"), {Text: "19"}}})
		if got := text(a.Result); got != "18\n20" {
			t.Errorf("rows %q", got)
		}
		for value, rows := range map[string]int{"3": 3, "9": 9, "5000": 10} {
			a := mustRead(t, s, Request{SQL: "SELECT i FROM n ORDER BY i LIMIT " + first, Params: []Param{number(value)}})
			if len(a.Rows) != rows || (a.Outcome.Completeness == rewrite.Truncated) != (value == "5000") {
				t.Errorf("LIMIT %s: %d rows, %s", value, len(a.Rows), a.Outcome.Completeness)
			}
		}
		if _, err := s.Read(t.Context(), Request{SQL: "SELECT i FROM n WHERE i = " + first}); err == nil {
			t.Error("a missing parameter went unseen")
		}
		if a := mustRead(t, s, Request{SQL: "SELECT i FROM n WHERE i = " + first, Params: []Param{{Null: true}}}); len(a.Rows) != 0 {
			t.Errorf("NULL: %d rows", len(a.Rows))
		}
		mustRead(t, s, Request{SQL: "SELECT 1"}) // the source goes on
	})
}

func TestReadTotals(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		for _, want := range []struct {
			q     Request
			kind  string
			value uint64
		}{
			{Request{SQL: "SELECT i FROM n -- all", Count: CountExact}, "exact", 20},
			{Request{SQL: "SELECT i FROM n WHERE i < 4", Count: CountExact}, "exact", 3},
			{Request{SQL: "SELECT i FROM n WHERE i < 4", Count: CountEstimate}, "exact", 3},
			{Request{SQL: "SELECT i FROM n LIMIT 15", Count: CountExact}, "exact", 15},
			{Request{SQL: "SELECT i FROM n ORDER BY i", Count: CountExact, Offset: 19}, "exact", 20},
			{Request{SQL: "SELECT i FROM n ORDER BY i", Count: CountExact, Offset: 50}, "exact", 20},
		} {
			a := mustRead(t, s, want.q)
			if a.Total == nil || a.Total.Kind != want.kind || a.Total.Value == nil || *a.Total.Value != want.value {
				t.Errorf("%+v: %+v", want.q, a.Total)
			}
		}
		if a := mustRead(t, s, Request{SQL: "SELECT i FROM n"}); a.Total != nil {
			t.Errorf("a total nobody asked for: %+v", a.Total)
		}
		if a := mustRead(t, s, Request{SQL: "SELECT i FROM n", Count: CountEstimate}); a.Total == nil || a.Total.Kind != "estimate" || *a.Total.Value == 0 {
			t.Errorf("estimate %+v", a.Total)
		}
		twice := mustRead(t, s, Request{SQL: "SELECT i, i FROM n", Count: CountExact})
		if server.Flavor == dbtest.FlavorPostgres && twice.Total.Kind != "exact" ||
			server.Flavor != dbtest.FlavorPostgres && (twice.Total.Kind != "at_least" || *twice.Total.Value != 6) {
			t.Errorf("two columns of one name: %+v", twice.Total)
		}
	})
}

func TestReadDryRun(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		a := mustRead(t, s, Request{SQL: "SELECT i FROM n", DryRun: true})
		if a.Ran || a.SQL != "SELECT i FROM n LIMIT 6" || a.Rows != nil || a.Notice != nil || kinds(a) != "" {
			t.Errorf("%+v", a)
		}
		a = mustRead(t, s, Request{SQL: "SELECT i FROM n", Explain: true})
		if !a.Ran || len(a.Rows) == 0 || a.SQL != "EXPLAIN SELECT i FROM n" {
			t.Errorf("%+v", a)
		}
	})
}

// slow is a query that does not end within a test, with a mark to know it by. Functions
// that only take time are refused. PostgreSQL would compile a join of so many tables
// first, and notices no cancelling meanwhile.
func slow(s *dbtest.Server, mark string) string {
	if s.Flavor == dbtest.FlavorPostgres {
		return "SELECT /* " + mark + " */ count(*) FROM (SELECT generate_series(1, 100000000000)) s"
	}
	return "SELECT /* " + mark + " */ count(*) FROM n a, n b, n c, n d, n e, n f, n g, n h, n j WHERE a.i + b.i + c.i + d.i + e.i + f.i + g.i + h.i + j.i = 3"
}

// TestReadTimeout finds slow statements gone from the server after the statement
// timeout and after the caller has left.
func TestReadTimeout(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		slow := slow(server, "too-slow")
		s := openSource(t, server, db, 300*time.Millisecond)
		began := time.Now()
		var e *Error
		if _, err := s.Read(t.Context(), Request{SQL: slow}); !errors.As(err, &e) || time.Since(began) > 5*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		long := openSource(t, server, db, time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if _, err := long.Read(ctx, Request{SQL: slow}); err == nil || !strings.Contains(err.Error(), "cancelled") {
			t.Errorf("err = %v", err)
		}
		server.Gone(t, "too-slow")
		mustRead(t, long, Request{SQL: "SELECT 1"})
	})
}

// TestReadAfterLoss finds a source well after its idle session was lost.
func TestReadAfterLoss(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	source := openSource(t, s, db, DefaultTimeout)
	pid := mustRead(t, source, Request{SQL: "SELECT pg_backend_pid()"}).Rows[0][0].Text
	s.SQL(t, db, "SELECT pg_terminate_backend("+pid+")")
	if again := mustRead(t, source, Request{SQL: "SELECT pg_backend_pid()"}).Rows[0][0].Text; again == pid {
		t.Error("the session was not ended")
	}
}

// TestReadStopsAtTheCap has a guarded answer without an end.
func TestReadStopsAtTheCap(t *testing.T) {
	server := dbtest.Postgres(t)
	s := openSource(t, server, server.Database(t), DefaultTimeout)
	a := mustRead(t, s, Request{SQL: "SELECT 1 AS one FROM generate_series(1, 3000000) ORDER BY one FETCH FIRST 2 ROWS WITH TIES"})
	if len(a.Rows) != 10 || a.Outcome.Completeness != rewrite.Truncated {
		t.Errorf("%d rows, %s", len(a.Rows), a.Outcome.Completeness)
	}
	if _, err := s.Read(t.Context(), Request{SQL: "SELECT repeat('m', 30000000) FROM generate_series(1, 5)"}); err == nil || !strings.Contains(err.Error(), "select fewer columns") {
		t.Errorf("err = %v", err)
	}
	mustRead(t, s, Request{SQL: "SELECT 1"})
}
