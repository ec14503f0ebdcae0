package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/rewrite"
)

// linter returns a linter for a test, with the dialect and knobs that it names.
func linter(t testing.TB, dialect string, change func(*lint.Options)) *lint.Linter {
	t.Helper()
	o := lint.Options{Policy: rewrite.DefaultPolicy(), Dialect: dialect, DeepOffset: 10_000, Keep: true}
	if change != nil {
		change(&o)
	}
	l, err := lint.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// schemaOf reads a schema, in the dialect of the linter that o makes.
func schemaOf(t testing.TB, o *lint.Options, sql string) *lint.Schema {
	t.Helper()
	l, err := lint.New(*o)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "schema.sql")
	if err := os.WriteFile(path, []byte(sql), 0o644); err != nil {
		t.Fatal(err)
	}
	s := new(lint.Schema)
	if err := s.Add(l, path); err != nil {
		t.Fatal(err)
	}
	return s
}

// tables are those of the fixtures of order-not-total.
const tables = "CREATE TABLE invoices (id int PRIMARY KEY, day date NOT NULL, number varchar(9) UNIQUE, shop int NOT NULL, serial int NOT NULL, UNIQUE (shop, serial));\n" +
	"CREATE TABLE log (at timestamp);\nCREATE TABLE late (a int NOT NULL, b int);\nALTER TABLE late ADD CONSTRAINT k UNIQUE (a);\n" +
	"CREATE TABLE indexed (a int NOT NULL);\nCREATE UNIQUE INDEX i ON indexed (a);\nCREATE TABLE x.twice (a int);\nCREATE TABLE y.twice (a int);\n" +
	"CREATE TABLE heirs (id int PRIMARY KEY);\nCREATE TABLE heir () INHERITS (heirs);\n" +
	"CREATE TABLE changed (id int PRIMARY KEY, a int);\nALTER TABLE changed DROP COLUMN id"

// show prints a result as the fixtures have it.
func show(r lint.Result) string {
	var b strings.Builder
	if r.Err != nil {
		fmt.Fprintf(&b, "not looked at: %v\n", r.Err)
	}
	for _, f := range r.Findings {
		state := ""
		if f.Ignored {
			state = " (suppressed: " + f.Suppressed + ")"
		}
		fmt.Fprintf(&b, "%d:%d-%d:%d %s %s %s: %s%s\n", f.Start.Line, f.Start.Column, f.End.Line, f.End.Column, f.Severity, f.Rule.Code, f.Rule.Name, f.Message, state)
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(&b, "%d:%d skipped: %s\n", s.Start.Line, s.Start.Column, s.Why)
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// TestFixtures has for each rule, and for each kind of input, what is found in it.
//
//	lint DIALECT [name=FILE] [default=N] [max=N] [unparsed=…] [copy-out=…] [explicit=…] [catalogs=…] [only=CODE]
//
// prints what is found; fix prints the text after --fix, and fails if fixing it again
// changes anything.
func TestFixtures(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Ext(path) != ".txt" {
			return
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if len(d.CmdArgs) == 0 {
				t.Fatalf("%s: name the dialect", d.Pos)
			}
			name, only := "test.sql", ""
			l := linter(t, "", func(o *lint.Options) {
				for i, arg := range d.CmdArgs {
					value := ""
					if len(arg.Vals) > 0 {
						value = arg.Vals[0]
					}
					switch arg.Key {
					case "name":
						name = value
					case "only":
						only = value
					case "schema":
						o.Schema = schemaOf(t, o, tables)
					case "default":
						o.Policy.DefaultLimit = number(t, value)
					case "max":
						o.Policy.MaxLimit = number(t, value)
					case "unparsed":
						o.Policy.Unparsed = rewrite.Unparsed(value)
					case "copy-out":
						o.Policy.CopyOut = rewrite.CopyOut(value)
					case "explicit":
						o.Policy.Explicit = rewrite.Explicit(value)
					case "catalogs":
						o.Policy.Catalogs = rewrite.Catalogs(value)
					default:
						if i > 0 {
							t.Fatalf("%s: the argument %s is not known", d.Pos, arg.Key)
						}
						if o.Dialect = arg.Key; arg.Key == "none" {
							o.Dialect = ""
						}
					}
				}
			})
			r := look(l, name, d.Input)
			if only != "" {
				var kept []lint.Finding
				for _, f := range r.Findings {
					if f.Rule.Code == only {
						kept = append(kept, f)
					}
				}
				r.Findings = kept
			}
			switch d.Cmd {
			case "lint":
				return show(r)
			case "fix":
				text, fixed := lint.Fix(r)
				if again, n := lint.Fix(look(l, name, text)); n != 0 {
					t.Errorf("%s: fixing once more mends %d more: %s", d.Pos, n, again)
				}
				return fmt.Sprintf("%s\n(%d)\n", text, fixed)
			}
			t.Fatalf("%s: the command %s is not known", d.Pos, d.Cmd)
			return ""
		})
	})
}

// look looks at a text as at a file of that name.
func look(l *lint.Linter, name, text string) lint.Result {
	return l.File(name, text)
}

func number(t *testing.T, s string) uint64 {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRules holds the rules' documentation to what they do.
func TestRules(t *testing.T) {
	codes := map[string]bool{}
	for _, r := range lint.Rules() {
		if codes[r.Code] || codes[r.Name] {
			t.Errorf("%s %s: the code or the name is another rule's too", r.Code, r.Name)
		}
		codes[r.Code], codes[r.Name] = true, true
		if r.Summary == "" || r.Why == "" || r.Bad == "" || r.Good == "" || r.Severity == 0 {
			t.Errorf("%s: a part of its documentation is missing", r.Code)
		}
		dialect := "postgres"
		if r.Dialects != nil {
			dialect = r.Dialects[0]
		}
		l := linter(t, dialect, func(o *lint.Options) {
			switch r.Name {
			case "refused":
				o.Policy.Unparsed = rewrite.UnparsedRefuse
			case "order-not-total":
				o.Schema = schemaOf(t, o, tables)
			}
		})
		found := func(sql string) (n int, fixes bool) {
			for _, f := range l.Text("test.sql", sql).Findings {
				if f.Rule == r && !f.Ignored {
					n++
					if f.Severity != r.Severity {
						t.Errorf("%s: its documentation says %s, and in %q it is %s", r.Code, r.Severity, sql, f.Severity)
					}
					fixes = fixes || len(f.Fixes) > 0
				}
			}
			return n, fixes
		}
		n, fixes := found(r.Bad)
		if n == 0 {
			t.Errorf("%s finds nothing in %q", r.Code, r.Bad)
		}
		if fixes != r.Fixable {
			t.Errorf("%s: fixable is %v, and in %q there are fixes: %v", r.Code, r.Fixable, r.Bad, fixes)
		}
		if n, _ := found(r.Good); n != 0 {
			t.Errorf("%s finds something in %q", r.Code, r.Good)
		}
		// What is advised is found fault with by no other rule either.
		for _, f := range l.Text("test.sql", r.Good).Findings {
			if f.Counts() && f.Severity > lint.SeverityNote {
				t.Errorf("%s: %q is good, and %s finds: %s", r.Code, r.Good, f.Rule.Code, f.Message)
			}
		}
		if lint.Lookup(r.Code) != r || lint.Lookup(r.Name) != r {
			t.Errorf("%s is not found by its code and its name", r.Code)
		}
		if matches, _ := filepath.Glob(filepath.Join("testdata", r.Name+".txt")); len(matches) != 1 {
			t.Errorf("%s has no fixtures in testdata/%s.txt", r.Code, r.Name)
		}
	}
}
