package fuzz

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/lint/report"
	"github.com/rowcap/rowcap/rewrite"
)

func linterOf(t testing.TB, dialect string, known *lint.Baseline) *lint.Linter {
	t.Helper()
	l, err := lint.New(lint.Options{Policy: rewrite.DefaultPolicy(), Dialect: dialect, DeepOffset: 10_000, Keep: true, Baseline: known})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// FuzzLint looks at any text as SQL, a Go program and a page of Markdown, in each
// dialect. No reader fails; findings lie in the text; what is mended reads as well as
// before and is not mended again; a baseline of the findings knows all of them; and every
// report is one document.
func FuzzLint(f *testing.F) {
	names := []string{"x.sql", "x.go", "x.md"}
	dialects := []string{"postgres", "mysql", "mariadb"}
	for i, text := range []string{
		"SELECT id FROM a;\nSELECT id FROM b LIMIT 5000 OFFSET 20000 -- c\n",
		"package p\n\nfunc f(d interface{ Query(string) }) { d.Query(`SELECT id FROM a LIMIT 5000`) }\n",
		"# Page\n\n```sql mysql\nSELECT id FROM a LIMIT 5000;\n```\n",
		"\\set x 5\nSELECT :x FROM a LIMIT 9000 \\g\nCOPY a FROM stdin;\n1\n\\.\n",
		"DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END //\nDELIMITER ;\nSELECT a FROM t LIMIT 7000;\n",
		"\ufeff-- +goose Up\n-- +goose StatementBegin\nSELECT a FROM t LIMIT 2000;\n-- +goose StatementEnd\n",
		"-- rowcap:ignore limit-above-maximum: a batch\nSELECT a FROM t LIMIT 2000;\n",
		"SET sql_mode = 'ANSI_QUOTES';\nSELECT \"a\" FROM t LIMIT 4000;",
	} {
		for k := range names {
			f.Add(text, uint8(k), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind, which uint8) {
		if len(text) > longest {
			return
		}
		name, dialect := names[int(kind)%len(names)], dialects[int(which)%len(dialects)]
		l := linterOf(t, dialect, nil)
		r := l.File(name, text)
		if r.Err != nil && strings.Contains(r.Err.Error(), "failed:") {
			t.Fatal(r.Err)
		}
		last := 0
		for _, x := range r.Findings {
			if x.Start.Offset < last || x.End.Offset < x.Start.Offset || x.End.Offset > len(text) {
				t.Fatalf("%s at %d to %d of %d", x.Rule.Code, x.Start.Offset, x.End.Offset, len(text))
			}
			last = x.Start.Offset
		}
		checkMended(t, l, name, r)
		checkBaseline(t, dialect, name, text, r)
		for _, format := range report.Formats() {
			checkReport(t, format, r)
		}
	})
}

func checkMended(t *testing.T, l *lint.Linter, name string, r lint.Result) {
	mended, n := lint.Fix(r)
	if n == 0 {
		if mended != r.Text {
			t.Fatalf("%q became %q, and nothing was mended", r.Text, mended)
		}
		return
	}
	again := l.File(name, mended)
	if again.Err != nil || again.Statements != r.Statements || unread(again) != unread(r) {
		t.Fatalf("%q: %d statements, %d of them unread, became %q: %d, %d, %v", r.Text, r.Statements, unread(r), mended, again.Statements, unread(again), again.Err)
	}
	if _, more := lint.Fix(again); more != 0 {
		t.Fatalf("%q is mended to %q, of which %d more are mended", r.Text, mended, more)
	}
}

func unread(r lint.Result) (n int) {
	for _, x := range r.Findings {
		if x.Rule.Name == "parse-error" {
			n++
		}
	}
	return n
}

func checkBaseline(t *testing.T, dialect, name, text string, r lint.Result) {
	var b bytes.Buffer
	if err := lint.WriteBaseline(&b, r.Findings); err != nil {
		t.Fatal(err)
	}
	known, err := lint.ReadBaseline(&b)
	if err != nil {
		t.Fatal(err)
	}
	again := linterOf(t, dialect, known).File(name, text)
	if len(again.Findings) != len(r.Findings) {
		t.Fatalf("%q: %d findings are %d with a baseline", text, len(r.Findings), len(again.Findings))
	}
	for _, x := range again.Findings {
		if x.Counts() {
			t.Fatalf("%q: the baseline of its findings does not know %s at %d", text, x.Rule.Code, x.Start.Offset)
		}
	}
}

// checkReport prints a result in one format. Those for programs are whole documents,
// whatever the file holds.
func checkReport(t *testing.T, format string, r lint.Result) {
	var b bytes.Buffer
	p, err := report.New(format, &b, report.Options{Version: "1"})
	if err == nil {
		err = errors.Join(p.File(r), p.End(report.Tally{}))
	}
	if err != nil {
		t.Fatal(err)
	}
	switch format {
	case "json", "sarif", "gitlab":
		d := json.NewDecoder(&b)
		for {
			var any json.RawMessage
			if err := d.Decode(&any); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%s of %q: %v", format, r.Text, err)
			}
		}
	case "junit":
		d := xml.NewDecoder(&b)
		for {
			if _, err := d.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%s of %q: %v", format, r.Text, err)
			}
		}
	case "github":
		for line := range strings.Lines(b.String()) {
			if strings.HasPrefix(line, "::") && !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") {
				t.Fatalf("%q prints the command %q", r.Text, line)
			}
		}
	}
}
