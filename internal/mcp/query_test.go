package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestLimits(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 5, max: 10, cells: 100, response: 4000})
		for _, want := range []struct {
			sql          string
			limit        int
			rows         int
			more         bool
			source       string
			effective    uint64
			kinds        string
			inText, gone string
		}{
			{"SELECT i FROM n ORDER BY i", 0, 5, true, "default", 5, "truncated", "pass a higher limit (up to 10)", ""},
			{"SELECT i FROM n WHERE i <= 5 ORDER BY i", 0, 5, false, "default", 5, "", "5 rows", "more rows"},
			{"SELECT i FROM n WHERE i <= 6 ORDER BY i", 0, 5, true, "default", 5, "truncated", "showing the first 5 rows; more rows exist", ""},
			{"SELECT i FROM n ORDER BY i LIMIT 4", 8, 4, false, "user_sql", 4, "own_limit_reached", "own limit of 4 was reached", "more rows exist"},
			{"SELECT i FROM n ORDER BY i LIMIT 5000", 0, 10, true, "capped", 10, "limit_capped truncated", "the limit of 5000 was lowered to the maximum of 10", ""},
			{"SELECT i FROM n ORDER BY i", 7, 7, true, "tool_param", 7, "truncated", "more rows exist", ""},
			{"SELECT i FROM n ORDER BY i", 2000, 10, true, "capped", 10, "limit_capped truncated", "the limit of 2000 was lowered", ""},
			{"SELECT i, count(*) FROM n GROUP BY i", 3, 3, true, "tool_param", 3, "groups_missing arbitrary_rows unstable_order truncated", "do not add up its rows", ""},
		} {
			args := arguments{"sql": want.sql}
			if want.limit > 0 {
				args["limit"] = want.limit
			}
			a := c.call(t, "query", args)
			if a.RowCount != want.rows || a.HasMore == nil || *a.HasMore != want.more || a.LimitSource != want.source || a.EffectiveLimit == nil || *a.EffectiveLimit != want.effective ||
				a.kinds() != want.kinds || !strings.Contains(a.text, want.inText) || want.gone != "" && strings.Contains(a.text, want.gone) || (a.NextCursor != "") != want.more {
				t.Errorf("%s: %s\n%s", want.sql, a.raw, a.text)
			}
		}
	})
}

func TestArgumentsAreChecked(t *testing.T) {
	s := dbtest.Postgres(t)
	c := connect(t, s, s.Database(t), knobs{def: 5, max: 10})
	for args, want := range map[string]string{
		`{}`:                                  `argument "sql" is missing`,
		`{"sql":""}`:                          `has 0 characters`,
		`{"sql":7}`:                           `use a string`,
		`{"sql":"SELECT 1","limit":0}`:        `"limit" is 0: use a whole number from 1 to 1000000`,
		`{"sql":"SELECT 1","limit":-1}`:       `"limit" is -1`,
		`{"sql":"SELECT 1","limit":2.5}`:      `"limit" is 2.5`,
		`{"sql":"SELECT 1","limit":1e99}`:     `"limit" is`,
		`{"sql":"SELECT 1","limit":"5"}`:      `"limit" is "5"`,
		`{"sql":"SELECT 1","limit":99999999}`: `"limit" is 99999999`,
		`{"sql":"SELECT 1","offset":-1}`:      `"offset" is -1`,
		`{"sql":"SELECT 1","format":"xml"}`:   `use one of markdown, csv, json`,
		`{"sql":"SELECT 1","dry_run":"yes"}`:  `use true or false`,
		`{"sql":"SELECT 1","params":[[1]]}`:   `holds a list or an object`,
		`{"sql":"SELECT 1","params":{}}`:      `use a list`,
		`{"sql":"SELECT 1","limits":5}`:       `argument "limits" is not known: use sql, limit`,
		`{"sql":"SELECT 1","count":"all"}`:    `use one of none, estimate, exact`,
		`{"sql":"SELECT 1; SELECT 2"}`:        `the text has 2 statements`,
		`{"sql":"DELETE FROM n"}`:             `only reading is allowed`,
		`{"sql":"SELECT nope"}`:               `column "nope" does not exist`,
		`{"sql":"SELEC 1"}`:                   `cannot be read`,
	} {
		if got := c.fails(t, "query", json.RawMessage(args)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
	for name, tool := range c.tools {
		properties := tool.InputSchema.(map[string]any)["properties"].(map[string]any)
		if limit, ok := properties["limit"].(map[string]any); ok && (limit["minimum"] != 1.0 || limit["maximum"] != float64(MaxLimit) || !strings.Contains(limit["description"].(string), "More than 10")) {
			t.Errorf("%s: limit %v", name, limit)
		}
		if a := tool.Annotations; a == nil || !a.ReadOnlyHint || !a.IdempotentHint || a.DestructiveHint == nil || *a.DestructiveHint || tool.OutputSchema == nil {
			t.Errorf("%s: annotations %+v", name, a)
		}
	}
	if d := c.tools["query"].Description; !strings.Contains(d, "at most 5 rows") || !strings.Contains(d, "up to 10") || !strings.Contains(d, "hasMore") || !strings.Contains(d, "Never present") {
		t.Errorf("description: %s", d)
	}
}

// TestPages reads every row once, in pages that are also cut for their size.
func TestPages(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		for _, k := range []knobs{{def: 3, max: 10}, {def: 6, max: 10, response: 1000}} {
			c := connect(t, s, db, k)
			for sql, want := range map[string]int{
				"SELECT i, '" + strings.Repeat("x", 90) + "' AS pad FROM n ORDER BY i":          20,
				"SELECT i, '" + strings.Repeat("x", 90) + "' AS pad FROM n ORDER BY i LIMIT 11": 11,
				"SELECT i FROM n WHERE i > 100":                                                 0,
			} {
				args := arguments{"sql": sql}
				var got []string
				for pages := 0; pages <= want; pages++ {
					a := c.call(t, "query", args)
					for _, row := range a.Data {
						got = append(got, fmt.Sprint(row[0]))
					}
					if a.NextCursor == "" {
						if a.more() {
							t.Errorf("the last page says that more rows exist")
						}
						break
					}
					args["cursor"] = a.NextCursor
				}
				if len(got) != want || want > 0 && got[want-1] != fmt.Sprint(want) || len(slices.Compact(slices.Clone(got))) != want {
					t.Errorf("%s: %v", sql, got)
				}
			}
		}
	})
}

