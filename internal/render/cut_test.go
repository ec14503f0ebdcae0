package render

import (
	encoding "encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

func TestCutCell(t *testing.T) {
	for _, c := range []struct {
		text  string
		class query.Class
		want  string
	}{
		{"1234567890", query.Text, "1234567890"},
		{"12345678901", query.Text, "1234567890…[truncated, 11 chars total]"},
		{"ééééééééééé", query.Text, "éééééééééé…[truncated, 11 chars total]"},
		{"🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂", query.Text, "🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂"},
		{`{"a": {"b": ["12345678901", 1.50, true]}}`, query.JSON, `{"a": {"b": ["1234567890…[truncated, 11 chars total]", 1.50, true]}}`},
		{`{"a key that is long": 12345678901234567890}`, query.JSON, `{"a key that is long": 12345678901234567890}`},
		{`{"z": 1, "a": "12345678901", "z": []}`, query.JSON, `{"z": 1, "a": "1234567890…[truncated, 11 chars total]", "z": []}`},
		{"[" + strings.Repeat("1, ", 25) + "1]", query.JSON, "[" + strings.Repeat("1, ", 25) + "1]"},
		{"[" + strings.Repeat("1, ", 99) + "1]", query.JSON, "[1, 1, 1, …[truncated, 300 chars total]"},
		{`[1, 2, 3`, query.JSON, `[1, 2, 3`},
		{`[1, 2, 3, 4, 5`, query.JSON, `[1, 2, 3, …[truncated, 14 chars total]`},
		{`\x` + strings.Repeat("ab", 6), query.Binary, `\x` + strings.Repeat("ab", 6)}, // 8 as base64
		{"0x" + strings.Repeat("AB", 9), query.Binary, "0x" + strings.Repeat("AB", 6) + "…[truncated, 12 chars total]"},
	} {
		got, cut := cutCell(c.text, c.class, 10)
		if !cut {
			got = c.text
		}
		if got != c.want || cut != (c.want != c.text) {
			t.Errorf("%s: %s, %v", c.text, got, cut)
		}
	}
}

// TestResponseFits makes responses of every size: none is over it that has more
// than one row, none has fewer rows than fit, and all say what is missing.
func TestResponseFits(t *testing.T) {
	a := query.Answer{Ran: true, Pages: true, Result: query.Result{
		Columns: []query.Column{{Name: "a", Type: "text"}},
		Outcome: rewrite.Outcome{Rows: 30, Plan: rewrite.Plan{Statement: rewrite.Statement{Kind: rewrite.KindSelect}, Cap: rewrite.Cap{Rows: 30, Source: rewrite.SourceDefault}}},
	}}
	for i := range 30 {
		a.Rows = append(a.Rows, []query.Value{{Text: strings.Repeat("é", i*7%40)}})
	}
	for _, format := range []string{"markdown", "csv", "json"} {
		last := 0
		for size := 100; size < 4000; size += 97 {
			o := Options{Format: format, ResponseChars: size, Boundary: "0123456789abcdef", Cursor: func(n uint64) string { return strings.Repeat("c", int(n)) }}
			r := New(a, o)
			if chars := utf8.RuneCountInString(r.Text); r.Rows < 1 || r.Rows < last || r.Rows > 1 && chars > size {
				t.Fatalf("%s, %d: %d rows in %d characters", format, size, r.Rows, chars)
			}
			last = r.Rows
			var e struct {
				RowCount     int
				HasMore      bool
				Truncated    bool
				NextCursor   string
				Completeness string
				Data         [][]any
			}
			if err := encoding.Unmarshal(r.JSON, &e); err != nil {
				t.Fatal(err)
			}
			cut := r.Rows < 30
			if e.RowCount != r.Rows || len(e.Data) != r.Rows || e.HasMore != cut || e.Truncated != cut || cut && len(e.NextCursor) != r.Rows || !cut && e.NextCursor != "" || (e.Completeness == "truncated") != cut {
				t.Fatalf("%s, %d: %s", format, size, r.JSON)
			}
			if cut != strings.Contains(r.Text, "more rows exist") {
				t.Fatalf("%s, %d: %s", format, size, r.Text)
			}
		}
		if last != 30 {
			t.Errorf("%s: %d rows at the most", format, last)
		}
	}
	if len(a.Rows) != 30 || a.Outcome.Completeness != rewrite.Complete {
		t.Error("the answer itself was changed")
	}
}
