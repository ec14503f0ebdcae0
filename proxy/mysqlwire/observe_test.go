package mysqlwire_test

import (
	"context"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestObserve holds that a policy that only observes leaves every row and warning as
// they are, and that the observer is told what would have been cut.
func TestObserve(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	p := policy(3, 5)
	p.Observe, p.Unparsed = true, rewrite.UnparsedRefuse
	run := serve(t, s.Addr(), p)
	conn := connect(t, s, database, run, nil)
	ctx := context.Background()
	for _, c := range []struct {
		query  string
		args   []any
		beyond uint64
	}{
		{"SELECT n FROM parcels ORDER BY n", nil, 9},
		{"SELECT n FROM parcels ORDER BY n LIMIT 7", nil, 2},
		{"SELECT n FROM parcels WHERE n > ? ORDER BY n LIMIT ?", []any{1, 9}, 4},
		{"SELECT n FROM parcels ORDER BY n LIMIT ?", []any{4}, 0},
		{"SHOW CHARACTER SET WHERE Charset <> 'utf8mb4' AND Maxlen = 1", nil, 0},
	} {
		rows, err := conn.QueryContext(ctx, c.query, c.args...)
		if got := strings.Count(results(t, rows, err), "\n"); c.beyond > 0 && got < 7 {
			t.Errorf("%s: %d rows", c.query, got)
		}
		if o := run.last(t); o.Completeness != rewrite.Complete || c.beyond > 0 && o.Beyond != c.beyond {
			t.Errorf("%s: %s, %d rows beyond the cap, want %d", c.query, o.Completeness, o.Beyond, c.beyond)
		}
		rows, err = conn.QueryContext(ctx, "SHOW WARNINGS")
		if got := results(t, rows, err); got != "" {
			t.Errorf("%s: the warnings %s", c.query, got)
		}
	}
	if _, err := conn.QueryContext(ctx, "SELEC 1"); err == nil || strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v, want the server's own error", err)
	}
}
