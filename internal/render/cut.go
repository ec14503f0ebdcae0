package render

import (
	"bytes"
	encoding "encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/query"
)

// cutCells returns rows with every value cut to most characters, and how many
// values were cut. rows itself stays as it is.
func cutCells(rows [][]query.Value, columns []query.Column, most int) (cut [][]query.Value, n int) {
	if most <= 0 {
		return rows, 0
	}
	out := make([][]query.Value, len(rows))
	for i, row := range rows {
		out[i] = row
		for j, v := range row {
			if len(v.Text) <= most { // as many characters at most
				continue
			}
			text, shorter := cutCell(v.Text, columns[j].Class, most)
			if !shorter {
				continue
			}
			if &out[i][0] == &row[0] {
				out[i] = append([]query.Value(nil), row...)
			}
			out[i][j].Text = text
			n++
		}
	}
	return out, n
}

// mostInJSON is how many times as long as a value a JSON value may be that keeps its form.
const mostInJSON = 8

// cutCell cuts one value. A JSON value keeps its form: the texts in it are cut. One that
// is far too long all the same, as a list of many numbers, is cut like a text. Binary is
// counted as its base64.
func cutCell(s string, class query.Class, most int) (string, bool) {
	switch class {
	case query.JSON:
		if text, shorter, ok := cutJSON(s, most); ok && utf8.RuneCountInString(text) <= mostInJSON*most {
			return text, shorter
		}
	case query.Binary:
		const prefix = 2 // \x or 0x
		bytes := (len(s) - prefix) / 2
		total := (bytes + 2) / 3 * 4
		if total <= most {
			return s, false
		}
		return s[:prefix+most/4*3*2] + mark(total), true
	}
	return cutText(s, most)
}

// CutText returns s, cut and marked if it has more than most characters; 0 is no
// bound.
func CutText(s string, most int) string {
	if most > 0 {
		s, _ = cutText(s, most)
	}
	return s
}

func cutText(s string, most int) (string, bool) {
	total := utf8.RuneCountInString(s)
	if total <= most {
		return s, false
	}
	end, left := 0, most
	for i := range s {
		if end = i; left == 0 {
			break
		}
		left--
	}
	return s[:end] + mark(total), true
}

func mark(total int) string { return fmt.Sprintf("…[truncated, %d chars total]", total) }

// cutJSON cuts the texts at any depth of a JSON value, never the keys; ok is false
// for what is no JSON.
func cutJSON(s string, most int) (text string, shorter, ok bool) {
	d := encoding.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var b strings.Builder
	type level struct {
		object bool
		tokens int // written so far
	}
	var open []level
	for {
		token, err := d.Token()
		if err == io.EOF {
			return b.String(), shorter, len(open) == 0
		}
		if err != nil {
			return "", false, false
		}
		key := false
		if delim, is := token.(encoding.Delim); is && (delim == ']' || delim == '}') {
			open = open[:len(open)-1]
			b.WriteString(delim.String())
			continue
		}
		if last := len(open) - 1; last >= 0 {
			key = open[last].object && open[last].tokens%2 == 0
			switch {
			case open[last].object && !key:
				b.WriteString(": ")
			case open[last].tokens > 0:
				b.WriteString(", ")
			}
			open[last].tokens++
		}
		switch v := token.(type) {
		case encoding.Delim:
			b.WriteString(v.String())
			open = append(open, level{object: v == '{'})
		case string:
			if !key {
				var cut bool
				if v, cut = cutText(v, most); cut {
					shorter = true
				}
			}
			b.WriteString(quoted(v))
		case encoding.Number:
			b.WriteString(v.String())
		case bool:
			fmt.Fprint(&b, v)
		case nil:
			b.WriteString("null")
		}
	}
}

// quoted is s as a JSON text.
func quoted(s string) string {
	var b bytes.Buffer
	e := encoding.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string always has a form
	return strings.TrimSuffix(b.String(), "\n")
}
