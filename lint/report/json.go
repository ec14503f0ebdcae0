package report

import (
	"fmt"
	"io"

	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// jsonReport is {"version":1,"files":[…],"summary":{…}}; docs/lint.md describes it.
type jsonReport struct{ list }

type jsonFile struct {
	Path       string        `json:"path"`
	Error      *string       `json:"error"`
	Statements int           `json:"statements"`
	Findings   []jsonFinding `json:"findings"`
	Skipped    []jsonSkipped `json:"skipped"`
}

type jsonFinding struct {
	Code        string          `json:"code"`
	Name        string          `json:"name"`
	Severity    lint.Severity   `json:"severity"`
	Message     string          `json:"message"`
	Hint        string          `json:"hint"`
	Start       source.Position `json:"start"`
	End         source.Position `json:"end"`
	Method      string          `json:"method"`
	Fingerprint string          `json:"fingerprint"`
	Suppressed  *string         `json:"suppressed"`
	Baseline    bool            `json:"baseline"`
	Fixes       []rewrite.Edit  `json:"fixes"`
}

type jsonSkipped struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

func (j *jsonReport) begin() error {
	if j.items > 0 {
		return nil
	}
	_, err := io.WriteString(j.out, `{"version":1,"files":[`)
	return err
}

func (j *jsonReport) File(r lint.Result) error {
	if err := j.begin(); err != nil {
		return err
	}
	f := jsonFile{Path: r.Path, Statements: r.Statements, Findings: []jsonFinding{}, Skipped: []jsonSkipped{}}
	if r.Err != nil {
		message := r.Err.Error()
		f.Error = &message
	}
	for i := range r.Findings {
		x := &r.Findings[i]
		out := jsonFinding{Code: x.Rule.Code, Name: x.Rule.Name, Severity: x.Severity, Message: x.Message, Hint: x.Hint, Start: x.Start, End: x.End,
			Method: x.Method, Fingerprint: x.Fingerprint, Baseline: x.Known, Fixes: append([]rewrite.Edit{}, x.Fixes...)}
		if x.Ignored {
			out.Suppressed = &x.Suppressed
		}
		f.Findings = append(f.Findings, out)
	}
	for _, s := range r.Skipped {
		f.Skipped = append(f.Skipped, jsonSkipped{s.Start.Line, s.Why})
	}
	return j.add(f)
}

func (j *jsonReport) End(n Tally) error {
	if err := j.begin(); err != nil {
		return err
	}
	summary, err := encode(map[string]int{"files": n.Files, "statements": n.Statements, "errors": n.Errors, "warnings": n.Warnings, "notes": n.Notes,
		"suppressed": n.Suppressed, "baseline": n.Known, "skipped": n.Skipped, "not_read": n.Failed, "fixable": n.Fixable})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.out, "\n],\"summary\":%s}\n", summary)
	return err
}
