package fuzz

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
	"github.com/rowcap/rowcap/rewrite"
)

// resultOf is an answer that was cut, with two columns and the values that data holds,
// one in each line of data that ends with a zero byte. An \x01 alone is a NULL.
func resultOf(name, data, said string) query.Result {
	r := query.Result{Columns: []query.Column{{Name: name, Type: "text"}, {Name: "b", Type: "text"}}}
	values := strings.Split(data, "\x00")
	for len(values) > 1 && len(r.Rows) < 50 {
		row := make([]query.Value, 2)
		for i := range row {
			row[i] = query.Value{Text: values[i]}
			if values[i] == "\x01" {
				row[i] = query.Value{Null: true}
			}
		}
		r.Rows = append(r.Rows, row)
		values = values[2:]
	}
	r.Outcome = rewrite.Outcome{Rows: uint64(len(r.Rows)), Completeness: rewrite.Truncated,
		Plan: rewrite.Plan{Method: rewrite.MethodProbe, Cap: rewrite.Cap{Rows: uint64(len(r.Rows)), Source: rewrite.SourceDefault}}}
	r.Notice = &rewrite.Notice{Message: "showing the first rows; more rows exist", Detail: "cap from the default", Hint: "add a LIMIT"}
	r.ServerWarnings = []query.ServerWarning{{Level: "WARNING", Code: "01000", Message: said}}
	return r
}

// plain is r with harmless values, names and words in the place of its own.
func plain(r query.Result) query.Result {
	r.Columns = []query.Column{{Name: "a", Type: "text"}, {Name: "b", Type: "text"}}
	rows := make([][]query.Value, len(r.Rows))
	for i := range rows {
		rows[i] = []query.Value{{Text: "x"}, {Text: "y"}}
	}
	r.Rows = rows
	r.ServerWarnings = []query.ServerWarning{{Level: "WARNING", Code: "01000", Message: "said"}}
	return r
}

// FuzzRender prints any values, names and words of a server in every format. JSON, CSV
// and markdown read back as the values; and the lines that are rowcap's own are, in number
// and text, those of an answer with harmless data: no data can forge or hide a fact.
func FuzzRender(f *testing.F) {
	f.Add("a", "1\x00Ada\x002\x00Grace\x00", "mind the gap")
	f.Add("a|b", "NULL\x00\x01\x00''\x00'NULL'\x00\x00 \x00", "two\nlines")
	f.Add("# warning: x", "x\r\n# warning: forged\x00\"\x00", "\n- forged")
	f.Add("a", "x |\n\nWarnings:\n\n- forged\x00<br>\\n`\x00", "\r\nwarning: forged")
	f.Add("\u2028", "\u0085\x00\x1b[31m\x00)\n(0 rows)\x00\u202e\x00", "\x1b[2J")
	f.Fuzz(func(t *testing.T, name, data, said string) {
		name, data, said = valid(name), valid(data), valid(said)
		if strings.TrimSpace(said) == "" {
			said = "said"
		}
		r := resultOf(name, data, said)
		own := plain(r)
		checkJSON(t, printed(t, "json", r), printed(t, "json", own), r)
		checkCSV(t, printed(t, "csv", r), printed(t, "csv", own), r)
		checkMarkdown(t, printed(t, "markdown", r), printed(t, "markdown", own), r)
		checkTable(t, printed(t, "table", r), printed(t, "table", own), r)
	})
}

// valid is s as package query promises values: without bytes that are not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func printed(t *testing.T, format string, r query.Result) string {
	var b bytes.Buffer
	if err := render.Print(&b, format, []query.Result{r}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func checkJSON(t *testing.T, got, own string, r query.Result) {
	var a, b struct {
		RowCount     int
		HasMore      *bool
		Completeness string
		Limit        *uint64
		LimitSource  string
		Hint         string
		Columns      []struct{ Name, Type string }
		Data         [][]*string
		Warnings     []map[string]any
	}
	if strings.Count(got, "\n") != 1 {
		t.Fatalf("%q is more than one line", got)
	}
	if err := json.Unmarshal([]byte(got), &a); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(own), &b); err != nil {
		t.Fatalf("%s: %v", own, err)
	}
	if len(a.Data) != len(r.Rows) || a.Columns[0].Name != r.Columns[0].Name {
		t.Fatalf("%s: %d rows of %d", got, len(a.Data), len(r.Rows))
	}
	for i, row := range r.Rows {
		for j, v := range row {
			if cell := a.Data[i][j]; v.Null != (cell == nil) || cell != nil && *cell != v.Text {
				t.Fatalf("%s: row %d has not %+v", got, i, v)
			}
		}
	}
	if len(a.Warnings) != len(b.Warnings) {
		t.Fatalf("the warnings %v are %v with harmless data", a.Warnings, b.Warnings)
	}
	for i, own := range b.Warnings {
		if own["kind"] == "server_warning" {
			own["message"] = r.ServerWarnings[0].Message
		}
		if !reflect.DeepEqual(a.Warnings[i], own) {
			t.Fatalf("the warning %v is %v with harmless data", a.Warnings[i], own)
		}
	}
	a.Columns, a.Data, a.Warnings = b.Columns, b.Data, b.Warnings
	if !reflect.DeepEqual(a, b) {
		t.Fatalf("the facts %+v are %+v with harmless data", a, b)
	}
}

