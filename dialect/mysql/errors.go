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

// errNotLimitable is returned for a statement into which no limit can be written.
func errNotLimitable(obstacle string) error {
	return fmt.Errorf("no limit can be written into the statement: %s", obstacle)
}
