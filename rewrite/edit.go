package rewrite

import "strings"

// Edit replaces the bytes [Start, End) of a text by Text. Start equals End for
// an insertion. Which text that is (a statement's or a whole script's) is said where
// edits are returned.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// ApplyEdits returns text with edits made. Edits are ascending, do not overlap and
// lie within text.
func ApplyEdits(text string, edits []Edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	grown := len(text)
	for _, e := range edits {
		grown += len(e.Text)
	}
	b.Grow(grown)
	last := 0
	for _, e := range edits {
		b.WriteString(text[last:e.Start])
		b.WriteString(e.Text)
		last = e.End
	}
	b.WriteString(text[last:])
	return b.String()
}

// OriginalOffset maps a byte offset in the edited text back to the text before
// the edits, as for the place in a server's error message. An offset inside inserted
// text maps to where the insertion stands. Edits and offset may as well both count
// characters.
func OriginalOffset(edits []Edit, offset int) int {
	shift := 0 // edited position minus original position, so far
	for _, e := range edits {
		start := e.Start + shift
		if offset < start {
			break
		}
		if offset < start+len(e.Text) {
			return e.Start
		}
		shift += len(e.Text) - (e.End - e.Start)
	}
	return offset - shift
}
