package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestSources has one server read PostgreSQL and MariaDB.
func TestSources(t *testing.T) {
	pg, maria := dbtest.Postgres(t), dbtest.MariaDB(t)
	pgdb, mariadb := pg.Database(t), maria.Database(t)
	pg.SQL(t, pgdb, twenty)
	maria.SQL(t, mariadb, twenty+"; DELETE FROM n WHERE i > 7")
	a := newConfig(t, pg, pgdb, knobs{def: 3, max: 10})
	b := newConfig(t, maria, mariadb, knobs{def: 5, max: 10})
	config := Config{Sources: []Source{a.Sources[0], b.Sources[0]}, CellChars: 100, ResponseChars: 5000,
		Saved: []SavedQuery{{Name: "all", SQL: "SELECT i FROM n ORDER BY i", Source: "shop"}, {Name: "all", SQL: "SELECT 7", Source: "orders"}}}
	config.Sources[0].Name, config.Sources[0].Description = "shop", "what is sold"
	config.Sources[1].Name = "orders"
	c := connectTo(t, config)

	for name, tool := range c.tools {
		s := tool.InputSchema.(map[string]any)
		source, _ := s["properties"].(map[string]any)["source"].(map[string]any)
		if fmt.Sprint(source["enum"]) != "[shop orders]" || !strings.Contains(fmt.Sprint(s["required"]), "source") || !strings.Contains(fmt.Sprint(source["description"]), "shop: what is sold") {
			t.Errorf("%s: source %v, required %v", name, source, s["required"])
		}
	}
	if d := c.tools["query"].Description; !strings.Contains(d, "On shop: Without a limit at most 3 rows") || !strings.Contains(d, "On orders: Without a limit at most 5 rows") {
		t.Errorf("description: %s", d)
	}
	sql := "SELECT i FROM n ORDER BY i"
	first := c.call(t, "query", arguments{"sql": sql, "source": "shop"})
	other := c.call(t, "query", arguments{"sql": sql, "source": "orders"})
	if first.RowCount != 3 || other.RowCount != 5 || !other.more() {
		t.Errorf("%s\n%s", first.raw, other.raw)
	}
	for name, args := range map[string]arguments{
		"is missing: The database, one of shop, orders": {"sql": sql},
		"use one of shop, orders":                       {"sql": sql, "source": "stock"},
		"another tool, statement, source":               {"sql": sql, "source": "orders", "cursor": first.NextCursor},
	} {
		if got := c.fails(t, "query", args); !strings.Contains(got, name) {
			t.Error(got)
		}
	}
	if a := c.call(t, "query", arguments{"sql": sql, "source": "shop", "cursor": first.NextCursor}); fmt.Sprint(a.Data) != "[[4] [5] [6]]" {
		t.Errorf("%s", a.raw)
	}
	if a := c.call(t, "list_tables", arguments{"source": "orders"}); a.RowCount != 1 {
		t.Errorf("%s", a.raw)
	}
	if r := c.result(t, "describe_table", arguments{"source": "shop", "table": "n"}); r.IsError {
		t.Error(textOf(r))
	}
	if a := c.call(t, "run_saved_query", arguments{"name": "all", "source": "orders"}); fmt.Sprint(a.Data) != "[[7]]" {
		t.Errorf("%s", a.raw)
	}
	if a := c.call(t, "list_saved_queries", arguments{"source": "shop"}); a.RowCount != 1 {
		t.Errorf("%s", a.raw)
	}
}

