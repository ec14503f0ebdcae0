package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/lint"
)

// github is GitHub's workflow commands, which it shows as annotations of the lines
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions).
type github struct{ out io.Writer }

func (g *github) File(r lint.Result) error {
	var b strings.Builder
	if r.Err != nil {
		fmt.Fprintf(&b, "::error file=%s::%s\n", property(r.Path), data("not looked at: "+r.Err.Error()))
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Counts() {
			continue
		}
		level := f.Severity.String()
		if f.Severity == lint.SeverityNote {
			level = "notice"
		}
		message := f.Message
		if f.Hint != "" {
			message += "\n" + f.Hint
		}
		place := fmt.Sprintf("line=%d,endLine=%d", f.Start.Line, f.End.Line)
		if f.Start.Line == f.End.Line { // GitHub takes columns within one line only
			place += fmt.Sprintf(",col=%d,endColumn=%d", f.Start.Column, f.End.Column)
		}
		fmt.Fprintf(&b, "::%s file=%s,%s,title=%s::%s\n", level, property(f.Path), place, property(f.Rule.Code+" "+f.Rule.Name), data(message))
	}
	_, err := io.WriteString(g.out, b.String())
	return err
}

func (g *github) End(n Tally) error {
	_, err := fmt.Fprintln(g.out, Summary(n))
	return err
}

// data and property escape text as the runner reads it back.
func data(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
