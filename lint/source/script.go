package source

import (
	"slices"

	"github.com/rowcap/rowcap/rewrite"
)

// Script is one text of SQL in a file.
type Script struct {
	// Start and End bound it in the file's text.
	Start, End int
	// Edits turn the file's text into SQL: they take escapes out of string literals of
	// a program. They are ascending and relative to Start.
	Edits []rewrite.Edit
	// Dialect is the dialect that the file names for it, "" if it names none.
	Dialect string
	// Single says in a few words why only one statement may stand in it, "" if
	// several may.
	Single string
	// Quote is how the script is quoted in the file: a Go string's own quote, 0 if
	// it is not.
	Quote byte
	// Named reports that a library takes :name for a parameter.
	Named bool
	// Generated reports that a program wrote the file, so that fixes belong elsewhere, and
	// Shared a literal that the program may use in other ways too.
	Generated, Shared bool
	// Takes is how many rows the program takes of each of its statements.
	Takes Takes

	// Unread says what of the script is not among its statements, "" if nothing.
	Unread string
	// Statements are its statements, in order.
	Statements []Statement
	// Comments are its comments, in order.
	Comments []Comment
}

// Statement is one statement of a script.
type Statement struct {
	// Start and End bound it in the script's SQL, without comments at its ends.
	Start, End int
	// Edits take out what is not SQL (a variable of psql), ascending and relative to
	// Start.
	Edits []rewrite.Edit
	// Sent reports that a client sends the very text that Edits make, where otherwise a
	// parameter stands for what is not known.
	Sent bool
	// Name is the name that a tool gives it, as sqlc does, "" for none.
	Name string
	// Single and Takes are as in Script.
	Single string
	Takes  Takes
	// Sets is the setting that it gives a value, by which the statements behind it are
	// read, nil if it sets none.
	Sets *Setting
	// Skip says why the statement is not to be looked at, "" if it is.
	Skip string
}

// Takes is how many of a statement's rows a program takes, whatever the server sends.
type Takes uint8

// How many rows are taken, most first.
const (
	// TakesAll is all of them, or it is not known how many.
	TakesAll Takes = iota
	// TakesOne is the first one.
	TakesOne
	// TakesNone is none of them.
	TakesNone
)

// Comment is a comment of a script.
type Comment struct {
	// Start and End bound it in the script's SQL.
	Start, End int
}

// SQL returns the script's SQL.
func (s *Script) SQL(f *File) string { return rewrite.ApplyEdits(f.Text[s.Start:s.End], s.Edits) }

// InFile returns the offset in the file of an offset in the script's SQL.
func (s *Script) InFile(offset int) int {
	return s.Start + rewrite.OriginalOffset(s.Edits, offset)
}

// FixInFile returns an edit of the script's SQL as one of the file. ok is false if it
// touches what is not the same in both, if a program wrote the file, or if the text is used
// in other ways too.
func (s *Script) FixInFile(e rewrite.Edit) (fix rewrite.Edit, ok bool) {
	if s.Generated || s.Shared {
		return fix, false
	}
	start, end := s.InFile(e.Start), s.InFile(e.End)
	if end-start != e.End-e.Start {
		return fix, false
	}
	touches := func(own rewrite.Edit) bool {
		return s.Start+own.Start < end && s.Start+own.End > start || s.Start+own.Start == start && start == end && own.Text != ""
	}
	if slices.ContainsFunc(s.Edits, touches) {
		return fix, false
	}
	for _, c := range []byte(e.Text) {
		if s.Quote != 0 && (c == s.Quote || c < ' ' || c == '\\') {
			return fix, false
		}
	}
	return rewrite.Edit{Start: start, End: end, Text: e.Text}, true
}
