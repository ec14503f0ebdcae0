package conformance

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"
)

func equal(got []int, want ...int) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if got[i] != want[i] {
			return false
		}
	}
	return true
}

// textNumbers reads the first column of rows in text format.
func textNumbers(rows [][][]byte) (numbers []int) {
	for _, row := range rows {
		n, _ := strconv.Atoi(string(row[0]))
		numbers = append(numbers, n)
	}
	return numbers
}

// pqSession is one connection of lib/pq that keeps its notices.
type pqSession struct {
	*sql.Conn
	t       *testing.T
	ctx     context.Context
	notices []*pq.Error
}

func openPq(t *testing.T, mode string, s session) *pqSession {
	t.Helper()
	parameters := ""
	if mode == "binary" {
		parameters = "&binary_parameters=yes"
	}
	connector, err := pq.NewConnector(s.url(parameters))
	if err != nil {
		t.Fatal(err)
	}
	c := &pqSession{t: t}
	db := sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, func(n *pq.Error) { c.notices = append(c.notices, n) }))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	c.ctx = ctx
	if c.Conn, err = db.Conn(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); db.Close(); cancel() })
	return c
}

func (c *pqSession) lists(rows *sql.Rows, err error) (lists [][]int) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for more := true; more; more = rows.NextResultSet() {
		var list []int
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				c.t.Fatal(err)
			}
			list = append(list, n)
		}
		lists = append(lists, list)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return lists
}

func (c *pqSession) rows(query string, args ...any) []int {
	c.t.Helper()
	return c.lists(c.QueryContext(c.ctx, query, args...))[0]
}

func (c *pqSession) exec(query string) {
	c.t.Helper()
	if _, err := c.ExecContext(c.ctx, query); err != nil {
		c.t.Fatalf("%s: %v", query, err)
	}
}

func (c *pqSession) code(query string) string {
	_, err := c.ExecContext(c.ctx, query)
	var e *pq.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return ""
}

func (c *pqSession) last() map[string]any {
	var text string
	c.QueryRowContext(c.ctx, "SHOW rowcap.last").Scan(&text)
	return parseLast(text)
}

func runPq(t *testing.T, mode string, s session) (seen []observation) {
	say := func(check string, pairs ...any) { seen = append(seen, saw(check, pairs...)) }
	c := openPq(t, mode, s)
	say("rows", "rows", c.rows(parcels))
	if len(c.notices) == 1 {
		n := c.notices[0]
		say("notice", "severity", n.Severity, "code", string(n.Code), "message", n.Message, "detail", n.Detail, "hint", n.Hint)
	}
	c.notices = nil
	rows := c.rows("SELECT 7")
	say("step", "rows", rows, "notices", len(c.notices))
	c.rows(parcels)
	seen = append(seen, observation{"last", c.last()})

	c = openPq(t, mode, s)
	rows = c.rows("SELECT n FROM parcels WHERE n <= 5 ORDER BY n")
	say("whole", "rows", rows, "notices", len(c.notices), "completeness", c.last()["completeness"])
	rows = c.rows(parcels + " LIMIT 3")
	say("own", "rows", rows, "notices", len(c.notices))
	rows = c.rows(parcels+" LIMIT $1", 12)
	say("clamped", "rows", rows, "notices", len(c.notices))

	c = openPq(t, mode, s)
	above, err := c.PrepareContext(c.ctx, "SELECT n FROM parcels WHERE n > $1 ORDER BY n")
	if err != nil {
		t.Fatal(err)
	}
	cut, whole := 0, 0
	for range 8 {
		if equal(c.lists(above.QueryContext(c.ctx, 2))[0], 3, 4, 5, 6, 7) {
			cut++
		}
		if equal(c.lists(above.QueryContext(c.ctx, 9))[0], 10, 11, 12) {
			whole++
		}
	}
	above.Close()
	say("prepared", "cut", cut, "whole", whole, "notices", len(c.notices))

	c = openPq(t, mode, s)
	c.exec("BEGIN")
	c.exec("DECLARE pages CURSOR FOR " + parcels)
	pages := [][]int{c.rows("FETCH 4 FROM pages"), c.rows("FETCH 4 FROM pages"), c.rows("FETCH 4 FROM pages")}
	c.exec("DECLARE rest CURSOR FOR " + parcels)
	rows = c.rows("FETCH ALL FROM rest")
	say("cursor", "pages", pages, "all", rows, "next", c.rows("FETCH NEXT FROM rest"))
	c.exec("COMMIT")

	c = openPq(t, mode, s)
	c.rows(parcels)
	say("error", "code", c.code("SELECT 1/0"), "rows", c.rows("SELECT 7"))
	c.exec("BEGIN")
	c.rows(parcels)
	codes := []string{c.code("SELECT 1/0"), c.code("SELECT 7")}
	c.exec("ROLLBACK")
	say("transaction", "codes", codes, "rows", c.rows("SELECT 7"))

	c = openPq(t, mode, s)
	rows = c.rows("INSERT INTO shelves SELECT g FROM generate_series(1, 8) AS g RETURNING n")
	say("returning", "rows", rows, "stored", c.rows("SELECT count(*) FROM shelves")[0], "notices", len(c.notices))

	c = openPq(t, mode, s)
	shown, err := c.QueryContext(c.ctx, "SHOW ALL")
	n := 0
	for err == nil && shown.Next() {
		n++
	}
	say("guard", "rows", n, "notices", len(c.notices))
	say("copy_out", "code", c.code("COPY parcels TO STDOUT"), "rows", c.rows("SELECT 7"))
	tx, err := c.BeginTx(c.ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := tx.Prepare("COPY shelves FROM STDIN")
	for _, n := range []int{101, 102} {
		if err == nil {
			_, err = in.Exec(n)
		}
	}
	if err == nil {
		_, err = in.Exec()
	}
	if err = errors.Join(err, tx.Commit()); err != nil {
		t.Error(err)
	}
	say("copy_in", "stored", c.rows("SELECT count(*) FROM shelves WHERE n > 100")[0])

	c = openPq(t, mode, s)
	lists := c.lists(c.QueryContext(c.ctx, strings.Join([]string{parcels, "SELECT 7"}, "; ")))
	say("script", "rows", lists, "notices", len(c.notices))
	return seen
}
