package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestExecute changes rows where the operator lets it.
func TestExecute(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		reading := connect(t, s, db, knobs{def: 5, max: 10})
		if reading.tools["execute"] != nil {
			t.Fatal("execute is offered though it was not turned on")
		}
		c := connect(t, s, db, knobs{def: 5, max: 10, execute: true, cells: 100, response: 5000})
		tool := c.tools["execute"]
		if a := tool.Annotations; a.ReadOnlyHint || a.IdempotentHint || a.DestructiveHint == nil || !*a.DestructiveHint {
			t.Errorf("%+v", a)
		}
		if a := c.tools["query"].Annotations; !a.ReadOnlyHint {
			t.Errorf("%+v", a)
		}
		count := func() any { return c.call(t, "query", arguments{"sql": "SELECT count(*) FROM n"}).Data[0][0] }
		mark := "$1"
		if s.Flavor != dbtest.FlavorPostgres {
			mark = "?"
		}
		a := c.call(t, "execute", arguments{"sql": "INSERT INTO n VALUES (21), (" + mark + ")", "params": []any{22}})
		if !strings.Contains(string(a.raw), `"rowsAffected":2`) || !strings.Contains(a.text, "2 rows were changed, and the changes are committed") || a.NextCursor != "" {
			t.Errorf("%s\n%s", a.raw, a.text)
		}
		if n := count(); n != 22.0 {
			t.Errorf("%v rows", n)
		}
		if a := c.call(t, "execute", arguments{"sql": "DELETE FROM n", "dry_run": true}); a.SQL != "DELETE FROM n" || count() != 22.0 {
			t.Errorf("%s", a.raw)
		}
		if s.Flavor != dbtest.FlavorMySQL { // MySQL has no RETURNING
			a := c.call(t, "execute", arguments{"sql": "DELETE FROM n WHERE i > 8 RETURNING i"})
			if a.RowCount != 5 || !a.more() || !strings.Contains(string(a.raw), `"rowsAffected":14`) || !strings.Contains(a.text, "all its changes were made") || !strings.Contains(a.text, "do not run the statement again") {
				t.Errorf("%s\n%s", a.raw, a.text)
			}
			if n := count(); n != 8.0 {
				t.Errorf("%v rows", n)
			}
		}
		for sql, want := range map[string]string{
			"SELECT 1":                        "use the tool query to read",
			"DROP TABLE n":                    "none that changes rows",
			"COMMIT":                          "none that changes rows",
			"CREATE TABLE m AS SELECT 1 AS a": "none that changes rows",
			"DELETE FROM n; DELETE FROM n":    "the text has 2 statements",
			"INSERT INTO n VALUES (1)":        "uplicate",
			"DELET FROM n":                    "cannot be read",
			"UPDATE n SET i = 1 WHERE no_such_column = 2": "no_such_column",
		} {
			if got := c.fails(t, "execute", arguments{"sql": sql}); !strings.Contains(got, want) {
				t.Errorf("%s: %s", sql, got)
			}
		}
		if got := c.fails(t, "query", arguments{"sql": "DELETE FROM n"}); !strings.Contains(got, "only reading is allowed") {
			t.Error(got)
		}
		before := count()
		if s.Flavor == dbtest.FlavorPostgres {
			a := c.call(t, "execute", arguments{"sql": "WITH gone AS (DELETE FROM n WHERE i <= 7 RETURNING i) SELECT i FROM gone"})
			if a.RowCount != 5 || !a.more() || fmt.Sprint(count()) != "1" {
				t.Errorf("%s, and %v rows of %v are left", a.raw, count(), before)
			}
			// The server counts the outer rows alone.
			s.SQL(t, db, "INSERT INTO n SELECT generate_series(100, 160)")
			for _, sql := range []string{
				"WITH gone AS (DELETE FROM n WHERE i < 110 RETURNING i) SELECT i FROM gone",
				"WITH gone AS (DELETE FROM n WHERE i BETWEEN 110 AND 119 RETURNING i) SELECT count(*) FROM gone",
				"WITH moved AS (UPDATE n SET i = i + 1000 WHERE i BETWEEN 120 AND 129 RETURNING i) DELETE FROM n WHERE i = 130",
			} {
				a := c.call(t, "execute", arguments{"sql": sql})
				if strings.Contains(string(a.raw), "rowsAffected") || !strings.Contains(a.text, "how many rows were changed is not known") || !strings.Contains(string(a.raw), "changes_uncounted") ||
					strings.Contains(a.text, "pass a higher limit") || strings.Contains(a.text, "rows were changed, and the changes") {
					t.Errorf("%s\n%s", a.raw, a.text)
				}
			}
			a = c.call(t, "execute", arguments{"sql": "UPDATE n SET i = i WHERE i > 1100 RETURNING i, repeat('x', 3000)", "limit": 10})
			if strings.Contains(a.text, "fewer columns") || !strings.Contains(a.text, "do not run the statement again") {
				t.Errorf("%s\n%s", a.raw, a.text)
			}
		}
	})
}
