package mysqlwire

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// notes is what rowcap adds to the server's diagnostics: the notices and the error of
// the last command. They go when the next command comes, unless that one reads the
// diagnostics.
type notes struct {
	list []note
	// several reports that the command had more than one result, so that each
	// notice has to say which one it speaks of.
	several bool
	// server is the server's own number of warnings.
	server uint16
	// reworded is what the client was told of the server's last error in other words.
	reworded rewording
}

// note is one row of SHOW WARNINGS, and the result that it speaks of.
type note struct {
	level string
	code  int
	text  string
	// result is the number of the result in its command, from 1.
	result int
}

// The levels in SHOW WARNINGS.
const (
	levelWarning = "Warning"
	levelError   = "Error"
)

// errors returns those of the notes that are errors.
func (n *notes) errors() []note {
	var list []note
	for _, one := range n.list {
		if one.level == levelError {
			list = append(list, one)
		}
	}
	return list
}

// begin prepares for a statement that reads what shows says of the diagnostics.
func (n *notes) begin(shows diagnostics) {
	if !shows.kind.reads() {
		n.clear()
	}
}

// keepsNotes reports that the server still has the warnings of the command before when
// it has answered: MariaDB behind a SET that reads no table, as one without brackets does not.
// Connector/J takes its limit of setMaxRows back by such a SET before it asks for
// warnings.
func (s *session) keepsNotes(a *answer) bool {
	if !s.settings.setKeepsWarnings || len(a.script.Plans) != 1 || a.script.Plans[0].Statement.Kind != rewrite.KindUtility {
		return false
	}
	w := words{text: a.script.Text}
	if !w.next().is("SET") {
		return false
	}
	for {
		switch t := w.next(); {
		case t.kind == tokenEnd:
			return true
		case t.kind == tokenOther, t.is("("), t.is("STATEMENT"):
			return false
		}
	}
}

// clear forgets the notes, and not the words of an error: the server may still have it
// (MariaDB behind a SELECT without tables), and where it has not, no row is that of it.
func (n *notes) clear() { *n = notes{reworded: n.reworded} }

// message is a note in the one line that SHOW WARNINGS has for it. It names the
// result where the command had several.
func (n *notes) message(of note) string {
	if n.several {
		return fmt.Sprintf("result %d: %s", of.result, of.text)
	}
	return of.text
}

// message is a notice in one line.
func message(n rewrite.Notice) string {
	return n.Message + "; " + n.Detail + "; " + n.Hint
}
