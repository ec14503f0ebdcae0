package pgwire_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

const parcels = `CREATE TABLE parcels (n int PRIMARY KEY, label text NOT NULL);
INSERT INTO parcels SELECT g, 'parcel ' || g FROM generate_series(1,12) AS g;`

// client is a pgx connection through a door that keeps its notices.
type client struct {
	*pgx.Conn
	t       *testing.T
	notices []*pgconn.Notice
}

func dial(t *testing.T, dsn string, change ...func(*pgx.ConnConfig)) *client {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, n) }
	for _, f := range change {
		f(config)
	}
	if c.Conn, err = pgx.ConnectConfig(ctx(t), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	return c
}

// numbers runs a query of one integer column.
func (c *client) numbers(query string, args ...any) ([]int, pgconn.CommandTag) {
	c.t.Helper()
	rows, err := c.Query(ctx(c.t), query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return got, rows.CommandTag()
}

// truncated checks that exactly one notice came since the last call.
func (c *client) truncated(want bool) {
	c.t.Helper()
	n := c.notices
	c.notices = nil
	last := c.PgConn().ParameterStatus("rowcap.last")
	if !want {
		if len(n) != 0 || !strings.Contains(last, `"complete"`) {
			c.t.Errorf("got %d notices and rowcap.last %s, want none and complete", len(n), last)
		}
		return
	}
	if len(n) != 1 || n[0].Code != "01RC1" || n[0].SeverityUnlocalized != "WARNING" ||
		n[0].Detail != "cap 5 from the default limit" || n[0].Hint == "" {
		c.t.Errorf("got notices %+v, want one of rowcap", n)
	}
	if !strings.Contains(last, `"completeness":"truncated","rows":5,"limit":5`) {
		c.t.Errorf("rowcap.last is %s", last)
	}
}

var modes = map[string]pgx.QueryExecMode{
	"cache statement": pgx.QueryExecModeCacheStatement,
	"cache describe":  pgx.QueryExecModeCacheDescribe,
	"describe exec":   pgx.QueryExecModeDescribeExec,
	"exec":            pgx.QueryExecModeExec,
	"simple":          pgx.QueryExecModeSimpleProtocol,
}

func TestPgx(t *testing.T) {
	server := dbtest.Postgres(t)
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			database := server.Database(t)
			server.SQL(t, database, parcels)
			door := open(t, server.Addr(), capped(5, 0))
			c := dial(t, door.through(server, database), func(f *pgx.ConnConfig) { f.DefaultQueryExecMode = mode })
			for range 8 {
				got, tag := c.numbers("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 2)
				if fmt.Sprint(got) != "[3 4 5 6 7]" || tag.String() != "SELECT 5" {
					t.Fatalf("got %v, %s", got, tag)
				}
				c.truncated(true)
				got, tag = c.numbers("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 9)
				if fmt.Sprint(got) != "[10 11 12]" || tag.String() != "SELECT 3" {
					t.Fatalf("got %v, %s", got, tag)
				}
				c.truncated(false)
			}
			testTransaction(t, c)
			if _, err := c.Exec(ctx(t), "SELECT missing FROM parcels"); state(err) != "42703" {
				t.Errorf("got %v, want 42703", err)
			}
			if _, err := c.Exec(ctx(t), "COPY parcels TO STDOUT"); state(err) != "RC001" {
				t.Errorf("got %v, want RC001", err)
			}
			testBatch(t, c)
			n, err := c.CopyFrom(ctx(t), pgx.Identifier{"parcels"}, []string{"n", "label"}, pgx.CopyFromRows([][]any{{100, "a"}, {101, "b"}}))
			if err != nil || n != 2 {
				t.Errorf("CopyFrom: %d, %v", n, err)
			}
			c.notices = nil
			if got, _ := c.numbers("SELECT count(*)::int FROM parcels"); fmt.Sprint(got) != "[14]" {
				t.Errorf("got %v", got)
			}
			c.truncated(false)
		})
	}
}

func testTransaction(t *testing.T, c *client) {
	t.Helper()
	tx, err := c.Begin(ctx(t))
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := tx.Query(ctx(t), "INSERT INTO parcels SELECT g, 'new' FROM generate_series(21, 28) AS g RETURNING n")
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(got) != 5 || rows.CommandTag().String() != "INSERT 0 8" {
		t.Errorf("RETURNING: %v, %s, %v", got, rows.CommandTag(), err)
	}
	if len(c.notices) != 1 || !strings.Contains(c.notices[0].Detail, "all its changes were made") {
		t.Errorf("got notices %+v", c.notices)
	}
	c.notices = nil
	if err := tx.Rollback(ctx(t)); err != nil {
		t.Error(err)
	}
}

