package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/lint/report"
	"github.com/rowcap/rowcap/rewrite"
)

// results looks at a text as at a file, and adds a file that could not be read.
func results(t *testing.T, name, sql string) []lint.Result {
	t.Helper()
	l, err := lint.New(lint.Options{Policy: rewrite.DefaultPolicy(), Dialect: "postgres", DeepOffset: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	first := l.File(name, sql)
	for i := range first.Findings {
		if first.Findings[i].Rule.Name == "limit-parameter" {
			first.Findings[i].Known = true // as the baseline would have it
		}
	}
	return []lint.Result{first, {Path: "gone.sql", Err: errors.New("no such file or directory")}}
}

// print prints results in a format.
func print(t *testing.T, format string, o report.Options, results []lint.Result) string {
	t.Helper()
	var b bytes.Buffer
	r, err := report.New(format, &b, o)
	if err != nil {
		t.Fatal(err)
	}
	var tally report.Tally
	for _, x := range results {
		tally.Add(x)
		if err := r.File(x); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.End(tally); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// all has a finding of every state: counted, suppressed, in the baseline, with a fix and
// without, and characters that each format has to escape.
const all = "SELECT \"naïve\" FROM a; -- größer\n" +
	"-- rowcap:ignore RC101 it <is> \"small\" & 100% known\n" +
	"SELECT id FROM b;\n" +
	"SELECT id FROM c ORDER BY id LIMIT $1;\n" +
	"\tSELECT '日本', id, FROM d;\n"

// TestFormats has the output of every format.
func TestFormats(t *testing.T) {
	datadriven.RunTest(t, "testdata/formats.txt", func(t *testing.T, d *datadriven.TestData) string {
		o := report.Options{Version: "1.2.3"}
		if d.HasArg("color") {
			o.Color = true
		}
		out := print(t, d.Cmd, o, results(t, "a folder/x.sql", all))
		if d.Cmd == "sarif" { // the rules' documentation is long
			_, out, _ = strings.Cut(out, `"results":`)
		}
		return strings.ReplaceAll(out, "\x1b", "␛")
	})
}

// schema returns SARIF's schema. It is written in draft 4 of JSON schema, of which it
// has nothing that draft 7 reads otherwise but the name of its own address.
func schema(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile("testdata/schema/sarif-2.1.0-rtm.5.json")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("exclusiveM")) {
		t.Fatal("the schema has a form that draft 7 reads otherwise")
	}
	text = bytes.Replace(text, []byte("http://json-schema.org/draft-04/schema#"), []byte("http://json-schema.org/draft-07/schema#"), 1)
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// TestSARIF holds SARIF to its schema, and to what the schema does not say.
func TestSARIF(t *testing.T) {
	s := schema(t)
	for name, x := range map[string][]lint.Result{
		"findings": results(t, "a folder/x.sql", all), "nothing": nil, "absolute": results(t, "/srv/größe/x.sql", all),
		"template": results(t, "x.sql", "{{ x }}"),
	} {
		text := print(t, "sarif", report.Options{Version: "v0.3.0"}, x)
		var doc any
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%s: %v in %s", name, err, text)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The schema does refuse.
	if err := s.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"tool": map[string]any{}}}}); err == nil {
		t.Error("the schema takes a tool without a driver")
	}
	var doc struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID        string
				RuleIndex     int
				BaselineState string
				Suppressions  []struct{ Kind, Justification string }
				Fixes         []any
			}
		}
	}
	if err := json.Unmarshal([]byte(print(t, "sarif", report.Options{}, results(t, "x.sql", all))), &doc); err != nil {
		t.Fatal(err)
	}
	run := doc.Runs[0]
	suppressed, known, fixes := 0, 0, 0
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, r.RuleID)
		}
		if len(r.Suppressions) == 1 && strings.HasPrefix(r.Suppressions[0].Justification, "it <is>") {
			suppressed++
		}
		if r.BaselineState == "unchanged" {
			known++
		}
		fixes += len(r.Fixes)
	}
	if suppressed != 1 || known != 1 || fixes != 2 {
		t.Errorf("%d suppressed, %d in the baseline, %d fixes", suppressed, known, fixes)
	}
}

// TestDocuments reads back what programs are to read.
func TestDocuments(t *testing.T) {
	x := results(t, "x.sql", all)
	for _, none := range []bool{false, true} {
		if none {
			x = nil
		}
		var files struct {
			Version int
			Files   []struct {
				Path     string
				Findings []struct{ Code, Fingerprint string }
			}
			Summary map[string]int
		}
		if err := json.Unmarshal([]byte(print(t, "json", report.Options{}, x)), &files); err != nil || files.Version != 1 || files.Summary["files"] != len(x) {
			t.Errorf("json: %v, %+v", err, files)
		}
		var issues []map[string]any
		if err := json.Unmarshal([]byte(print(t, "gitlab", report.Options{}, x)), &issues); err != nil {
			t.Errorf("gitlab: %v", err)
		}
		for _, i := range issues {
			for _, key := range []string{"description", "check_name", "fingerprint", "severity", "location"} {
				if i[key] == nil {
					t.Errorf("gitlab: an issue has no %s: %v", key, i)
				}
			}
			if s, _ := i["severity"].(string); !slices.Contains([]string{"info", "minor", "major", "critical", "blocker"}, s) {
				t.Errorf("gitlab: the severity %q", s)
			}
		}
		d := xml.NewDecoder(strings.NewReader(print(t, "junit", report.Options{}, x)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("junit: %v", err)
			}
		}
	}
	if _, err := report.New("xml", io.Discard, report.Options{}); err == nil || !strings.Contains(err.Error(), "text, json, sarif") {
		t.Errorf("a format that is not known: %v", err)
	}
}

// TestHostileText holds text to what cannot move a terminal's cursor.
func TestHostileText(t *testing.T) {
	x := results(t, "evil\x1b[2J.sql", "SELECT '\x1b[31m\u202e' FROM a;\n"+strings.Repeat("x ", 3000)+"SELECT\n")
	text := print(t, "text", report.Options{}, x)
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Errorf("%q", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len(line) > 1000 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
}

// TestJUnit fails tests for what fails a build only, and says what was skipped.
func TestJUnit(t *testing.T) {
	for failOn, failures := range map[lint.Severity]int{0: 2, lint.SeverityNote: 2, lint.SeverityWarning: 2, lint.SeverityError: 1, lint.SeverityError + 1: 0} {
		x := results(t, "x.sql", all+"SELECT id FROM ${x};\n")
		var doc struct {
			Suites []struct {
				Tests    int `xml:"tests,attr"`
				Failures int `xml:"failures,attr"`
				Skipped  int `xml:"skipped,attr"`
				Cases    []struct {
					Failure *struct{} `xml:"failure"`
					Skipped *struct {
						Message string `xml:"message,attr"`
					} `xml:"skipped"`
					Output string `xml:"system-out"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal([]byte(print(t, "junit", report.Options{FailOn: failOn}, x)), &doc); err != nil {
			t.Fatal(err)
		}
		s := doc.Suites[0]
		failed, output, why := 0, 0, ""
		for _, c := range s.Cases {
			if c.Failure != nil {
				failed++
			}
			if c.Output != "" {
				output++
			}
			if c.Skipped != nil {
				why = c.Skipped.Message // the last one
			}
		}
		if s.Tests != 5 || s.Failures != failures || failed != failures || output != 2-failures || s.Skipped != 3 || !strings.Contains(why, "placeholder") {
			t.Errorf("fail on %d: %+v", failOn, s)
		}
	}
}
