package render

import (
	"bytes"
	stdcsv "encoding/csv"
	encoding "encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

var update = flag.Bool("update", false, "write the golden files")

func v(s string) query.Value { return query.Value{Text: s} }

var null = query.Value{Null: true}

func outcome(rows int, c rewrite.Completeness, source rewrite.Source, limit uint64) rewrite.Outcome {
	return rewrite.Outcome{Rows: uint64(rows), Completeness: c,
		Plan: rewrite.Plan{Method: rewrite.MethodProbe, Cap: rewrite.Cap{Rows: limit, Source: source}}}
}

// samples are results by the name of their golden files.
func samples() map[string][]query.Result {
	complete := query.Result{
		Columns: []query.Column{{Name: "id", Type: "int4", Class: query.Number}, {Name: "name", Type: "text"}},
		Rows:    [][]query.Value{{v("1"), v("Ada")}, {v("20"), v("Grace")}},
		Outcome: outcome(2, rewrite.Complete, rewrite.SourceDefault, 100),
	}
	truncated := complete
	truncated.Outcome = outcome(2, rewrite.Truncated, rewrite.SourceCapped, 2)
	truncated.Outcome.Plan.Cap.Wanted = 5000
	truncated.Outcome.Plan.Statement.Limit.Offset = 40
	truncated.Outcome.Plan.Warnings = []rewrite.Warning{{Kind: "limit_capped", Message: "the limit of 5000 was lowered to the maximum of 2"}}
	truncated.Notice = &rewrite.Notice{Message: "showing the first 2 rows; more rows exist", Detail: "cap 2 from the maximum limit; 5000 rows were asked for", Hint: "read on with LIMIT and OFFSET, narrow the WHERE clause, or aggregate"}
	truncated.ServerWarnings = []query.ServerWarning{{Level: "WARNING", Code: "01000", Message: "mind | the\ngap", Detail: "a detail", Hint: "a hint"}}
	unknown := complete
	unknown.Outcome = outcome(2, rewrite.Unknown, rewrite.SourceToolParam, 2)
	unknown.Notice = &rewrite.Notice{Message: "showing 2 rows, as many as the cap allows; more rows may exist", Detail: "cap 2 from the limit given with the request", Hint: "ask for up to 1000 rows"}
	values := query.Result{
		Columns: []query.Column{{Name: "v", Type: "text"}, {Name: "v", Type: "numeric", Class: query.Number}, {Name: "a|b", Type: "bool", Class: query.Bool}},
		Outcome: outcome(0, rewrite.Complete, rewrite.SourceNone, rewrite.NoLimit), Unreadable: 1,
		Rows: [][]query.Value{
			{null, null, null},
			{v(""), v("0"), v("t")},
			{v("NULL"), v("-1.50"), v("f")},
			{v("'NULL'"), v("NaN"), v("t")},
			{v("''"), v("-Infinity"), v("t")},
			{v("'it''s'"), v("9007199254740991"), v("t")},
			{v("a|b`c`\\d<br>"), v("9007199254740992"), v("t")},
			{v("line\r\nbreak\ttab"), v("0.1000"), v("t")},
			{v("\x1b[31mred"), v("0.12345678901234567890"), v("t")},
			{v("#comment, \"quoted\""), v("1e+20"), v("t")},
			{v(`\x00ff`), v("00042"), v("t")},
			{v("=1+1"), v("-0"), v("t")},
			{v("日本 é 😀"), v("3"), v("t")},
			{v(" blank "), v("1.7976931348623157e+308"), v("t")},
			{v("bad \uFFFD byte"), v("12345678901234567890"), v("t")},
		},
	}
	command := query.Result{Command: "INSERT 0 3"}
	noColumns := query.Result{Columns: []query.Column{}, Rows: [][]query.Value{{}, {}}, Outcome: outcome(2, rewrite.Complete, rewrite.SourceDefault, 100)}
	empty := complete
	empty.Rows = nil
	empty.Outcome = outcome(0, rewrite.Complete, rewrite.SourceUserSQL, 0)
	return map[string][]query.Result{
		"complete": {complete}, "truncated": {truncated}, "unknown": {unknown}, "values": {values},
		"empty": {empty}, "nocolumns": {noColumns}, "script": {command, complete, truncated},
	}
}

func TestGolden(t *testing.T) {
	for name, results := range samples() {
		for _, format := range Formats() {
			t.Run(name+"/"+format, func(t *testing.T) {
				var b bytes.Buffer
				if err := Print(&b, format, results); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join("testdata", name+"."+format)
				if *update {
					if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(b.Bytes(), want) {
					t.Errorf("got\n%s\nwant\n%s", b.Bytes(), want)
				}
			})
		}
	}
}

func TestJSONIsRead(t *testing.T) {
	for name, results := range samples() {
		var b bytes.Buffer
		if err := Print(&b, "json", results); err != nil {
			t.Fatal(err)
		}
		d := encoding.NewDecoder(&b)
		for _, r := range results {
			var out struct {
				RowCount int
				HasMore  *bool
				Limit    *uint64
				Columns  []struct{ Name, Type string }
				Data     [][]any
				Warnings []map[string]string
			}
			if err := d.Decode(&out); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if out.RowCount != len(r.Rows) || len(out.Data) != len(r.Rows) || len(out.Columns) != len(r.Columns) || out.Warnings == nil {
				t.Errorf("%s: %+v", name, out)
			}
			if more := r.Outcome.Completeness == rewrite.Truncated; out.HasMore != nil && *out.HasMore != more || out.HasMore == nil && r.Columns != nil && r.Outcome.Completeness != rewrite.Unknown {
				t.Errorf("%s: hasMore %v", name, out.HasMore)
			}
		}
		if d.More() {
			t.Errorf("%s: more documents than results", name)
		}
	}
}

// TestCSVIsRead reads CSV back with another implementation and finds every value.
func TestCSVIsRead(t *testing.T) {
	r := samples()["values"][0]
	var b bytes.Buffer
	if err := Print(&b, "csv", []query.Result{r}); err != nil {
		t.Fatal(err)
	}
	in := stdcsv.NewReader(&b)
	in.Comment = '#'
	records, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != len(r.Rows)+1 {
		t.Fatalf("%d records", len(records))
	}
	for i, row := range r.Rows {
		for j, want := range row {
			got := query.Value{Text: records[i+1][j], Null: records[i+1][j] == "NULL"}
			if got.Null {
				got.Text = ""
			} else if unquoted(got.Text) == "NULL" {
				got.Text = got.Text[1 : len(got.Text)-1]
			}
			// The reader takes CRLF inside quotes for LF.
			want.Text = strings.ReplaceAll(want.Text, "\r\n", "\n")
			if got != want {
				t.Errorf("row %d: got %+v, want %+v", i, got, want)
			}
		}
	}
}

func TestCellsAreTold(t *testing.T) {
	seen := map[string]query.Value{}
	for _, value := range []query.Value{null, v(""), v("NULL"), v("''"), v("'NULL'"), v("''''"), v("''NULL''"), v("'"), v("'''"), v("'a'"), v("null")} {
		s := shown(value)
		if other, ok := seen[s]; ok {
			t.Errorf("%+v and %+v are both shown as %s", value, other, s)
		}
		seen[s] = value
	}
}

func TestExact(t *testing.T) {
	for s, want := range map[string]bool{
		"0": true, "-0": true, "7": true, "-9007199254740991": true, "9007199254740992": false, "1152921504606846976": false,
		"0.1": true, "0.10": true, "100.00": true, "0.123456789012345": true, "0.12345678901234566": true, "0.12345678901234567": false, "0.1234567890123456789": false,
		"1e400": false, "1e20": true, "1E-7": true, "NaN": false, "": false, "01": false, ".5": false, "5.": false, "0x10": false, "1_000": false,
		"-12345678901234567.5": false, "0.0": true, "5e-324": true, "99999999999999999999999999999999999999999.5": false,
	} {
		if got := exact(s); got != want {
			t.Errorf("exact(%q) = %v", s, got)
		}
	}
}

func TestPrintErrors(t *testing.T) {
	if err := Print(&bytes.Buffer{}, "xml", nil); err == nil || !strings.Contains(err.Error(), "table, markdown, csv, json") {
		t.Errorf("err = %v", err)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("SKIPPED, NOT PASSED: no /dev/full on this machine")
	}
	defer full.Close()
	for _, format := range Formats() {
		if err := Print(full, format, samples()["truncated"]); err == nil {
			t.Errorf("%s: a full disk went unseen", format)
		}
	}
}

// TestRowsInJSONAreBounded has texts that JSON's escapes make six times as long.
func TestRowsInJSONAreBounded(t *testing.T) {
	a := query.Answer{Ran: true}
	a.Columns = []query.Column{{Name: "a", Type: "text"}}
	for range 10 {
		a.Rows = append(a.Rows, []query.Value{{Text: strings.Repeat("\x01", 100)}})
	}
	a.Outcome.Rows = 10
	r := New(a, Options{Format: "csv", ResponseChars: 3000})
	var e struct {
		Data        encoding.RawMessage
		RowsOmitted int
	}
	if err := encoding.Unmarshal(r.JSON, &e); err != nil || len(e.Data) > 3000 || r.Rows != 4 || e.RowsOmitted != 6 {
		t.Errorf("%d rows, %d characters: %v", r.Rows, len(e.Data), err)
	}
}
