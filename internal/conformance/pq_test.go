package conformance

import (
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lib/pq"
)

func equal(got []int, want ...int) bool { return slices.Equal(got, want) }

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
	sqlSession
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
	c := &pqSession{}
	c.sqlSession = openSQL(t, sql.OpenDB(pq.ConnectorWithNoticeHandler(connector, func(n *pq.Error) { c.notices = append(c.notices, n) })))
	return c
}

func (c *pqSession) code(query string) string {
	_, err := c.ExecContext(c.ctx, query)
	var e *pq.Error
	if errors.As(err, &e) {
		return string(e.Code)
	}
	return ""
}

func (c *pqSession) told() int { return len(c.notices) }

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

	seen = append(seen, goLimits(openPq(t, mode, s))...)

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

	seen = append(seen, goCursor(openPq(t, mode, s)))
	seen = append(seen, goErrors(openPq(t, mode, s))...)

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
