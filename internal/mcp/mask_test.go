package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/query"
)

// TestMasking has every tool answer over a table with a masked column.
func TestMasking(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		s.SQL(t, db, "CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20), api_token VARCHAR(40)); INSERT INTO users VALUES (1, 'ann', 's3cr3t-1'), (2, 'bob', 's3cr3t-2')")
		c := connect(t, s, db, knobs{def: 5, max: 10, mask: query.Mask{Columns: []string{"*token"}}, execute: true,
			saved: []SavedQuery{{Name: "users", SQL: "SELECT * FROM users ORDER BY id"}}})
		for _, format := range []string{"markdown", "csv", "json"} {
			a := c.call(t, "query", arguments{"sql": "SELECT id, api_token AS t FROM users ORDER BY id", "format": format})
			if fmt.Sprint(a.Data) != "[[1 [masked]] [2 [masked]]]" || !strings.Contains(string(a.raw), `"masked":true,"name":"t"`) || a.kinds() != "columns_masked" ||
				!strings.Contains(a.text, "users.api_token: shown as [masked], and NULL wherever else") || strings.Count(a.text, "[masked]") < 3 {
				t.Errorf("%s: %s\n%s", format, a.raw, a.text)
			}
		}
		nested := c.call(t, "query_nested", arguments{"queries": []any{
			arguments{"name": "a", "sql": "SELECT id, api_token AS t FROM users"}, arguments{"name": "b", "sql": "SELECT upper(t) AS u, id FROM a ORDER BY id"}}})
		if fmt.Sprint(nested.Data) != "[[<nil> 1] [<nil> 2]]" || nested.kinds() != "columns_masked" {
			t.Errorf("%s", nested.raw)
		}
		if a := c.call(t, "run_saved_query", arguments{"name": "users"}); strings.Contains(string(a.raw), "s3cr3t") || fmt.Sprint(a.Data[0]) != "[1 ann [masked]]" {
			t.Errorf("%s", a.raw)
		}
		for tool, args := range map[string]arguments{
			"query":         {"sql": "SELECT id FROM users WHERE api_token LIKE 's3%'"},
			"explain_query": {"sql": "SELECT id FROM users ORDER BY api_token"},
			"execute":       {"sql": "UPDATE users SET name = api_token"},
			"query_nested":  {"queries": []any{arguments{"name": "users", "sql": "SELECT 1 AS api_token"}, arguments{"name": "b", "sql": "SELECT api_token FROM users"}}},
		} {
			if got := c.fails(t, tool, args); !strings.Contains(got, "masked") {
				t.Errorf("%s: %s", tool, got)
			}
		}
		if r := c.result(t, "describe_table", arguments{"table": "users"}); r.IsError || strings.Contains(textOf(r), "s3cr3t") || !strings.Contains(string(structured(t, r)), `"masked":["api_token"]`) || !strings.Contains(textOf(r), "masks 1 of its columns") {
			t.Error(textOf(r))
		}
		if a := c.call(t, "list_tables", nil); a.RowCount == 0 {
			t.Errorf("%s", a.raw)
		}
	})
}
