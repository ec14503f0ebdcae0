package postgres

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/rowcap/rowcap/rewrite"
)

// syntaxError is an error of PostgreSQL's parser or scanner.
type syntaxError struct {
	message string
	// cursor is the 1-based position in the text in characters, 0 if unknown.
	cursor int
}

func (e *syntaxError) Error() string { return e.message }

// parseError turns an error of the parser into the dialect's, with the position
// in bytes.
func parseError(sql string, err error) *rewrite.ParseError {
	var pe *rewrite.ParseError
	if errors.As(err, &pe) {
		return pe
	}
	var se *syntaxError
	if errors.As(err, &se) {
		return &rewrite.ParseError{Message: se.message, Offset: byteOffset(sql, se.cursor)}
	}
	return &rewrite.ParseError{Message: err.Error(), Offset: -1}
}

// byteOffset returns the byte offset of the character at a 1-based position, or
// -1 where the position is not known.
func byteOffset(sql string, cursor int) int {
	if cursor <= 0 {
		return -1
	}
	at := 0
	for range cursor - 1 {
		if at >= len(sql) {
			break
		}
		_, size := utf8.DecodeRuneInString(sql[at:])
		at += size
	}
	return at
}

// recoverEngine turns a panic of the parser into an error. The parser compiled
// to WebAssembly panics where the one linked in would end the process.
func recoverEngine(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the parser failed: %v", r)
	}
}
