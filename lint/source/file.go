// Package source reads files that hold SQL: plain scripts, scripts of psql and of the
// mysql client, migrations, Go programs and Markdown pages. It cuts them into
// statements whose places in the file are known.
package source

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// File is a file's text.
type File struct {
	// Path is the file's name as the user is shown it, with slashes.
	Path string
	// Text is what it holds, without a byte order mark.
	Text string
	// Mark is the length of the byte order mark in bytes.
	Mark int

	lines []int // where each line begins
}

// NewFile returns a file with such a text.
func NewFile(path, text string) *File {
	f := &File{Path: path, Text: text}
	if cut, ok := strings.CutPrefix(text, "\ufeff"); ok {
		f.Text, f.Mark = cut, len(text)-len(cut)
	}
	f.lines = append(f.lines, 0)
	for i := 0; i < len(f.Text); i++ {
		// A line ends with LF, CR LF, or, in very old files, CR alone.
		if c := f.Text[i]; c == '\n' || c == '\r' && (i+1 == len(f.Text) || f.Text[i+1] != '\n') {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Position is a place in a file.
type Position struct {
	// Offset is the number of bytes before it, the byte order mark not counted.
	Offset int `json:"offset"`
	// Line and Column count from 1; a column is a character, whatever its width.
	Line   int `json:"line"`
	Column int `json:"column"`
}

// Position returns the place of an offset in f.Text.
func (f *File) Position(offset int) Position {
	offset = min(max(offset, 0), len(f.Text))
	line := sort.SearchInts(f.lines, offset+1) - 1
	return Position{Offset: offset, Line: line + 1, Column: utf8.RuneCountInString(f.Text[f.lines[line]:offset]) + 1}
}

// Line returns the text of a line, counted from 1, without its end.
func (f *File) Line(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	end := len(f.Text)
	if n < len(f.lines) {
		end = f.lines[n]
	}
	return strings.TrimRight(f.Text[f.lines[n-1]:end], "\r\n")
}
