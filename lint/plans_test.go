package lint_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/rewrite"
)

// expected are the rules that a plan alone decides about, and whether they find
// something in the plan's statement. It is written from the plan's side: methods,
// warnings, refusals. doubted reports a text that cannot be read here and may be by the
// server.
func expected(p rewrite.Plan, doubted bool) map[string]bool {
	st := p.Statement
	query := st.Kind == rewrite.KindSelect
	unread := st.Kind == rewrite.KindUnknown
	capped := slices.ContainsFunc(p.Warnings, func(w rewrite.Warning) bool { return w.Kind == "limit_capped" })
	held := p.Metered() && p.Method != rewrite.MethodPass
	return map[string]bool{
		"refused or copy":   p.Method == rewrite.MethodRefuse || st.Kind == rewrite.KindCopy && st.ReturnsRows && p.Why != "reads system catalogues only",
		"unread":            unread && !doubted && p.Method != rewrite.MethodRefuse,
		"RC101":             (query || st.Kind == rewrite.KindFetch) && held && st.Limit.Form == rewrite.LimitNone,
		"RC102":             capped && st.Limit.Form == rewrite.LimitLiteral,
		"guard":             p.Method == rewrite.MethodGuard && !(st.Kind == rewrite.KindUtility && st.Writes),
		"RC107":             query && st.Locks && held && p.Method != rewrite.MethodOwn,
		"parameter at bind": p.Bind > 0,
	}
}

// told is what findings say of the same.
func told(findings []lint.Finding) map[string]bool {
	has := func(codes ...string) bool {
		return slices.ContainsFunc(findings, func(f lint.Finding) bool { return slices.Contains(codes, f.Rule.Code) })
	}
	guard := slices.ContainsFunc(findings, func(f lint.Finding) bool {
		return f.Method == "guard" && slices.Contains([]string{"RC201", "RC107", "RC106", "RC202", "RC001", "RC003", "RC112"}, f.Rule.Code)
	})
	return map[string]bool{"refused or copy": has("RC002", "RC112"), "unread": has("RC001", "RC003"), "RC101": has("RC101"), "RC102": has("RC102"),
		"guard": guard, "RC107": has("RC107"), "parameter at bind": has("RC103")}
}

// fataler is a test, or one of rapid's.
type fataler interface {
	Helper()
	Errorf(format string, args ...any)
}

// compare holds what is found in a text to the plans that a door makes of it.
func compare(t fataler, l *lint.Linter, r *rewrite.Rewriter, sql string) (statements int) {
	t.Helper()
	// The clients take a byte order mark off a file.
	sql = strings.TrimPrefix(sql, "\ufeff")
	plans := r.Script(sql, rewrite.Ask{}).Plans
	result := l.Text("case.sql", sql)
	if result.Err != nil {
		t.Errorf("%q: %v", sql, result.Err)
		return 0
	}
	if len(result.Skipped) > 0 {
		t.Errorf("%q: skipped: %s", sql, result.Skipped[0].Why)
		return 0
	}
	for i, p := range plans {
		if p.Statement.Obstacle == "a statement before may change how this text is read" {
			// Files are sent statement by statement, and then this one is read.
			if result.Statements <= i {
				t.Errorf("%q: %d statements, and the door plans %d and what follows", sql, result.Statements, i)
			}
			return len(plans)
		}
	}
	if last := len(plans) - 1; last >= 0 && plans[last].Statement.Obstacle == "the statement has statements of its own" && result.Statements > len(plans) {
		// The door takes all that comes behind a routine's body for part of it. What is cut
		// off here is no part of the body: such parts cannot be read.
		for _, f := range result.Findings {
			if f.Rule.Name == "parse-error" {
				t.Errorf("%q: a part of its body is cut off: %s", sql, f.Message)
			}
		}
		return len(plans)
	}
	if result.Statements != len(plans) {
		t.Errorf("%q: %d statements, and the door plans %d", sql, result.Statements, len(plans))
		return 0
	}
	inspector := r.Dialect().(rewrite.Inspector)
	for i, p := range plans {
		from, to := p.Statement.Pos, len(sql)+1
		if i+1 < len(plans) {
			to = plans[i+1].Statement.Pos
		}
		var own []lint.Finding
		for _, f := range result.Findings {
			if f.Start.Offset >= from && f.Start.Offset < to {
				own = append(own, f)
				if f.Method != "" && f.Method != p.Method.String() {
					t.Errorf("%q: %s says %s of statement %d, and the door's plan is %s: %s", sql, f.Rule.Code, f.Method, i, p.Method, p.Why)
				}
			}
		}
		want, got := expected(p, inspector.Inspect(p.Statement.Text).Doubted), told(own)
		if !want["parameter at bind"] {
			delete(got, "parameter at bind") // it finds those of PostgreSQL too
			delete(want, "parameter at bind")
		}
		for what, is := range want {
			if got[what] != is {
				t.Errorf("%q: statement %d: %s is %v by the findings, %v by the plan (%s, %s, cap %d %s: %s)", sql, i, what, got[what], is,
					p.Statement.Kind, p.Method, p.Cap.Rows, p.Cap.Source, p.Why)
			}
		}
	}
	return len(plans)
}

// both returns what plans statements of a dialect under a policy, and a linter of the same.
func both(t testing.TB, name string, policy rewrite.Policy, settings ...[2]string) (*rewrite.Rewriter, *lint.Linter) {
	t.Helper()
	d, err := dialect.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewrite.New(d, policy)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		r = r.With(s[0], s[1])
	}
	return r, linter(t, name, func(o *lint.Options) { o.Policy, o.Settings = policy, settings })
}

// readCases returns the texts of testdata/cases for a dialect.
func readCases(t *testing.T, pattern string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "cases", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var c struct {
				Dialect, SQL string
			}
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatal(err)
			}
			if c.SQL != "" {
				texts = append(texts, c.SQL)
			}
		}
		if err := lines.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// policies are those under which findings and plans are compared.
func policies() map[string]rewrite.Policy {
	tight := rewrite.DefaultPolicy()
	tight.DefaultLimit, tight.MaxLimit = 2, 4
	strict := tight
	strict.Unparsed, strict.CopyOut, strict.Catalogs, strict.Overflow = rewrite.UnparsedRefuse, rewrite.CopyCap, rewrite.CatalogsCap, rewrite.OverflowError
	free := rewrite.DefaultPolicy()
	free.DefaultLimit, free.MaxLimit, free.CopyOut, free.Explicit = 0, 0, rewrite.CopyPass, rewrite.ExplicitTrust
	guarded := rewrite.DefaultPolicy()
	guarded.PushDown = false
	return map[string]rewrite.Policy{"default": rewrite.DefaultPolicy(), "tight": tight, "strict": strict, "free": free, "guarded": guarded}
}

// TestFindingsArePlans proves on the shared cases that lint and production never
// disagree: a finding is there if and only if the door's plan says so.
func TestFindingsArePlans(t *testing.T) {
	for _, files := range []struct{ dialect, pattern string }{{"postgres", "postgres-*.jsonl"}, {"mysql", "mysql-*.jsonl"}, {"mariadb", "mysql-*.jsonl"}} {
		texts := readCases(t, files.pattern)
		for name, policy := range policies() {
			t.Run(files.dialect+"/"+name, func(t *testing.T) {
				r, l := both(t, files.dialect, policy)
				statements := 0
				for _, sql := range texts {
					if strings.TrimSpace(sql) != "" {
						statements += compare(t, l, r, sql)
					}
				}
				if statements < 100 {
					t.Errorf("%d statements only", statements)
				}
			})
		}
	}
}
