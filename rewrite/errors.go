package rewrite

import "fmt"

// ParseError says that a text could not be read: by the parser at hand, which is
// not to say that the server cannot read it.
type ParseError struct {
	// Message is the parser's own message.
	Message string
	// Offset is the byte offset in the text, or -1 if it is not known.
	Offset int
	// Writes reports that running the text may change data, as far as its words tell.
	Writes bool
}

// Error returns the message, and the place if it is known.
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

// ExceededError says that an answer had more rows than its cap, where the policy
// makes that an error.
type ExceededError struct {
	// Message states the fact: the cap, whose it is, and the rows that were seen.
	Message string
	// Detail says what the rows that came before are worth.
	Detail string
	// Hint is one sentence on how to get more.
	Hint string
}

// Error returns the message and the hint.
func (e *ExceededError) Error() string { return e.Message + "; " + e.Hint }

// Error returns the message and the hint.
func (e *RefusedError) Error() string { return e.Message + "; " + e.Hint }
