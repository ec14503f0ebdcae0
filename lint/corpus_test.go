package lint_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// otherwise are the texts in PostgreSQL's suite at which the server says something else
// than is said here: it sees the semicolon behind the statement.
var otherwise = map[string]string{
	"create_operator.sql": "at end of input", "foreign_data.sql": "at end of input", "stats_ext.sql": "at end of input", "subscription.sql": "at end of input",
}

// TestPostgresSuiteFindingsArePlans compares findings and plans on every statement of
// PostgreSQL's regression suite.
func TestPostgresSuiteFindingsArePlans(t *testing.T) {
	folder := dbtest.Suite(t, "postgres")
	r, l := both(t, "postgres", rewrite.DefaultPolicy())
	seen, statements := map[string]bool{}, 0
	for path := range source.Walk([]string{filepath.Join(folder, "sql")}) {
		f, err := source.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		s := &source.Script{End: len(f.Text)}
		source.Cut(s, f.Text, r.Dialect().(rewrite.Tokenizer))
		for _, st := range s.Statements {
			if text := f.Text[st.Start:st.End]; len(st.Edits) == 0 && !seen[text] {
				seen[text] = true
				statements += compare(t, l, r, text)
			}
		}
	}
	t.Logf("%d statements", statements)
	if statements < 25_000 {
		t.Errorf("%d statements only", statements)
	}
}

// TestPostgresSuite looks at the scripts of PostgreSQL's regression suite: each error
// that is found is one that the server found as well, in the same words.
func TestPostgresSuite(t *testing.T) {
	folder := dbtest.Suite(t, "postgres")
	l := linter(t, "postgres", nil)
	files, statements, errors, skipped := 0, 0, 0, 0
	for r := range l.Run(context.Background(), source.Walk([]string{filepath.Join(folder, "sql")}), nil) {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Path, r.Err)
			continue
		}
		files, statements, skipped = files+1, statements+r.Statements, skipped+len(r.Skipped)
		name := filepath.Base(r.Path)
		outputs, err := filepath.Glob(filepath.Join(folder, "expected", strings.TrimSuffix(name, ".sql")+"*.out"))
		if err != nil {
			t.Fatal(err)
		}
		var expected strings.Builder
		for _, path := range outputs {
			expected.WriteString(read(t, path))
		}
		for _, f := range r.Findings {
			if f.Rule.Name != "parse-error" {
				continue
			}
			errors++
			if strings.Contains(expected.String(), "ERROR:  "+strings.TrimSuffix(f.Message, "…")) {
				continue
			}
			if other := otherwise[name]; other == "" || !strings.Contains(f.Message, other) {
				t.Errorf("%s:%d: %s, and the server does not say so", r.Path, f.Start.Line, f.Message)
			}
		}
	}
	t.Logf("%d files, %d statements, %d syntax errors, %d statements skipped", files, statements, errors, skipped)
	if files < 150 || statements < 30_000 || errors < 100 || skipped > 60 {
		t.Errorf("%d files, %d statements, %d errors, %d skipped", files, statements, errors, skipped)
	}
}
