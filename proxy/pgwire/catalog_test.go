package pgwire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// impostors are a user's objects that have the names of the server's.
const impostors = `CREATE TABLE t AS SELECT g AS id, 'v' || g AS v FROM generate_series(1, 50) AS g;
CREATE SCHEMA app;
CREATE FUNCTION app.opx(name, text) RETURNS SETOF text LANGUAGE sql AS 'SELECT v FROM public.t';
CREATE OPERATOR app.### (leftarg = name, rightarg = text, function = app.opx);
CREATE FUNCTION app.x(pg_class) RETURNS SETOF text LANGUAGE sql AS 'SELECT v FROM public.t';
CREATE FUNCTION app.cr(pg_class) RETURNS text[] LANGUAGE sql AS 'SELECT array_agg(v) FROM public.t';
CREATE FUNCTION app.lower(int) RETURNS SETOF int LANGUAGE sql AS 'SELECT id FROM public.t';
CREATE VIEW app.pg_am AS SELECT v AS amname FROM public.t;
CREATE VIEW app.pg_roles AS SELECT id AS oid, v AS rolname FROM public.t;
CREATE TABLE information_schema.impostor AS SELECT * FROM t`

// versions are the servers of the tests of what differs between them.
func versions(t *testing.T, run func(t *testing.T, server *dbtest.Server)) {
	for major := 15; major <= 18; major++ {
		t.Run(fmt.Sprint(major), func(t *testing.T) { run(t, dbtest.PostgresVersion(t, major)) })
	}
}

// TestCatalogImpostors asks for a user's rows by the names of the server's objects: they
// are capped, and the client is told.
func TestCatalogImpostors(t *testing.T) {
	versions(t, func(t *testing.T, server *dbtest.Server) {
		database := server.Database(t)
		server.SQL(t, database, impostors)
		door := open(t, server.Addr(), capped(5, 8))
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheStatement, pgx.QueryExecModeExec, pgx.QueryExecModeDescribeExec} {
			c := dial(t, door.through(server, database), func(f *pgx.ConnConfig) { f.DefaultQueryExecMode = mode })
			c.run("SET search_path = app, pg_catalog")
			c.run("CREATE TEMP TABLE pg_proc AS SELECT id AS oid, v AS proname FROM public.t")
			for _, sql := range []string{
				"SELECT relname OPERATOR(app.###) 'x'::text FROM pg_class WHERE relname = 't'",
				"SELECT relname ### 'x'::text FROM pg_catalog.pg_class WHERE relname = 't'",
				"SELECT c.x FROM pg_class c WHERE relname = 't'",
				"SELECT c.x FROM pg_catalog.pg_class c WHERE relname = 't'",
				"SELECT (c).x FROM pg_catalog.pg_class c WHERE relname = 't'",
				"SELECT unnest(c.cr) FROM pg_class c WHERE relname = 't'",
				"SELECT lower(1) FROM pg_class WHERE relname = 't'",
				"SELECT l FROM pg_class c, lower(1) AS l WHERE relname = 't'",
				"SELECT * FROM pg_am",
				"SELECT amname || '' FROM pg_am",
				"SELECT x.amname FROM (SELECT amname FROM pg_am) AS x",
				"SELECT * FROM pg_roles",
				"SELECT oid, rolname || '' FROM pg_roles",
				"SELECT * FROM pg_proc",
				"SELECT oid FROM pg_proc ORDER BY 1",
				"SELECT * FROM information_schema.impostor",
			} {
				c.notices = nil
				if n := c.count(sql); n != 5 {
					t.Errorf("%s: %s: %d rows", mode, sql, n)
				}
				if len(c.notices) != 1 || c.notices[0].Code != "01RC1" {
					t.Errorf("%s: %s: notices %v", mode, sql, c.notices)
				}
				if got := c.PgConn().ParameterStatus("rowcap.last"); !strings.Contains(got, `"completeness":"truncated","rows":5,"limit":5`) {
					t.Errorf("%s: %s: %s", mode, sql, got)
				}
			}
			// An own limit keeps its meaning.
			c.notices = nil
			if n := c.count("SELECT * FROM pg_am LIMIT 7"); n != 7 || len(c.notices) > 0 {
				t.Errorf("%s: %d rows, %v", mode, n, c.notices)
			}
			if n := c.count("SELECT * FROM pg_am LIMIT 20"); n != 8 {
				t.Errorf("%s: %d rows", mode, n)
			}
			// The server's own are exempt.
			c.notices = nil
			for _, sql := range []string{"SELECT oid, typname FROM pg_type", "SELECT typname || '' FROM pg_catalog.pg_type", "SELECT c.column_name FROM information_schema.columns c"} {
				if n := c.count(sql); n < 100 || len(c.notices) > 0 {
					t.Errorf("%s: %s: %d rows, notices %v", mode, sql, n, c.notices)
				}
			}
		}
	})
}

// TestCatalogCopy holds that COPY of a catalogue is a COPY.
func TestCatalogCopy(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, impostors)
	c := dial(t, open(t, server.Addr(), capped(5, 8)).through(server, database))
	for _, sql := range []string{"COPY (SELECT c.x FROM pg_class c) TO STDOUT", "COPY pg_am TO STDOUT", "COPY (SELECT * FROM pg_catalog.pg_am) TO STDOUT"} {
		var b strings.Builder
		_, err := c.PgConn().CopyTo(ctx(t), &b, sql)
		if state(err) != "RC001" || b.Len() > 0 {
			t.Errorf("%s: %v, %q", sql, err, b.String())
		}
	}
}