func testBatch(t *testing.T, c *client) {
	t.Helper()
	c.notices = nil
	var b pgx.Batch
	b.Queue("SELECT n FROM parcels ORDER BY n")
	b.Queue("SELECT n FROM parcels WHERE n = $1", 4)
	b.Queue("SHOW ALL")
	b.Queue("SELECT n FROM parcels ORDER BY n DESC")
	results := c.SendBatch(ctx(t), &b)
	for i, want := range []int{5, 1, 5, 5} {
		rows, err := results.Query()
		if err != nil {
			t.Fatalf("batch %d: %v", i, err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		if rows.Err() != nil || n != want {
			t.Errorf("batch %d: %d rows, %v", i, n, rows.Err())
		}
	}
	if err := results.Close(); err != nil {
		t.Error(err)
	}
	if len(c.notices) != 3 {
		t.Errorf("got %d notices", len(c.notices))
	}
}

func state(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestCancel(t *testing.T) {
	server := dbtest.Postgres(t)
	c := dial(t, open(t, server.Addr(), capped(5, 0)).through(server, server.Database(t)))
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), "SELECT pg_sleep(31)")
		done <- err
	}()
	waitForSleep(t, server, "31")
	if err := c.PgConn().CancelRequest(ctx(t)); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		if state(err) != "57014" {
			t.Errorf("got %v, want 57014", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the CancelRequest had no effect")
	}
	if got, _ := c.numbers("SELECT 7"); fmt.Sprint(got) != "[7]" {
		t.Errorf("got %v", got)
	}
}

func TestDatabaseSQL(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	config, err := pgx.ParseConfig(open(t, server.Addr(), capped(5, 0)).through(server, database))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	statement, err := db.PrepareContext(ctx(t), "SELECT n, label FROM parcels WHERE n > $1 ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	defer statement.Close()
	for i := range 7 {
		rows, err := statement.QueryContext(ctx(t), i)
		if err != nil {
			t.Fatal(err)
		}
		if got := scanNumbers(t, rows); len(got) != 5 || got[0] != i+1 {
			t.Errorf("got %v", got)
		}
	}
	var n int
	if err := db.QueryRowContext(ctx(t), "SELECT count(*) FROM parcels").Scan(&n); err != nil || n != 12 {
		t.Errorf("%d, %v", n, err)
	}
}

func scanNumbers(t *testing.T, rows *sql.Rows) (got []int) {
	t.Helper()
	defer rows.Close()
	for rows.Next() {
		var n int
		var label string
		if err := rows.Scan(&n, &label); err != nil {
			t.Fatal(err)
		}
		got = append(got, n)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}

func psql(t *testing.T, dsn, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	path, err := exec.LookPath("psql")
	if err != nil {
		t.Skipf("SKIPPED, NOT PASSED: psql: %v", err)
	}
	cmd := exec.CommandContext(ctx(t), path, append([]string{"-X", "-A", "-t", dsn}, args...)...)
	cmd.Env = append(os.Environ(), "PGGSSENCMODE=disable", "PGCLIENTENCODING=UTF8", "LC_ALL=C.UTF-8")
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("psql: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

func TestPsql(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	dsn := strings.ReplaceAll(open(t, server.Addr(), capped(5, 0)).through(server, database), "sslmode=disable", "sslmode=prefer")
	const warning = "WARNING:  showing the first 5 rows; more rows exist\nDETAIL:  cap 5 from the default limit\nHINT:  add a LIMIT, narrow the WHERE clause, or aggregate\n"

	out, errs := psql(t, dsn, "", "-c", "SELECT n FROM parcels ORDER BY n")
	if out != "1\n2\n3\n4\n5\n" || errs != warning {
		t.Errorf("-c: %q, %q", out, errs)
	}
	out, errs = psql(t, dsn, "SELECT n FROM parcels ORDER BY n;\nSELECT n FROM parcels LIMIT 7;\nBEGIN; SELECT 1/0; ROLLBACK;\nSELECT count(*) FROM parcels;\n")
	if !strings.HasPrefix(out, "1\n2\n3\n4\n5\n1\n2\n3\n4\n5\n6\n7\nBEGIN\nROLLBACK\n12\n") ||
		errs != warning+"ERROR:  division by zero\n" {
		t.Errorf("stdin: %q, %q", out, errs)
	}
	out, errs = psql(t, dsn, "CREATE TABLE fresh (v int);\nCOPY fresh FROM STDIN;\n1\n2\n\\.\n\\d fresh\nSELECT count(*) FROM fresh;\n\\copy fresh TO STDOUT\n")
	if !strings.Contains(out, "v|integer|") || !strings.Contains(out, "\n2\n") || !strings.Contains(errs, "COPY … TO STDOUT is refused") {
		t.Errorf("copy: %q, %q", out, errs)
	}
	out, errs = psql(t, dsn, "\\set FETCH_COUNT 3\nSELECT n FROM parcels ORDER BY n;\n")
	if out != "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n" || errs != "" {
		t.Errorf("FETCH_COUNT: %q, %q", out, errs)
	}
}

// TestObserver checks what an observer is told.
func TestObserver(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	c := dial(t, door.through(server, "postgres"))
	c.numbers("SELECT generate_series(1, 9)")
	c.Exec(ctx(t), "SELECT 1; SET search_path = public; SELECT 2")
	c.Close(ctx(t))
	if err := door.end(t); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	door.seen.mu.Lock()
	defer door.seen.mu.Unlock()
	if len(door.seen.plans) != 4 || len(door.seen.outcomes) != 3 {
		t.Fatalf("%d plans, %d outcomes", len(door.seen.plans), len(door.seen.outcomes))
	}
	if o := door.seen.outcomes[0]; o.Completeness != rewrite.Truncated || o.Rows != 5 || o.Plan.Cap.Source != rewrite.SourceDefault {
		t.Errorf("%+v", o)
	}
}
