package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/rewrite"
	"pgregory.net/rapid"
)

// TestRandomFindingsArePlans compares findings and plans on random statements.
func TestRandomFindingsArePlans(t *testing.T) {
	for _, target := range []sqlgen.Target{{Dialect: sqlgen.Postgres, Version: 150018, NoBackslash: true}, {Dialect: sqlgen.MySQL, Version: 90704}, {Dialect: sqlgen.MariaDB, Version: 101119}} {
		t.Run(target.Dialect, func(t *testing.T) {
			type pair struct {
				r *rewrite.Rewriter
				l *lint.Linter
			}
			var pairs []pair
			for _, policy := range policies() {
				r, l := both(t, target.Dialect, policy)
				pairs = append(pairs, pair{r, l})
			}
			statements := sqlgen.Statements(target)
			sqlgen.Check(t, 20*time.Second, func(t *rapid.T) {
				p := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "policy")]
				sql := statements.Draw(t, "statement").Text()
				compare(t, p.l, p.r, sql)
				fixed(t, p.l, p.r, sql)
			})
		})
	}
}

// fixed holds --fix to its promise: what it mends is found no more, the limit that it
// writes is the plan's own, and nothing else changes.
func fixed(t fataler, l *lint.Linter, r *rewrite.Rewriter, sql string) {
	t.Helper()
	before := l.Text("x.sql", sql)
	text, n := lint.Fix(before)
	if n == 0 {
		return
	}
	after := l.Text("x.sql", text)
	if _, again := lint.Fix(after); again > 0 {
		t.Errorf("%q: mended to %q, of which %d more are mended", sql, text, again)
	}
	if before.Statements != after.Statements {
		t.Errorf("%q: mended to %q, which has %d statements", sql, text, after.Statements)
	}
	was, is := r.Script(sql, rewrite.Ask{}).Plans, r.Script(text, rewrite.Ask{}).Plans
	if len(was) != len(is) {
		return // a text behind a routine's body
	}
	owns := 0
	for i := range is {
		if was[i].Method == rewrite.MethodProbe && is[i].Method == rewrite.MethodOwn {
			owns++
			if is[i].Cap.Rows != was[i].Cap.Rows {
				t.Errorf("%q: mended to %q: the cap was %d and is %d", sql, text, was[i].Cap.Rows, is[i].Cap.Rows)
			}
		} else if was[i].Statement.Text != is[i].Statement.Text {
			t.Errorf("%q: mended to %q: statement %d changed", sql, text, i)
		}
	}
	if owns != n {
		t.Errorf("%q: mended to %q: %d findings mended, %d plans are the statement's own now", sql, text, n, owns)
	}
}

// TestCorpusFindingsArePlans compares findings and plans on the statements that the
// dialects are tested with: what psql and pg_dump send, and forms of MySQL and MariaDB.
func TestCorpusFindingsArePlans(t *testing.T) {
	postgres := map[string]bool{}
	clients, err := filepath.Glob("../dialect/postgres/testdata/clients/*.sql")
	if err != nil || len(clients) == 0 {
		t.Fatalf("%d files, %v", len(clients), err)
	}
	for _, file := range clients {
		for text := range strings.SplitSeq(read(t, file), "\n----\n") {
			postgres[text] = true
		}
	}
	forms := map[string]bool{}
	for line := range strings.SplitSeq(read(t, "../dialect/mysql/testdata/forms.txt"), "\n") {
		forms[strings.ReplaceAll(line, "⏎", "\n")] = true
	}
	for name, texts := range map[string]map[string]bool{"postgres": postgres, "mysql": forms, "mariadb": forms} {
		t.Run(name, func(t *testing.T) {
			statements := 0
			for _, policy := range policies() {
				r, l := both(t, name, policy)
				for sql := range texts {
					if strings.TrimSpace(sql) != "" {
						statements += compare(t, l, r, sql)
						fixed(t, l, r, sql)
					}
				}
			}
			if statements < 500 {
				t.Errorf("%d statements only", statements)
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