func TestSourcesAreChecked(t *testing.T) {
	s := dbtest.Postgres(t)
	one := newConfig(t, s, s.Database(t), knobs{}).Sources[0]
	named := one
	named.Name = "a"
	for want, c := range map[string]Config{
		"there is no source":                    {},
		`the source "" has no database`:         {Sources: []Source{{}}},
		`the name "a" is not that of one`:       {Sources: []Source{named, named}},
		`the name "" is not that of one`:        {Sources: []Source{one, named}},
		`the saved query "q" is for the source`: {Sources: []Source{one}, Saved: []SavedQuery{{Name: "q", SQL: "SELECT 1", Source: "b"}}},
	} {
		if _, err := NewServer(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// TestSavedQueries runs queries of the operator's, which are sent as they are.
func TestSavedQueries(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		long := make([]SavedQuery, 12)
		for i := range long {
			long[i] = SavedQuery{Name: fmt.Sprintf("q%02d", i), SQL: "SELECT 1"}
		}
		over := "$1"
		if s.Flavor != dbtest.FlavorPostgres {
			over = "?"
		}
		c := connect(t, s, db, knobs{def: 5, max: 10, saved: append(long,
			SavedQuery{Name: "all", SQL: "SELECT i FROM n ORDER BY i", Description: "every number"},
			SavedQuery{Name: "five", SQL: "SELECT i FROM n WHERE i <= 5 ORDER BY i"},
			SavedQuery{Name: "own", SQL: "SELECT i FROM n ORDER BY i LIMIT 7"},
			SavedQuery{Name: "large", SQL: "SELECT i FROM n ORDER BY i LIMIT 15"},
			SavedQuery{Name: "over", SQL: "SELECT i FROM n WHERE i > " + over + " ORDER BY i"},
			SavedQuery{Name: "writes", SQL: "DELETE FROM n"})})
		run := func(name string, more ...any) answer {
			args := arguments{"name": name}
			for i := 0; i < len(more); i += 2 {
				args[more[i].(string)] = more[i+1]
			}
			return c.call(t, "run_saved_query", args)
		}
		if a := run("all"); a.RowCount != 5 || !a.more() || a.LimitSource != "default" || a.NextCursor == "" || !strings.Contains(a.kinds(), "truncated") {
			t.Errorf("%s", a.raw)
		} else if next := run("all", "cursor", a.NextCursor); fmt.Sprint(next.Data) != "[[6] [7] [8] [9] [10]]" || !next.more() {
			t.Errorf("%s", next.raw)
		} else if got := c.fails(t, "run_saved_query", arguments{"name": "own", "cursor": a.NextCursor}); !strings.Contains(got, "cursor does not belong") {
			t.Error(got)
		}
		if a := run("five"); a.RowCount != 5 || a.more() || a.Completeness != "complete" || a.kinds() != "" {
			t.Errorf("exactly the cap: %s", a.raw)
		}
		if a := run("own"); a.RowCount != 7 || a.more() || a.LimitSource != "user_sql" {
			t.Errorf("%s", a.raw)
		}
		if a := run("large"); a.RowCount != 10 || !a.more() || a.LimitSource != "capped" || !strings.Contains(a.kinds(), "limit_capped") {
			t.Errorf("%s", a.raw)
		} else if next := run("large", "cursor", a.NextCursor); fmt.Sprint(next.Data) != "[[11] [12] [13] [14] [15]]" || next.more() || next.NextCursor != "" {
			t.Errorf("%s", next.raw)
		}
		if a := run("over", "params", []any{17}, "count", "exact"); a.RowCount != 3 || a.Total == nil || *a.Total.Value != 3 {
			t.Errorf("%s", a.raw)
		}
		if got := c.fails(t, "run_saved_query", arguments{"name": "writes"}); !strings.Contains(got, "only reading is allowed") {
			t.Error(got)
		}
		if got := c.fails(t, "run_saved_query", arguments{"name": "none"}); !strings.Contains(got, "list_saved_queries") {
			t.Error(got)
		}
		a := c.call(t, "list_saved_queries", arguments{"like": "q%"})
		if a.RowCount != 5 || !a.more() || !strings.Contains(a.text, "more rows exist") {
			t.Errorf("%s", a.raw)
		}
		a = c.call(t, "list_saved_queries", arguments{"like": "q%", "cursor": a.NextCursor})
		if a.RowCount != 5 || a.Data[0][0] != "q05" {
			t.Errorf("%s", a.raw)
		}
		if a := c.call(t, "list_saved_queries", arguments{"like": "al_"}); fmt.Sprint(a.Data) != "[[all every number SELECT i FROM n ORDER BY i]]" || a.more() {
			t.Errorf("%s", a.raw)
		}
	})
}
