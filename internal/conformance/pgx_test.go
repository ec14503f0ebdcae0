package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// pgxModes are pgx's ways to execute a query, as its connection string names
// them.
var pgxModes = []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"}

// parcels is the query that most checks run.
const parcels = "SELECT n FROM parcels ORDER BY n"

// pgxSession is a connection that keeps its notices.
type pgxSession struct {
	*pgx.Conn
	t       *testing.T
	ctx     context.Context
	notices []*pgconn.Notice
}

func openPgx(t *testing.T, mode string, s session) *pgxSession {
	t.Helper()
	config, err := pgx.ParseConfig(s.url("&default_query_exec_mode=" + mode))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	c := &pgxSession{t: t, ctx: ctx}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, n) }
	if c.Conn, err = pgx.ConnectConfig(ctx, config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(ctx); cancel() })
	return c
}

func (c *pgxSession) run(query string, args ...any) ([]int, pgconn.CommandTag) {
	c.t.Helper()
	rows, err := c.Query(c.ctx, query, args...)
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
	return got, rows.CommandTag()
}

func (c *pgxSession) rows(query string, args ...any) []int {
	c.t.Helper()
	rows, _ := c.run(query, args...)
	return rows
}

func (c *pgxSession) exec(query string) {
	c.t.Helper()
	if _, err := c.Exec(c.ctx, query); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
}

// code returns the SQLSTATE of a query's error.
func (c *pgxSession) code(query string) string {
	_, err := c.Exec(c.ctx, query)
	return pgCode(err)
}

func pgCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func (c *pgxSession) told() int { return len(c.notices) }

func (c *pgxSession) last() map[string]any {
	return parseLast(c.PgConn().ParameterStatus("rowcap.last"))
}

func parseLast(text string) map[string]any {
	var last map[string]any
	json.Unmarshal([]byte(text), &last)
	return last
}

func runPgx(t *testing.T, mode string, s session) (seen []observation) {
	say := func(check string, pairs ...any) { seen = append(seen, saw(check, pairs...)) }
	c := openPgx(t, mode, s)
	rows, tag := c.run(parcels)
	say("rows", "rows", rows, "count", int(tag.RowsAffected()))
	if len(c.notices) == 1 {
		n := c.notices[0]
		say("notice", "severity", n.SeverityUnlocalized, "code", n.Code, "message", n.Message, "detail", n.Detail, "hint", n.Hint)
	}
	seen = append(seen, observation{"last", c.last()})
	c.notices = nil
	rows = c.rows("SELECT 7")
	say("step", "rows", rows, "notices", len(c.notices))

	seen = append(seen, goLimits(openPgx(t, mode, s))...)

	c = openPgx(t, mode, s)
	cut, whole := 0, 0
	for range 8 {
		if equal(c.rows("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 2), 3, 4, 5, 6, 7) {
			cut++
		}
		if equal(c.rows("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 9), 10, 11, 12) {
			whole++
		}
	}
	say("prepared", "cut", cut, "whole", whole, "notices", len(c.notices))

	seen = append(seen, goCursor(openPgx(t, mode, s)))
	seen = append(seen, goErrors(openPgx(t, mode, s))...)

	c = openPgx(t, mode, s)
	rows, tag = c.run("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
	say("returning", "rows", rows, "count", int(tag.RowsAffected()), "stored", c.rows("SELECT count(*)::int FROM shelves")[0], "notices", len(c.notices))

	c = openPgx(t, mode, s)
	shown, err := c.Query(c.ctx, "SHOW ALL")
	n := 0
	for err == nil && shown.Next() {
		n++
	}
	say("guard", "rows", n, "notices", len(c.notices))
	_, err = c.PgConn().CopyTo(c.ctx, io.Discard, "COPY parcels TO STDOUT")
	say("copy_out", "code", pgCode(err), "rows", c.rows("SELECT 7"))
	if _, err := c.PgConn().CopyFrom(c.ctx, strings.NewReader("101\n102\n"), "COPY shelves FROM STDIN"); err != nil {
		t.Error(err)
	}
	say("copy_in", "stored", c.rows("SELECT count(*)::int FROM shelves WHERE n > 100")[0])

	c = openPgx(t, mode, s)
	results, err := c.PgConn().Exec(c.ctx, parcels+"; SELECT 7").ReadAll()
	if err != nil {
		t.Error(err)
	}
	var lists [][]int
	for _, r := range results {
		lists = append(lists, textNumbers(r.Rows))
	}
	say("script", "rows", lists, "notices", len(c.notices))

	c = openPgx(t, mode, s)
	var batch pgx.Batch
	batch.Queue(parcels)
	batch.Queue("SELECT n FROM parcels WHERE n = $1", 7)
	batch.Queue("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 6)
	answers := c.SendBatch(c.ctx, &batch)
	lists = nil
	for range batch.Len() {
		r, err := answers.Query()
		if err != nil {
			t.Error(err)
			break
		}
		rows, err := pgx.CollectRows(r, pgx.RowTo[int])
		if err != nil {
			t.Error(err)
		}
		lists = append(lists, rows)
	}
	if err := answers.Close(); err != nil {
		t.Error(err)
	}
	say("pipeline", "rows", lists, "notices", len(c.notices))
	return seen
}
