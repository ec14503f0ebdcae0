package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// blocks returns the blocks of docs/mcp.md in a language, "" for none.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for i, part := range strings.Split(string(text), "```") {
		if kind, body, ok := strings.Cut(part, "\n"); i%2 == 1 && ok && kind == language {
			found = append(found, body)
		}
	}
	return found
}

// TestDocExample asks what the page's example asks, and holds the page to the reply.
func TestDocExample(t *testing.T) {
	plain := blocks(t, "")
	want := plain[len(plain)-1]
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, "CREATE TABLE invoices AS SELECT g AS id, CASE WHEN g <= 1847 THEN 'overdue' ELSE 'paid' END AS status FROM generate_series(1, 3000) AS g")
	c := connect(t, s, db, knobs{def: 100, max: 1000})
	const sql = "SELECT * FROM invoices WHERE status = 'overdue'"
	a := c.call(t, "query", arguments{"sql": sql, "count": "exact"})
	if a.Total == nil || a.Total.Value == nil || *a.Total.Value != 1847 || a.Total.Kind != "exact" {
		t.Errorf("total %+v", a.Total)
	}
	a = c.call(t, "query", arguments{"sql": sql})
	_, got, _ := strings.Cut(a.text, "\n</data-")
	_, got, _ = strings.Cut(got, "\n\n")
	got = strings.Replace(got, "\nnextCursor: "+a.NextCursor+"\n", "", 1)
	if a.NextCursor == "" || got != want {
		t.Errorf("the reply says:\n%s\ndocs/mcp.md says:\n%s", got, want)
	}
}

// TestDocClients reads the page's configurations of clients.
func TestDocClients(t *testing.T) {
	found := blocks(t, "json")
	if len(found) != 3 {
		t.Fatalf("%d configurations", len(found))
	}
	for _, block := range found {
		type server struct {
			Command, URL string
			Args         []string
			Env, Headers map[string]string
		}
		var c struct{ MCPServers, Servers map[string]server }
		if err := json.Unmarshal([]byte(block), &c); err != nil {
			t.Errorf("%v: %s", err, block)
		}
		for _, s := range []server{c.MCPServers["shop"], c.Servers["shop"]} {
			if s.Command != "" && (s.Command != "rowcap" || strings.Join(s.Args, " ") != "mcp" || s.Env["ROWCAP_DSN"] == "") {
				t.Errorf("%+v", s)
			}
			if s.URL != "" && (!strings.HasSuffix(s.URL, Path) || !strings.HasPrefix(s.Headers["Authorization"], "Bearer ")) {
				t.Errorf("%+v", s)
			}
		}
		if len(c.MCPServers)+len(c.Servers) != 1 {
			t.Errorf("not one server: %s", block)
		}
	}
}
