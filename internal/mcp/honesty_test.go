package mcp

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// honestyCase is one line of honesty.jsonl: a fault of other tools, in small.
type honestyCase struct {
	ID, Dialect, Flavor, Title, Setup, SQL string
	Default                                uint64  `json:"default_cap"`
	Max                                    *uint64 `json:"max_cap"`
	Options                                struct {
		ToolLimit     int    `json:"tool_limit"`
		ResponseChars int    `json:"response_cap_chars"`
		NextStarts    string `json:"next_page_starts_with"`
		AllPages      bool   `json:"all_pages"`
		DistinctIDs   int    `json:"distinct_ids"`
		CellChars     int    `json:"cell_cap_chars"`
		CutCells      [][]any
		CellTruncated []string `json:"cell_truncated"`
		Uncut         []string `json:"uncut_cells"`
		OriginalChars int      `json:"original_chars"`
		Format        string
		Roundtrip     bool
		Formats       []string
		Distinct      []string `json:"distinguishable_from_null"`
		OnTruncate    string   `json:"on_truncate"`
		MustNotSay    []string `json:"must_not_say"`
		MustNotMatch  []string `json:"must_not_match"`
		WarningCode   string   `json:"warning_code"`
		MaxRows       int      `json:"max_rows_seen"`
	}
	Expect struct {
		Rows      *int `json:"rows_returned"`
		Truncated bool
		Error     bool
		Source    string      `json:"limit_source"`
		Values    [][]*string `json:"rows"`
	}
}

func honestyCases(t *testing.T) []honestyCase {
	t.Helper()
	f, err := os.Open("../../testdata/cases/honesty.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []honestyCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c honestyCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if len(all) < 17 {
		t.Fatalf("%d cases only", len(all))
	}
	return all
}

// TestHonesty runs the cases as a client of the tools sees them.
func TestHonesty(t *testing.T) {
	for _, hc := range honestyCases(t) {
		t.Run(hc.ID, func(t *testing.T) {
			s := dbtest.MariaDB
			if hc.Dialect == "postgresql" {
				s = dbtest.Postgres
			}
			server := s(t)
			db := server.Database(t)
			if hc.Setup != "" {
				server.SQL(t, db, hc.Setup)
			}
			k := knobs{def: hc.Default, cells: DefaultCellChars, response: DefaultResponseChars}
			if hc.Max != nil {
				k.max = *hc.Max
			}
			if hc.Options.CellChars > 0 {
				k.cells = hc.Options.CellChars
			}
			if hc.Options.ResponseChars > 0 {
				k.response = hc.Options.ResponseChars
			}
			if hc.Options.OnTruncate == "error" {
				k.overflow = rewrite.OverflowError
			}
			hc.check(t, connect(t, server, db, k))
		})
	}
}

func (hc honestyCase) check(t *testing.T, c *client) {
	args := arguments{"sql": hc.SQL}
	if hc.Options.ToolLimit > 0 {
		args["limit"] = hc.Options.ToolLimit
	}
	if hc.Options.Format != "" {
		args["format"] = hc.Options.Format
	}
	if hc.Expect.Error {
		if got := c.fails(t, "query", args); !strings.Contains(got, fmt.Sprintf("cap %d", hc.Default)) || !strings.Contains(got, "add a LIMIT") {
			t.Errorf("error %s", got)
		}
		c.call(t, "query", arguments{"sql": "SELECT 1"})
		return
	}
	a := c.call(t, "query", args)
	if hc.Expect.Rows != nil && a.RowCount != *hc.Expect.Rows {
		t.Errorf("%d rows, want %d", a.RowCount, *hc.Expect.Rows)
	}
	if hc.Expect.Truncated != (a.HasMore == nil || *a.HasMore) || hc.Expect.Truncated == (a.Completeness == "complete") {
		t.Errorf("hasMore %v, %s", a.HasMore, a.Completeness)
	}
	if want := hc.Expect.Source; want != "response_size" && want != a.LimitSource && hc.Options.WarningCode == "" {
		t.Errorf("limitSource %s, want %s", a.LimitSource, want)
	}
	for i, row := range hc.Expect.Values {
		for j, want := range row {
			got := a.Data[i][j]
			if want == nil && got != nil || want != nil && fmt.Sprint(got) != *want {
				t.Errorf("row %d: %v, want %v", i, got, want)
			}
		}
	}
	hc.checkText(t, c, a)
	hc.checkSizes(t, c, args, a)
	if code := hc.Options.WarningCode; code != "" {
		if len(a.Warnings) < 2 || a.Warnings[0].Code != code || a.Warnings[len(a.Warnings)-1].Kind != "completeness_unknown" || !strings.Contains(a.text, code) {
			t.Errorf("warnings %+v", a.Warnings)
		}
	}
	if !utf8.ValidString(a.text) || !json.Valid(a.raw) {
		t.Error("the text is no UTF-8")
	}
}

