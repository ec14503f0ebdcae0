package lint

import (
	"fmt"
	"unicode/utf8"

	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// Severity is how much a finding weighs.
type Severity uint8

// The severities, in ascending order.
const (
	// SeverityNote is worth knowing.
	SeverityNote Severity = iota + 1
	// SeverityWarning may give a reader other rows than the author had in mind.
	SeverityWarning
	// SeverityError does not run, or not as written.
	SeverityError
)

var severityNames = [...]string{"", "note", "warning", "error"}

// String returns note, warning or error.
func (s Severity) String() string { return severityNames[s] }

// MarshalText returns the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// ParseSeverity returns the severity of a name.
func ParseSeverity(name string) (Severity, error) {
	for i, n := range severityNames {
		if n == name && n != "" {
			return Severity(i), nil
		}
	}
	return 0, fmt.Errorf("severity %q is not known: use error, warning or note", name)
}

// Finding is one thing that a rule found in a file.
type Finding struct {
	Rule     *Rule
	Severity Severity
	// Message says what is so, Hint what to do; Hint may be empty.
	Message, Hint string
	// Path is the file's name as it is shown.
	Path string
	// Start and End bound the place.
	Start, End source.Position
	// Line is the text of the line that Start stands in.
	Line string
	// Method is the plan's method for the statement, "" where the finding belongs to
	// none.
	Method string
	// Fingerprint stays the same when the lines move.
	Fingerprint string
	// Suppressed is the reason given in a comment that suppresses the finding; it
	// counts for nothing then. Known reports that the baseline has it.
	Suppressed string
	Ignored    bool
	Known      bool
	// Fixes are edits of the file, ascending, that the planner makes; none if it
	// makes none.
	Fixes []rewrite.Edit
}

// longestMessage is the length of the longest message in bytes.
const longestMessage = 400

// clip cuts a message that quotes a long text, as a parser's can.
func clip(message string) string {
	if len(message) <= longestMessage {
		return message
	}
	end := longestMessage
	for !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + "…"
}

// Counts reports a finding that is neither suppressed nor in the baseline.
func (f *Finding) Counts() bool { return !f.Ignored && !f.Known }

// Skipped is what was not looked at, and why.
type Skipped struct {
	// Start is where it begins, line 0 for the whole file.
	Start source.Position
	Why   string
}

// Result is what is known of one file.
type Result struct {
	Path string
	// Err says why the file was not read, nil if it was.
	Err error
	// Findings are in the order of the file.
	Findings []Finding
	Skipped  []Skipped
	// Statements is how many statements were planned.
	Statements int
	// Text is the file's text if it was asked for; see Options.Keep.
	Text string
	// Mark is the length of the byte order mark before Text.
	Mark int
}