func TestCursorsAreBound(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	k := knobs{def: 3, max: 10, key: "one key for all replicas"}
	c := connect(t, s, db, k)
	sql := "SELECT i FROM n WHERE i > $1 ORDER BY i"
	first := c.call(t, "query", arguments{"sql": sql, "params": []any{2}, "limit": 4})
	replica := connect(t, s, db, k)
	again := replica.call(t, "query", arguments{"sql": sql, "params": []any{2}, "limit": 4, "cursor": first.NextCursor})
	if again.Offset != 4 || fmt.Sprint(again.Data) != "[[7] [8] [9] [10]]" {
		t.Errorf("the replica answers %s", again.raw)
	}
	if a := replica.call(t, "query", arguments{"sql": sql, "params": []any{2}, "cursor": first.NextCursor}); a.RowCount != 4 {
		t.Errorf("without the limit the page has %d rows", a.RowCount)
	}
	altered := []byte(first.NextCursor)
	altered[2] ^= 1
	for name, args := range map[string]arguments{
		"altered":          {"sql": sql, "params": []any{2}, "cursor": string(altered)},
		"no base64":        {"sql": sql, "params": []any{2}, "cursor": "?"},
		"short":            {"sql": sql, "params": []any{2}, "cursor": first.NextCursor[:8]},
		"other statement":  {"sql": sql + " ", "params": []any{2}, "cursor": first.NextCursor},
		"other parameters": {"sql": sql, "params": []any{3}, "cursor": first.NextCursor},
		"other kind":       {"sql": sql, "params": []any{"2"}, "cursor": first.NextCursor},
		"other page size":  {"sql": sql, "params": []any{2}, "cursor": first.NextCursor, "limit": 5},
		"and an offset":    {"sql": sql, "params": []any{2}, "cursor": first.NextCursor, "offset": 5},
	} {
		if got := c.fails(t, "query", args); !strings.Contains(got, "cursor") {
			t.Errorf("%s: %s", name, got)
		}
	}
	stranger := connect(t, s, db, knobs{def: 3, max: 10, key: "a key of somebody else"})
	stranger.fails(t, "query", arguments{"sql": sql, "params": []any{2}, "cursor": first.NextCursor})
	elsewhere := connect(t, s, s.Database(t), k)
	if got := elsewhere.fails(t, "query", arguments{"sql": sql, "params": []any{2}, "cursor": first.NextCursor}); !strings.Contains(got, "cursor") {
		t.Error(got)
	}
	if got := c.fails(t, "query", arguments{"sql": "SHOW ALL", "offset": 3}); !strings.Contains(got, "have no pages") {
		t.Error(got)
	}
	if a := c.call(t, "query", arguments{"sql": "SHOW ALL"}); !a.more() || a.NextCursor != "" {
		t.Errorf("%s", a.raw)
	}
}