// TestCatalogExecute runs EXECUTE of statements that SQL prepared.
func TestCatalogExecute(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, impostors)
	c := dial(t, open(t, server.Addr(), capped(5, 8)).through(server, database))
	c.run("SET search_path = app, pg_catalog; PREPARE a AS SELECT * FROM pg_am; PREPARE b AS SELECT oid, typname FROM pg_type")
	if n := c.count("EXECUTE a"); n != 5 {
		t.Errorf("%d rows of the user's", n)
	}
	if n := c.count("EXECUTE b"); n < 100 {
		t.Errorf("%d rows of the server's", n)
	}
}

// TestShowAll holds that the name ALL is known as the server knows it.
func TestShowAll(t *testing.T) {
	server := dbtest.Postgres(t)
	c := dial(t, open(t, server.Addr(), capped(5, 8)).through(server, server.Database(t)))
	for _, sql := range []string{"SHOW ALL", `SHOW "ALL"`, `SHOW "aLL"`, `SHOW "all"`} {
		if n := c.count(sql); n != 5 {
			t.Errorf("%s: %d rows", sql, n)
		}
	}
}

// TestResetLast holds that rowcap's own settings are not reset either.
func TestResetLast(t *testing.T) {
	server := dbtest.Postgres(t)
	c := dial(t, open(t, server.Addr(), capped(5, 8)).through(server, server.Database(t)))
	for _, sql := range []string{"RESET rowcap.last", `RESET "Rowcap.Last"`, "SET rowcap.last TO DEFAULT", "SET LOCAL rowcap.last = 'x'"} {
		if _, err := c.Exec(ctx(t), sql); state(err) != "55P02" {
			t.Errorf("%s: %v", sql, err)
		}
	}
	c.run("RESET ALL; RESET work_mem")
}

// TestUnreadWrite runs statements that only PostgreSQL 18 reads: a write is never
// answered with an error, and its notice says what became of it.
func TestUnreadWrite(t *testing.T) {
	server := dbtest.PostgresVersion(t, 18)
	const write = "WITH x AS (UPDATE w SET v = 'q1' RETURNING WITH (OLD AS o) o.v) SELECT * FROM x"
	for _, overflow := range []rewrite.Overflow{rewrite.OverflowError, rewrite.OverflowTruncate} {
		policy := capped(5, 8)
		policy.Overflow = overflow
		for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeSimpleProtocol, pgx.QueryExecModeCacheStatement} {
			database := server.Database(t)
			server.SQL(t, database, "CREATE TABLE w AS SELECT g AS id, 'v' || g AS v FROM generate_series(1, 50) AS g")
			c := dial(t, open(t, server.Addr(), policy).through(server, database), func(f *pgx.ConnConfig) { f.DefaultQueryExecMode = mode })
			if n := c.count(write); n != 5 {
				t.Errorf("%s, %s: %d rows", overflow, mode, n)
			}
			if len(c.notices) != 1 || !strings.Contains(c.notices[0].Detail, "all its changes were made") || strings.Contains(c.notices[0].Hint, "LIMIT") {
				t.Errorf("%s, %s: notices %+v", overflow, mode, c.notices)
			}
			if got := server.SQL(t, database, "SELECT count(*) FROM w WHERE v = 'q1'"); got != "50" {
				t.Errorf("%s, %s: %s rows were changed", overflow, mode, got)
			}
			// One that cannot be read and has no rows tells nothing.
			before := c.PgConn().ParameterStatus("rowcap.last")
			c.run("CREATE TABLE vg (a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL)")
			if got := c.PgConn().ParameterStatus("rowcap.last"); got != before || got == "" {
				t.Errorf("%s, %s: rowcap.last is %s, and was %s", overflow, mode, got, before)
			}
		}
	}
}

// run runs a text that has no rows.
func (c *client) run(sql string) {
	c.t.Helper()
	if _, err := c.Exec(ctx(c.t), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
}

// count returns how many rows came.
func (c *client) count(sql string) int {
	c.t.Helper()
	rows, err := c.Query(ctx(c.t), sql)
	n := 0
	for err == nil && rows.Next() {
		n++
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		c.t.Errorf("%s: %v", sql, err)
	}
	return n
}

// TestCatalogUndescribed executes statements over catalogues with and without a Describe.
func TestCatalogUndescribed(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 8))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", server.User, "database", "postgres")
	r.types("Z")
	parse := &pgproto3.Parse{Name: "s", Query: "SELECT oid FROM pg_type WHERE oid < 26 ORDER BY oid"} // 10 rows
	run := []pgproto3.FrontendMessage{&pgproto3.Bind{PreparedStatement: "s"}, &pgproto3.Execute{}, &pgproto3.Sync{}}
	r.send(append([]pgproto3.FrontendMessage{parse}, run...)...)
	if got, _ := r.types("Z"); got != "12DDDDDNCZ" {
		t.Errorf("without a Describe: %q", got)
	}
	r.send(&pgproto3.Bind{PreparedStatement: "s"}, &pgproto3.Describe{ObjectType: 'P'}, &pgproto3.Execute{}, &pgproto3.Sync{})
	if got, _ := r.types("Z"); got != "2TDDDDDDDDDDCZ" {
		t.Errorf("with a Describe of the portal: %q", got)
	}
	r.send(run...)
	if got, _ := r.types("Z"); got != "2DDDDDDDDDDCZ" {
		t.Errorf("once more: %q", got)
	}
	r.send(&pgproto3.Close{ObjectType: 'S', Name: "s"}, parse, &pgproto3.Describe{ObjectType: 'S', Name: "s"}, &pgproto3.Sync{})
	if got, _ := r.types("Z"); got != "31?TZ" {
		t.Errorf("a Describe of the statement: %q", got)
	}
	r.send(run...)
	if got, _ := r.types("Z"); got != "2DDDDDDDDDDCZ" {
		t.Errorf("behind that: %q", got)
	}
}
