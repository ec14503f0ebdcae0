package mysql

import (
	"errors"
	"fmt"
)

var (
	errUnread   = errors.New("the parsers cannot read the statement")
	errNotQuery = errors.New("the statement is no query")
	errAtBind   = errors.New("the limit is a parameter: its value is held down when it is bound")
	errNoPlace  = errors.New("no place for the limit could be proved right")
)

// unknownKind is the obstacle of a statement that begins as none does.
const unknownKind = "statements of this kind are not known"

// The faults of a text that no server reads.
const (
	faultQuote      = "a quote does not end"
	faultComment    = "a comment does not end"
	faultExecutable = "an executable comment does not end"
)

// errNotLimitable is returned for a statement into which no limit can be written.
func errNotLimitable(obstacle string) error {
	return fmt.Errorf("no limit can be written into the statement: %s", obstacle)
}