// checkText checks what the model reads.
func (hc honestyCase) checkText(t *testing.T, c *client, a answer) {
	if hc.Expect.Truncated && hc.Options.WarningCode == "" && !strings.Contains(a.text, "more rows exist") {
		t.Errorf("the text does not say that rows are missing: %s", a.text)
	}
	for _, never := range append(hc.Options.MustNotSay, hc.Options.MustNotMatch...) {
		if strings.Contains(a.text, never) {
			t.Errorf("the text says %q: %s", never, a.text)
		}
	}
	if hc.Options.Roundtrip {
		r := csv.NewReader(strings.NewReader(a.text))
		r.Comment = '#'
		records, err := r.ReadAll()
		if err != nil || len(records) != a.RowCount+1 {
			t.Fatalf("%d records: %v", len(records), err)
		}
		for i, row := range a.Data {
			for j, want := range row {
				// The reader takes CRLF inside quotes for LF.
				if records[i+1][j] != strings.ReplaceAll(fmt.Sprint(want), "\r\n", "\n") {
					t.Errorf("%q, want %q", records[i+1][j], want)
				}
			}
		}
	}
	for _, format := range hc.Options.Formats {
		text := c.call(t, "query", arguments{"sql": hc.SQL, "format": format}).text
		for _, want := range map[string][]string{
			"markdown": {"| 1 | NULL |", "| 2 | '' |", "| 3 | 'NULL' |", `| 4 | \\N |`}, "csv": {"1,NULL\r\n", "2,\"\"\r\n", "3,'NULL'\r\n", `4,\N`}, "json": {"[1,null]", `[2,""]`, `[3,"NULL"]`, `[4,"\\N"]`},
		}[format] {
			if !strings.Contains(text, want) {
				t.Errorf("%s has no %q: %s", format, want, text)
			}
		}
	}
}

// checkSizes checks cells and responses that were cut.
func (hc honestyCase) checkSizes(t *testing.T, c *client, args arguments, a answer) {
	column := func(name string) string {
		i := slices.IndexFunc(a.Columns, func(c struct{ Name, Type string }) bool { return c.Name == name })
		return fmt.Sprint(a.Data[0][i])
	}
	for _, name := range hc.Options.CellTruncated {
		if got := column(name); got != strings.Repeat("X", k(hc))+"…[truncated, 200 chars total]" || !a.Truncated {
			t.Errorf("%s is %s", name, got)
		}
	}
	for _, name := range hc.Options.Uncut {
		if got := column(name); strings.Contains(got, "truncated") {
			t.Errorf("%s is %s", name, got)
		}
	}
	if n := hc.Options.OriginalChars; n > 0 {
		got := fmt.Sprint(a.Data[0][0])
		if want := fmt.Sprintf("…[truncated, %d chars total]", n); !strings.HasSuffix(got, want) || utf8.RuneCountInString(strings.TrimSuffix(got, want)) != k(hc) {
			t.Errorf("cell %s", got)
		}
	}
	if hc.Options.AllPages {
		if !a.Truncated || a.NextCursor == "" || utf8.RuneCountInString(a.text) > hc.Options.ResponseChars {
			t.Errorf("%d and %d characters: %s", len(a.text), len(a.raw), a.raw)
		}
		seen := map[string]bool{}
		for page := 0; ; page++ {
			for i, row := range a.Data {
				if page == 1 && i == 0 && fmt.Sprint(row[0]) != hc.Options.NextStarts {
					t.Errorf("the next page starts with %v", row[0])
				}
				seen[fmt.Sprint(row[0])] = true
			}
			if a.NextCursor == "" {
				break
			}
			args["cursor"] = a.NextCursor
			a = c.call(t, "query", args)
		}
		if len(seen) != hc.Options.DistinctIDs {
			t.Errorf("%d rows in all", len(seen))
		}
	}
}

func k(hc honestyCase) int { return hc.Options.CellChars }
