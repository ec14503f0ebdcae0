package pgwire

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/rewrite"
)

// characterEdits returns edits of text counted in characters, as the server
// counts positions, instead of bytes. In an encoding that is not wide a
// character is a byte.
func characterEdits(text string, edits []rewrite.Edit, wide bool) []rewrite.Edit {
	if len(edits) == 0 || !wide {
		return edits
	}
	counted := make([]rewrite.Edit, len(edits))
	at, characters := 0, 0
	count := func(to int) int {
		characters += utf8.RuneCountInString(text[at:to])
		at = to
		return characters
	}
	for i, e := range edits {
		counted[i] = rewrite.Edit{Start: count(e.Start), End: count(e.End),
			Text: strings.Repeat("x", utf8.RuneCountInString(e.Text))}
	}
	return counted
}

// reposition returns an ErrorResponse or NoticeResponse whose position counts in
// the caller's own text. ok is false if it stays as it is.
func reposition(m message, edits []rewrite.Edit) (frame []byte, ok bool) {
	if len(edits) == 0 || !m.whole() {
		return nil, false
	}
	value := field(m.body, fieldPosition)
	position, err := strconv.Atoi(string(value))
	if err != nil || position < 1 {
		return nil, false
	}
	mapped := rewrite.OriginalOffset(edits, position-1) + 1
	if mapped == position {
		return nil, false
	}
	return appendFrame(nil, m.kind, func(b []byte) []byte {
		rest := m.body
		for len(rest) > 1 && rest[0] != 0 {
			name := rest[0]
			value, after, _ := cutString(rest[1:])
			b = append(b, name)
			if name == fieldPosition {
				value = strconv.AppendInt(nil, int64(mapped), 10)
			}
			b = append(append(b, value...), 0)
			rest = after
		}
		return append(b, 0)
	}), true
}
