package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestClientQueries reads the catalogue queries that clients send on their own, one
// file for each client, statements separated by lines of dashes. None of them may
// be capped: a listing of objects must not lose objects.
func TestClientQueries(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	d := New()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		queries := strings.Split(strings.TrimSpace(string(content)), "\n----\n")
		if len(queries) < 8 {
			t.Errorf("%s holds only %d statements", file, len(queries))
		}
		for _, sql := range queries {
			statements, err := d.Parse(sql)
			if err != nil || len(statements) == 0 {
				t.Errorf("%s: %v in\n%s", file, err, sql)
			}
			for _, st := range statements {
				if strings.HasPrefix(st.Text, settingsOfDump) {
					continue
				}
				if st.ReturnsRows && !st.CatalogOnly && !st.AtMostOneRow {
					t.Errorf("%s: would be capped: %s\n%s", file, facts(st), st.Text)
				}
			}
		}
	}
}

// settingsOfDump begins the one listing of a client's that is not exempt: pg_dump --create
// names no schema there, and nothing in the answer tells whose the relation is.
const settingsOfDump = "SELECT unnest(setconfig) FROM pg_db_role_setting"
