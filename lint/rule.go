package lint

import (
	"slices"
	"strings"
)

// Rule is one thing to look for, with its documentation.
type Rule struct {
	// Code is short and never changes; Name says what is found.
	Code, Name string
	// Summary is one sentence: what is found. Why is a paragraph: why it matters.
	Summary, Why string
	// Bad is SQL in which the rule finds something, Good the same done well. Both are
	// of the first of Dialects, postgres if there is none.
	Bad, Good string
	// Severity is that of most of its findings.
	Severity Severity
	// Dialects are those that have what is looked for, nil for all.
	Dialects []string
	// Fixable reports that the planner can edit what is found.
	Fixable bool
	// check looks at one statement; nil for a rule that looks at something else.
	check func(*Statement) []hit
}

// hit is what a rule finds in a statement.
type hit struct {
	// start and end bound the place in the statement's text; both 0 stand for the
	// whole statement.
	start, end    int
	message, hint string
	// severity is other than the rule's, 0 if not.
	severity Severity
	// fix reports that the planner's edits remove what was found.
	fix bool
}

// Rules returns all rules in the order of their codes.
func Rules() []*Rule {
	return []*Rule{
		&parseError, &refused, &duplicateLimit, &rejectedLimit, &multiStatement,
		&unboundedSelect, &limitAboveMaximum, &limitParameter, &limitWithoutOrderBy, &deepOffset, &withTies, &limitOnLockingRead,
		&limitInSubquery, &innerLimitAggregate, &limitOnWrite, &selectIntoOutfile, &copyToStdout, &orderNotTotal,
		&notRewritable, &serverBug, &unusedSuppression,
	}
}

// Lookup returns the rule with a code or name, in capitals or not, nil if there is
// none.
func Lookup(code string) *Rule {
	for _, r := range Rules() {
		if strings.EqualFold(r.Code, code) || strings.EqualFold(r.Name, code) {
			return r
		}
	}
	return nil
}

// in reports whether the rule looks at statements of a dialect.
func (r *Rule) in(dialect string) bool {
	return r.Dialects == nil || slices.Contains(r.Dialects, dialect)
}