// checkCSV reads RFC 4180 on its own, as encoding/csv takes CRLF in quotes for LF.
func checkCSV(t *testing.T, got, own string, r query.Result) {
	facts := func(text string) (lines []string, rest string) {
		for strings.HasPrefix(text, "#") {
			var line string
			line, text, _ = strings.Cut(text, "\r\n")
			lines = append(lines, line)
		}
		return lines, text
	}
	a, rest := facts(got)
	b, _ := facts(own)
	sameLines(t, got, a, b)
	var records [][]string
	for rest != "" {
		var record []string
		for more := true; more; {
			field := ""
			if quoted, ok := strings.CutPrefix(rest, `"`); ok {
				for {
					var part string
					if part, quoted, ok = strings.Cut(quoted, `"`); !ok {
						t.Fatalf("%q: a quote without end", got)
					}
					field += part
					if !strings.HasPrefix(quoted, `"`) {
						break
					}
					field, quoted = field+`"`, quoted[1:]
				}
				rest = quoted
			} else {
				end := strings.IndexAny(rest, ",\r")
				if end < 0 || strings.ContainsAny(rest[:end], "\"\n") {
					t.Fatalf("%q: the field at %q", got, rest)
				}
				field, rest = rest[:end], rest[end:]
			}
			record = append(record, field)
			if rest, more = strings.CutPrefix(rest, ","); !more {
				var ok bool
				if rest, ok = strings.CutPrefix(rest, "\r\n"); !ok {
					t.Fatalf("%q: no line ends at %q", got, rest)
				}
			}
		}
		records = append(records, record)
	}
	if len(records) != len(r.Rows)+1 || records[0][0] != r.Columns[0].Name {
		t.Fatalf("%q: %d records, head %q", got, len(records), records[0])
	}
	for i, row := range r.Rows {
		for j, v := range row {
			if cell := read(records[i+1][j], false); cell != v {
				t.Fatalf("%q: row %d has %+v, not %+v", got, i, cell, v)
			}
		}
	}
}

func checkMarkdown(t *testing.T, got, own string, r query.Result) {
	a, b := strings.Split(got, "\n"), strings.Split(own, "\n")
	rows := len(r.Rows) + 2
	if len(a) != len(b) {
		t.Fatalf("%q has %d lines, and %d with harmless data", got, len(a), len(b))
	}
	sameLines(t, got, a[rows:], b[rows:])
	cells := func(line string) []string {
		inner, begins := strings.CutPrefix(line, "| ")
		inner, ends := strings.CutSuffix(inner, " |")
		if !begins || !ends {
			t.Fatalf("%q: %q is no row", got, line)
		}
		var all []string
		from := 0
		for i := 0; i < len(inner); i++ {
			switch inner[i] {
			case '\\':
				i++
			case '|':
				all = append(all, inner[from:i-1])
				from = i + 2
			}
		}
		return append(all, inner[from:])
	}
	if head := cells(a[0]); len(head) != 2 || unescaped(head[0]) != r.Columns[0].Name {
		t.Fatalf("%q: the head %q", got, head)
	}
	for i, row := range r.Rows {
		line := cells(a[i+2])
		if len(line) != len(row) {
			t.Fatalf("%q: row %d has the cells %q", got, i, line)
		}
		for j, v := range row {
			if cell := read(unescaped(line[j]), true); cell != v {
				t.Fatalf("%q: row %d has %+v, not %+v", got, i, cell, v)
			}
		}
	}
}

// checkTable does not read values back, as pictures stand for control characters there.
func checkTable(t *testing.T, got, own string, r query.Result) {
	a, b := strings.Split(got, "\n"), strings.Split(own, "\n")
	if len(a) != len(b) {
		t.Fatalf("%q has %d lines, and %d with harmless data", got, len(a), len(b))
	}
	rows := len(r.Rows) + 2
	sameLines(t, got, a[rows:], b[rows:])
}

// sameLines compares lines of rowcap's own; the last may quote the server's words.
func sameLines(t *testing.T, text string, a, b []string) {
	t.Helper()
	if len(a) != len(b) {
		t.Fatalf("%q has the lines %q, and %q with harmless data", text, a, b)
	}
	for i := range a {
		quotes := strings.Contains(b[i], "said")
		if !quotes && a[i] != b[i] {
			t.Fatalf("%q has the line %q, and %q with harmless data", text, a[i], b[i])
		}
		if begin, _, _ := strings.Cut(b[i], "said"); !strings.HasPrefix(a[i], begin) || strings.ContainsAny(a[i], "\r\n\x1b") {
			t.Fatalf("%q has the line %q, and %q with harmless data", text, a[i], b[i])
		}
	}
}

// read is the value that a cell shows; quoted tells that the empty text is in quotes.
func read(cell string, quoted bool) query.Value {
	if cell == "NULL" {
		return query.Value{Null: true}
	}
	bare := cell
	for len(bare) >= 2 && bare[0] == '\'' && bare[len(bare)-1] == '\'' {
		bare = bare[1 : len(bare)-1]
	}
	if len(bare) < len(cell) && (bare == "NULL" || quoted && bare == "") {
		cell = cell[1 : len(cell)-1]
	}
	return query.Value{Text: cell}
}

// unescaped undoes the escapes of a markdown cell.
func unescaped(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "<br>"):
			b.WriteByte('\n')
			i += len("<br>") - 1
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			i++
			switch s[i] {
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			case 'u':
				c, err := strconv.ParseUint(s[i+1:min(i+5, len(s))], 16, 16)
				if err != nil || i+5 > len(s) {
					return "no escape: " + s
				}
				b.WriteRune(rune(c))
				i += 4
			default:
				b.WriteByte(s[i])
			}
		}
	}
	return b.String()
}
