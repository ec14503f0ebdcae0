package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/lint"
)

// junit is the XML of JUnit's reports, as build servers read it: a suite for each file
// looked at, a failure for each finding. Findings that weigh too little to fail a build
// are output of tests that pass.
type junit struct {
	out    io.Writer
	begun  bool
	failOn lint.Severity
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	File    string        `xml:"file,attr,omitempty"`
	Line    int           `xml:"line,attr,omitempty"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
	Skipped *junitFailure `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func (j *junit) begin() error {
	if j.begun {
		return nil
	}
	j.begun = true
	_, err := io.WriteString(j.out, xml.Header+"<testsuites name=\"rowcap lint\">\n")
	return err
}

func (j *junit) File(r lint.Result) error {
	if err := j.begin(); err != nil {
		return err
	}
	s := junitSuite{Name: printable(r.Path)}
	if r.Err != nil {
		s.Errors++
		s.Cases = append(s.Cases, junitCase{Name: "read", Class: s.Name, Error: &junitFailure{Message: printable(r.Err.Error())}})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := junitCase{Name: fmt.Sprintf("%s %s at %d:%d", f.Rule.Code, f.Rule.Name, f.Start.Line, f.Start.Column), Class: s.Name, File: s.Name, Line: f.Start.Line}
		switch {
		case f.Ignored:
			s.Skipped++
			c.Skipped = &junitFailure{Message: printable("suppressed: " + f.Suppressed)}
		case f.Known:
			s.Skipped++
			c.Skipped = &junitFailure{Message: "in the baseline"}
		case f.Severity < j.failOn:
			c.Output = printable(fmt.Sprintf("%s: %s\n%s", f.Severity, f.Message, strings.TrimSpace(f.Line+"\n"+f.Hint)))
		default:
			s.Failures++
			c.Failure = &junitFailure{printable(f.Message), f.Severity.String(), printable(strings.TrimSpace(f.Line + "\n" + f.Hint))}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, skip := range r.Skipped {
		s.Skipped++
		name := "skipped"
		if skip.Start.Line > 0 {
			name = fmt.Sprintf("skipped at %d:%d", skip.Start.Line, skip.Start.Column)
		}
		s.Cases = append(s.Cases, junitCase{Name: name, Class: s.Name, File: s.Name, Line: skip.Start.Line, Skipped: &junitFailure{Message: printable(skip.Why)}})
	}
	if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Name: "no findings", Class: s.Name}}
	}
	s.Tests = len(s.Cases)
	b, err := xml.MarshalIndent(s, "  ", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.out, "%s\n", b)
	return err
}

func (j *junit) End(Tally) error {
	if err := j.begin(); err != nil {
		return err
	}
	_, err := io.WriteString(j.out, "</testsuites>\n")
	return err
}

// printable replaces characters that XML 1.0 cannot hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return '·'
		}
		return r
	}, s)
}
