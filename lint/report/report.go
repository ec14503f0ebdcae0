// Package report prints what a linter found: for people, and in the formats that
// editors, code hosts and build servers read.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/lint"
)

// Report prints results one file after another, so that it needs no more memory than
// one file's takes.
type Report interface {
	// File prints what was found in one file.
	File(lint.Result) error
	// End prints what is left to say.
	End(Tally) error
}

// Options are what reports need to know.
type Options struct {
	// Color has text coloured for a terminal.
	Color bool
	// Version is the program's.
	Version string
	// Baseline reports that findings were compared with a baseline.
	Baseline bool
	// FailOn is the least weight that fails a build, 0 for any.
	FailOn lint.Severity
}

// Formats are the names of the formats.
func Formats() []string { return []string{"text", "json", "sarif", "github", "gitlab", "junit"} }

// New returns a report in a format that prints to out.
func New(format string, out io.Writer, o Options) (Report, error) {
	switch format {
	case "text":
		return &text{out: out, color: o.Color}, nil
	case "json":
		return &jsonReport{list: list{out: out}}, nil
	case "sarif":
		return &sarif{list: list{out: out}, version: o.Version, baseline: o.Baseline}, nil
	case "github":
		return &github{out: out}, nil
	case "gitlab":
		return &gitlab{list: list{out: out}}, nil
	case "junit":
		return &junit{out: out, failOn: o.FailOn}, nil
	}
	return nil, fmt.Errorf("format %q is not known: use one of %s", format, strings.Join(Formats(), ", "))
}

// Tally counts what was found.
type Tally struct {
	Files, Statements, Skipped int
	// Errors, Warnings and Notes are the findings that count.
	Errors, Warnings, Notes int
	// Suppressed and Known are those that do not.
	Suppressed, Known int
	// Failed is the number of files that were not read.
	Failed int
	// Fixable is how many findings --fix would mend, Fixed how many it did.
	Fixable, Fixed int
}

// Add counts one file's findings.
func (t *Tally) Add(r lint.Result) {
	t.Files++
	t.Statements += r.Statements
	t.Skipped += len(r.Skipped)
	if r.Err != nil {
		t.Failed++
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch {
		case f.Ignored:
			t.Suppressed++
			continue
		case f.Known:
			t.Known++
			continue
		case f.Severity == lint.SeverityError:
			t.Errors++
		case f.Severity == lint.SeverityWarning:
			t.Warnings++
		default:
			t.Notes++
		}
		if len(f.Fixes) > 0 {
			t.Fixable++
		}
	}
}

// AtLeast returns the number of findings that weigh as much as s or more.
func (t *Tally) AtLeast(s lint.Severity) int {
	n := t.Errors
	if s <= lint.SeverityWarning {
		n += t.Warnings
	}
	if s <= lint.SeverityNote {
		n += t.Notes
	}
	return n
}
