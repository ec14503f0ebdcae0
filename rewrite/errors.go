package rewrite

import "fmt"

// ParseError says that a text could not be read.
type ParseError struct {
	// Message is the parser's own message.
	Message string
	// Offset is the byte offset in the text, or -1 if it is not known.
	Offset int
}

func (e *ParseError) Error() string {
	if e.Offset < 0 {
		return e.Message
	}
	return fmt.Sprintf("%s at byte %d", e.Message, e.Offset)
}

// RefusedError says that the policy does not let a statement run. Nothing of
// the text that holds the statement was sent.
type RefusedError struct {
	// Message states the fact.
	Message string
	// Hint is one sentence on what to do instead.
	Hint string
}

func (e *RefusedError) Error() string { return e.Message + "; " + e.Hint }
