package report

import (
	"io"

	"github.com/rowcap/rowcap/lint"
)

// gitlab is GitLab's code quality report, an array of issues
// (https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format).
type gitlab struct{ list }

type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

func (g *gitlab) begin() error {
	if g.items > 0 {
		return nil
	}
	_, err := io.WriteString(g.out, "[")
	return err
}

func (g *gitlab) File(r lint.Result) error {
	if r.Err != nil {
		if err := g.issue(gitlabIssue{"not looked at: " + r.Err.Error(), "not-read", "not-read:" + r.Path, "blocker", gitlabLocation{r.Path, gitlabLines{1, 1}}}); err != nil {
			return err
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Counts() {
			continue
		}
		severity := map[lint.Severity]string{lint.SeverityNote: "info", lint.SeverityWarning: "minor", lint.SeverityError: "major"}[f.Severity]
		if err := g.issue(gitlabIssue{f.Message, f.Rule.Name, f.Fingerprint, severity, gitlabLocation{f.Path, gitlabLines{f.Start.Line, f.End.Line}}}); err != nil {
			return err
		}
	}
	return nil
}

func (g *gitlab) issue(i gitlabIssue) error {
	if err := g.begin(); err != nil {
		return err
	}
	return g.add(i)
}

func (g *gitlab) End(Tally) error {
	if err := g.begin(); err != nil {
		return err
	}
	_, err := io.WriteString(g.out, "\n]\n")
	return err
}
