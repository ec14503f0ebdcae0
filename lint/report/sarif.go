package report

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/rowcap/rowcap/lint"
)

// sarif is the Static Analysis Results Interchange Format, version 2.1.0
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html). Findings that are
// suppressed or in the baseline are marked so, not left out.
type sarif struct {
	list
	version string
	// baseline reports that every finding is to say whether it is new.
	baseline bool
	begun    bool
	// failures are the files that were not read; the run tells of them at its end.
	failures []sarifNotification
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID                   string         `json:"id"`
	Name                 string         `json:"name"`
	ShortDescription     sarifText      `json:"shortDescription"`
	FullDescription      sarifText      `json:"fullDescription"`
	Help                 sarifHelp      `json:"help"`
	HelpURI              string         `json:"helpUri"`
	DefaultConfiguration map[string]any `json:"defaultConfiguration"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifResult struct {
	RuleID              string             `json:"ruleId"`
	RuleIndex           int                `json:"ruleIndex"`
	Level               string             `json:"level"`
	Message             sarifText          `json:"message"`
	Locations           []sarifLocation    `json:"locations"`
	PartialFingerprints map[string]string  `json:"partialFingerprints"`
	BaselineState       string             `json:"baselineState,omitempty"`
	Suppressions        []sarifSuppression `json:"suppressions,omitempty"`
	Fixes               []sarifFix         `json:"fixes,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	ArtifactLocation sarifArtifact `json:"artifactLocation"`
	Region           *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int        `json:"startLine"`
	StartColumn int        `json:"startColumn"`
	EndLine     int        `json:"endLine"`
	EndColumn   int        `json:"endColumn"`
	Snippet     *sarifText `json:"snippet,omitempty"`
}

type sarifBytes struct {
	ByteOffset int `json:"byteOffset"`
	ByteLength int `json:"byteLength"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification,omitempty"`
}

type sarifFix struct {
	Description     sarifText     `json:"description"`
	ArtifactChanges []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	ArtifactLocation sarifArtifact      `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	DeletedRegion   sarifBytes `json:"deletedRegion"`
	InsertedContent sarifText  `json:"insertedContent"`
}

type sarifNotification struct {
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

const (
	sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"
	rulesPage   = "https://github.com/rowcap/rowcap/blob/main/docs/rules.md"
)

func (s *sarif) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	var rules []sarifRule
	for _, r := range lint.Rules() {
		rules = append(rules, sarifRule{ID: r.Code, Name: r.Name, ShortDescription: sarifText{r.Summary}, FullDescription: sarifText{r.Why},
			Help:    sarifHelp{r.Why + "\n\nInstead of:\n" + r.Bad + "\n\nwrite:\n" + r.Good, r.Why + "\n\nInstead of\n\n```sql\n" + r.Bad + "\n```\n\nwrite\n\n```sql\n" + r.Good + "\n```\n"},
			HelpURI: rulesPage + "#" + strings.ToLower(r.Code) + "-" + r.Name, DefaultConfiguration: map[string]any{"level": r.Severity.String()}})
	}
	driver, err := encode(map[string]any{"name": "rowcap", "semanticVersion": semantic(s.version), "informationUri": "https://github.com/rowcap/rowcap", "rules": rules})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "{\"$schema\":%q,\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":%s},\"columnKind\":\"unicodeCodePoints\",\"results\":[", sarifSchema, driver)
	return err
}

// semantic is a version as SARIF wants it.
func semantic(version string) string {
	if v := strings.TrimPrefix(version, "v"); v != "" && v[0] >= '0' && v[0] <= '9' {
		return v
	}
	return "0.0.0"
}

// uri is a path as a relative or file URI.
func uri(path string) string {
	u := url.URL{Path: path}
	if strings.HasPrefix(path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

func (s *sarif) File(r lint.Result) error {
	if err := s.begin(); err != nil {
		return err
	}
	index := map[*lint.Rule]int{}
	for i, rule := range lint.Rules() {
		index[rule] = i
	}
	artifact := sarifArtifact{uri(r.Path)}
	if r.Err != nil {
		s.failures = append(s.failures, sarifNotification{"error", sarifText{"not looked at: " + r.Err.Error()}, []sarifLocation{{sarifPhysical{ArtifactLocation: artifact}}}})
	}
	for _, skip := range r.Skipped {
		s.failures = append(s.failures, sarifNotification{"note", sarifText{"skipped: " + skip.Why}, []sarifLocation{{sarifPhysical{ArtifactLocation: artifact}}}})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		out := sarifResult{RuleID: f.Rule.Code, RuleIndex: index[f.Rule], Level: f.Severity.String(), Message: sarifText{f.Message},
			Locations:           []sarifLocation{{sarifPhysical{artifact, region(f)}}},
			PartialFingerprints: map[string]string{"rowcap/v1": f.Fingerprint}}
		if f.Hint != "" {
			out.Message.Text += ". " + strings.ToUpper(f.Hint[:1]) + f.Hint[1:] + "."
		}
		switch {
		case f.Known:
			out.BaselineState = "unchanged"
		case s.baseline:
			out.BaselineState = "new"
		}
		if f.Ignored {
			out.Suppressions = []sarifSuppression{{"inSource", f.Suppressed}}
		}
		if len(f.Fixes) > 0 {
			change := sarifChange{ArtifactLocation: artifact}
			for _, e := range f.Fixes {
				change.Replacements = append(change.Replacements, sarifReplacement{sarifBytes{e.Start + r.Mark, e.End - e.Start}, sarifText{e.Text}})
			}
			out.Fixes = []sarifFix{{sarifText{"Write the limit that the policy holds the statement to."}, []sarifChange{change}}}
		}
		if err := s.add(out); err != nil {
			return err
		}
	}
	return nil
}

func region(f *lint.Finding) *sarifRegion {
	r := &sarifRegion{StartLine: f.Start.Line, StartColumn: f.Start.Column, EndLine: f.End.Line, EndColumn: f.End.Column}
	if f.Line != "" && f.Start.Line == f.End.Line {
		runes := []rune(f.Line)
		if from, to := f.Start.Column-1, f.End.Column-1; from < to && to <= len(runes) {
			r.Snippet = &sarifText{string(runes[from:to])}
		}
	}
	return r
}

func (s *sarif) End(n Tally) error {
	if err := s.begin(); err != nil {
		return err
	}
	if s.failures == nil {
		s.failures = []sarifNotification{}
	}
	invocation, err := encode([]map[string]any{{"executionSuccessful": n.Failed == 0, "toolExecutionNotifications": s.failures}})
	if err != nil {
		return err
	}
	_, err = io.WriteString(s.out, "\n],\"invocations\":"+invocation+"}]}\n")
	return err
}
