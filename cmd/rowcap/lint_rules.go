package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/rowcap/rowcap/lint"
)

// listRules prints a line for each rule.
func listRules(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	for _, r := range lint.Rules() {
		fix := ""
		if r.Fixable {
			fix = " (--fix)"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s%s\n", r.Code, r.Name, r.Severity, r.Summary, fix)
	}
	return w.Flush()
}

// explainRule prints a rule's documentation.
func explainRule(out io.Writer, r *lint.Rule) error {
	dialects := "all dialects"
	if r.Dialects != nil {
		dialects = strings.Join(r.Dialects, ", ")
	}
	fix := "--fix does not mend it"
	if r.Fixable {
		fix = "--fix mends it"
	}
	_, err := fmt.Fprintf(out, "%s %s (%s; %s; %s)\n\n%s\n\n%s\n\nInstead of\n\n%s\n\nwrite\n\n%s\n",
		r.Code, r.Name, r.Severity, dialects, fix, r.Summary, r.Why, indent(r.Bad), indent(r.Good))
	return err
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

// buildVersion is the version of this build, "" if it has none.
func buildVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return ""
}
