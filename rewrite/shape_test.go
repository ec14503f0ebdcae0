package rewrite

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// toy is a dialect of words: a statement is words up to a semicolon, "limit N"
// is its limit, "skip N" its offset, and a number of two digits or more is a
// literal. It counts what it is asked.
type toy struct{ parses, writes *int }

func newToy() toy { return toy{new(int), new(int)} }

func (d toy) Name() string             { return "toy" }
func (d toy) With(_, _ string) Dialect { return d }
func word(sql string, from int) (int, int) {
	start := from
	for start < len(sql) && sql[start] == ' ' {
		start++
	}
	if start < len(sql) && sql[start] == ';' {
		return start, start + 1
	}
	end := start
	for end < len(sql) && sql[end] != ' ' && sql[end] != ';' {
		end++
	}
	return start, end
}

func (d toy) Shape(sql string, key []byte, spans []int32) ([]byte, []int32, bool) {
	for at := 0; ; {
		start, end := word(sql, at)
		if start == len(sql) {
			return key, spans, true
		}
		spans = append(spans, int32(start), int32(end))
		if text := sql[start:end]; len(text) > 1 && strings.Trim(text, "0123456789") == "" && text[0] != '0' {
			key = append(key, 1)
		} else {
			key = append(append(key, text...), 0)
		}
		at = end
	}
}

func (d toy) Parse(sql string) ([]Statement, error) {
	*d.parses++
	var out []Statement
	pos := 0
	for _, piece := range strings.SplitAfter(sql, ";") {
		text := strings.TrimSuffix(piece, ";")
		lead := len(text) - len(strings.TrimLeft(text, " "))
		if trimmed := strings.TrimSpace(text); trimmed != "" {
			st := Statement{Text: trimmed, Pos: pos + lead, Kind: KindSelect, ReturnsRows: true, Limitable: true}
			words := strings.Fields(trimmed)
			for i, w := range words[:len(words)-1] {
				if n, err := strconv.ParseUint(words[i+1], 10, 64); err == nil && w == "limit" {
					st.Limit.Form, st.Limit.Rows = LimitLiteral, n
				} else if err == nil && w == "skip" {
					st.Limit.Offset = n
				}
			}
			st.AtMostOneRow = st.Limit.Form == LimitLiteral && st.Limit.Rows <= 1
			out = append(out, st)
		}
		pos += len(piece)
	}
	return out, nil
}

func (d toy) SetLimit(st Statement, rows uint64) ([]Edit, error) {
	*d.writes++
	if strings.Contains(st.Text, "stubborn") {
		return nil, fmt.Errorf("this one takes no limit")
	}
	if i := strings.Index(st.Text, "limit "); i >= 0 {
		start, end := word(st.Text, i+6)
		if st.Limit.Rows == rows {
			return nil, nil
		}
		return []Edit{{Start: start, End: end, Text: fmt.Sprint(rows)}}, nil
	}
	if i := strings.Index(st.Text, "lock"); i >= 0 {
		return []Edit{{Start: i, End: i, Text: fmt.Sprintf("limit %d ", rows)}}, nil
	}
	return []Edit{{Start: len(st.Text), End: len(st.Text), Text: fmt.Sprintf(" limit %d", rows)}}, nil
}

// plain hides Shape.
type plain struct{ Dialect }

// TestShapeEqualsParsing plans texts by their shape and by parsing, and compares.
func TestShapeEqualsParsing(t *testing.T) {
	d := newToy()
	shaped, err := New(d, DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := New(plain{newToy()}, DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	texts := 0
	for _, format := range []string{
		"q %d", "q  %d ;", " q %d lock", "q %d limit 5%d", "q limit 1", "q limit 0", "q %d limit %d", "q %d limit %d skip %d",
		"a %d ; b %d limit %d;; c limit 99%d skip 1; d lock", "q stubborn %d", "  ", ";", "q skip %d limit 70%d",
	} {
		for _, n := range []int{10, 77, 1001, 5000, 12345} {
			text := fmt.Sprintf(format, []any{n, n + 3, n * 7, n * 11}[:strings.Count(format, "%d")]...)
			for _, ask := range []Ask{{}, {Limit: 40}, {Limit: 5000}} {
				texts++
				got, want := shaped.Script(text, ask), parsed.Script(text, ask)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("%q, asked for %d:\nby shape   %+v\nby parsing %+v", text, ask.Limit, got, want)
				}
			}
		}
	}
	if *d.parses > texts/4 || *d.writes > texts/4 {
		t.Errorf("%d texts took %d parses and %d writes", texts, *d.parses, *d.writes)
	}
}

// TestShapeNeverGuesses has texts whose places cannot be told: they are parsed.
func TestShapeNeverGuesses(t *testing.T) {
	d := newToy()
	r, err := New(d, DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	// The number of rows that the plan writes happens to be the statement's own.
	first := r.Script("q limit 41", Ask{Limit: 40})
	if got := first.SQL(); got != "q limit 41" {
		t.Errorf("sends %q", got)
	}
	for n := 60; n < 70; n++ {
		if got := r.Script(fmt.Sprint("q limit ", n), Ask{Limit: 40}).SQL(); got != "q limit 41" {
			t.Errorf("sends %q", got)
		}
		// The offset's number stands twice.
		p := r.Script(fmt.Sprintf("q %d limit 30 skip %d", n, n), Ask{}).Plans[0]
		if p.Statement.Limit.Offset != uint64(n) {
			t.Errorf("offset %d, want %d", p.Statement.Limit.Offset, n)
		}
	}
}

// TestShapeProvesOnce has limits above the maximum: where the limit stands and how it is
// lowered is learnt from one edit.
func TestShapeProvesOnce(t *testing.T) {
	d := newToy()
	r, err := New(d, DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{5000, 6000, 50} {
		r.Script(fmt.Sprint("q limit ", n), Ask{})
	}
	if *d.parses != 1 || *d.writes != 1 {
		t.Errorf("%d parses and %d writes, want one of each", *d.parses, *d.writes)
	}
	if got := r.Script("q limit 7000", Ask{}).SQL(); got != "q limit 1001" {
		t.Errorf("sends %q", got)
	}
}