func TestDryRunAndShowSQL(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 5, max: 10})
		a := c.call(t, "query", arguments{"sql": "SELECT i FROM n", "dry_run": true})
		if a.SQL != "SELECT i FROM n LIMIT 6" || a.RowCount != 0 || a.HasMore != nil || a.kinds() != "" || !strings.Contains(a.text, "LIMIT 6") || strings.Contains(a.text, "more rows") {
			t.Errorf("%s\n%s", a.raw, a.text)
		}
		if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n", "show_sql": true}); a.SQL != "SELECT i FROM n LIMIT 6" || a.RowCount != 5 {
			t.Errorf("%s", a.raw)
		}
		if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n"}); a.SQL != "" {
			t.Errorf("%s", a.raw)
		}
	})
}

func TestExplain(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 2, max: 10})
		sql := "SELECT a.i FROM n a JOIN n b ON a.i + b.i = 7 JOIN n c ON b.i + c.i = 8 JOIN n d ON c.i + d.i = 9"
		a := c.call(t, "explain_query", arguments{"sql": sql})
		if s.Flavor != dbtest.FlavorMySQL && (a.RowCount != 2 || !a.more() || !strings.Contains(a.kinds(), "truncated") || a.NextCursor != "") || a.RowCount == 0 {
			t.Errorf("%s", a.raw)
		}
		c.fails(t, "explain_query", arguments{"sql": "DELETE FROM n"})
		c.fails(t, "explain_query", arguments{"sql": sql, "cursor": "x"})
	})
}

func TestTrust(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	c := connect(t, s, db, knobs{def: 3, max: 10, explicit: rewrite.ExplicitTrust})
	if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n ORDER BY i LIMIT 15"}); a.RowCount != 15 || a.more() || a.LimitSource != "user_sql" || strings.Contains(a.kinds(), "capped") {
		t.Errorf("%s", a.raw)
	}
}

func TestTotals(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 5, max: 10})
		if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n", "count": "exact"}); a.Total == nil || a.Total.Kind != "exact" || *a.Total.Value != 20 || !strings.Contains(a.text, "total: 20 (exact)") {
			t.Errorf("%s", a.raw)
		}
		if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n"}); a.Total != nil || strings.Contains(a.text, "total") {
			t.Errorf("%s", a.raw)
		}
	})
}

// TestTrustedExplain has plans of more lines than the cap.
func TestTrustedExplain(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	sql := "SELECT a.i FROM n a JOIN n b ON a.i = b.i JOIN n c ON b.i + c.i = 8"
	trusting := connect(t, s, db, knobs{def: 2, max: 3, explicit: rewrite.ExplicitTrust})
	clamping := connect(t, s, db, knobs{def: 2, max: 3})
	for _, args := range []arguments{{"sql": sql + " LIMIT 20"}, {"sql": sql, "limit": 2}} {
		a := trusting.call(t, "explain_query", args)
		if a.RowCount <= 3 || a.more() || a.kinds() != "" || a.Limit != nil {
			t.Errorf("%s", a.raw)
		}
		if a := clamping.call(t, "explain_query", args); a.RowCount > 3 || !a.more() || !strings.Contains(a.kinds(), "truncated") {
			t.Errorf("%s", a.raw)
		}
	}
	if a := trusting.call(t, "explain_query", arguments{"sql": sql}); a.RowCount != 2 || !a.more() || !strings.Contains(a.kinds(), "truncated") {
		t.Errorf("without a limit: %s", a.raw)
	}
}

// TestLockingReadsAreNotProbed has a read whose probe row would be locked.
func TestLockingReadsAreNotProbed(t *testing.T) {
	s := dbtest.MariaDB(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	c := connect(t, s, db, knobs{def: 5, max: 10})
	a := c.call(t, "query", arguments{"sql": "SELECT i FROM n ORDER BY i LOCK IN SHARE MODE", "show_sql": true})
	if a.RowCount != 5 || a.HasMore != nil || a.Completeness != "unknown" || a.NextCursor != "" || !strings.Contains(a.SQL, "LIMIT 5 LOCK IN SHARE MODE") || !strings.Contains(a.text, "more rows may exist") || !strings.Contains(a.text, "a probe row would be locked") {
		t.Errorf("%s\n%s", a.raw, a.text)
	}
	pg := dbtest.Postgres(t)
	db = pg.Database(t)
	pg.SQL(t, db, twenty)
	if got := connect(t, pg, db, knobs{def: 5, max: 10}).fails(t, "query", arguments{"sql": "SELECT i FROM n FOR UPDATE"}); !strings.Contains(got, "read-only transaction") {
		t.Error(got)
	}
}
