package query

import (
	"slices"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// maxTail is how many words at the end of a statement its own LIMIT is looked for among.
const maxTail = 32

// withoutLimit returns a statement without the LIMIT and OFFSET that end it; ok is false
// if the rest does not read as the same statement.
func withoutLimit(d rewrite.Dialect, text string) (rest string, ok bool) {
	none := rewrite.Limit{}
	whole, ok := alone(d, text)
	if !ok || whole.Limit == none {
		return text, ok
	}
	want, err := dialect.Reads(d, text)
	if err != nil {
		return "", false
	}
	for i, words := len(text)-1, 0; i > 0 && words < maxTail; i-- {
		if !opensWord(text[i-1], text[i]) {
			continue
		}
		words++
		got, ok := alone(d, text[:i])
		switch {
		case strings.ContainsAny(text[i:], "$?"): // a parameter would be left without a place
			return "", false
		case !ok || got.Limit != none || got.Kind != whole.Kind || got.Locks != whole.Locks || got.Volatile != whole.Volatile || got.Grouped != whole.Grouped:
			continue
		}
		reads, err := dialect.Reads(d, got.Text)
		if err == nil && reads.Rows == want.Rows && slices.Equal(reads.Tables, want.Tables) && slices.Equal(reads.Shown, want.Shown) && slices.Equal(reads.Order, want.Order) {
			return got.Text, true
		}
	}
	return "", false
}

// alone reads the text of one statement.
func alone(d rewrite.Dialect, text string) (rewrite.Statement, bool) {
	read, err := d.Parse(text)
	if err != nil || len(read) != 1 {
		return rewrite.Statement{}, false
	}
	return read[0], true
}

// leftOf is the number of rows that a limit leaves behind the first offset ones.
func leftOf(l rewrite.Limit, offset uint64) uint64 { return l.Rows - min(offset, l.Rows) }
