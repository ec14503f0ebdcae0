package rowcap_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/lint"
)

// TestRulesDoc holds docs/rules.md to the rules' own documentation.
func TestRulesDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules of rowcap lint\n\n<!-- Generated from lint/rule_*.go by `make docs`; do not edit. -->\n\n" +
		"What `rowcap lint` looks for. [lint.md](lint.md) says how to use it. Examples are in the SQL of PostgreSQL where no other dialect is named.\n\n| code | name | severity | what is found |\n|---|---|---|---|\n")
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "| [%s](#%s-%s) | `%s` | %s | %s |\n", r.Code, strings.ToLower(r.Code), r.Name, r.Name, r.Severity, r.Summary)
	}
	for _, r := range lint.Rules() {
		dialects, fix, sql := "all dialects", "not mended by `--fix`", "sql"
		if r.Dialects != nil {
			sql += " " + r.Dialects[0] // as rowcap lint reads it
			dialects = strings.Join(r.Dialects, ", ")
		}
		if r.Fixable {
			fix = "mended by `--fix`"
		}
		fmt.Fprintf(&b, "\n## %s %s\n\n%s\n\n%s; %s; %s.\n\n%s\n\nInstead of\n\n```%s\n%s\n```\n\nwrite\n\n```%s\n%s\n```\n",
			r.Code, r.Name, r.Summary, strings.ToUpper(r.Severity.String()[:1])+r.Severity.String()[1:], dialects, fix, r.Why, sql, r.Bad, sql, r.Good)
	}
	if *update {
		if err := os.WriteFile("docs/rules.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/rules.md is out of date: run make docs")
	}
}
