package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

func TestQueryNested(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 3, max: 10})
		args := func(stage, root string) json.RawMessage {
			return json.RawMessage(`{"queries":[{"name":"big","sql":"SELECT i FROM n WHERE i > 5 ORDER BY i"` + stage + `},{"name":"root","sql":"SELECT i FROM big ORDER BY i"` + root + `}]}`)
		}
		for _, want := range []struct {
			stage, root string
			data        string
			more        bool
			source      string
		}{
			{``, ``, "[[6] [7] [8]]", true, "default"},
			{`,"limit":2`, ``, "[[6] [7]]", false, "default"},
			{`,"limit":4`, ``, "[[6] [7] [8]]", true, "default"},
			{`,"limit":100000`, ``, "[[6] [7] [8]]", true, "default"},
			{``, `,"limit":5`, "[[6] [7] [8] [9] [10]]", true, "tool_param"},
			{`,"limit":2`, `,"limit":5`, "[[6] [7]]", false, "tool_param"},
		} {
			a := c.call(t, "query_nested", args(want.stage, want.root))
			if fmt.Sprint(a.Data) != want.data || a.more() != want.more || a.LimitSource != want.source || want.more && !strings.Contains(a.text, "pass a higher limit for the last query (up to 10)") {
				t.Errorf("%s %s: %s\n%s", want.stage, want.root, a.raw, a.text)
			}
		}
		first := c.call(t, "query_nested", args("", ""))
		next := strings.TrimSuffix(string(args("", "")), "}") + `,"cursor":"` + first.NextCursor + `"}`
		if a := c.call(t, "query_nested", json.RawMessage(next)); fmt.Sprint(a.Data) != "[[9] [10] [11]]" {
			t.Errorf("the next page is %s", a.raw)
		}
		c.fails(t, "query_nested", json.RawMessage(strings.Replace(next, "i > 5", "i > 6", 1)))
	})
}

func TestQueriesAreChecked(t *testing.T) {
	s := dbtest.Postgres(t)
	c := connect(t, s, s.Database(t), knobs{def: 3, max: 10})
	for args, want := range map[string]string{
		`{"queries":[]}`:                                        "use a list of 1 to 20 objects",
		`{"queries":["SELECT 1"]}`:                              `query 1 of "queries" is`,
		`{"queries":[null]}`:                                    `query 1 of "queries" is null`,
		`{"queries":[{"sql":"SELECT 1"}]}`:                      `argument "name" is missing`,
		`{"queries":[{"name":"a","sql":"SELECT 1","limit":0}]}`: `"limit" is 0`,
		`{"queries":[{"name":"a","sql":"DELETE FROM n"},{"name":"b","sql":"SELECT 1"}]}`:                          "query 1 (a)",
		`{"queries":[{"name":"a","sql":"SELECT 1"},{"name":"a","sql":"SELECT 1"},{"name":"b","sql":"SELECT 1"}]}`: "has no name of its own",
	} {
		if got := c.fails(t, "query_nested", json.RawMessage(args)); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
}
