package mysqlwire

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// notes is what rowcap adds to the server's diagnostics: the notices of the last
// command. They go when the next command comes, unless that one reads the
// diagnostics.
type notes struct {
	list []note
	// several reports that the command had more than one result, so that each
	// notice has to say which one it speaks of.
	several bool
	// server is the server's own number of warnings.
	server uint16
}

// note is a notice, and the result that it speaks of.
type note struct {
	rewrite.Notice
	// result is the number of the result in its command, from 1.
	result int
}

// begin prepares for a statement that reads what shows says of the diagnostics.
func (n *notes) begin(shows diagnostics) {
	if !shows.kind.reads() {
		n.clear()
	}
}

func (n *notes) clear() { *n = notes{} }

// message is a notice in the one line that SHOW WARNINGS has for it. It names the
// result where the command had several.
func (n *notes) message(of note) string {
	text := message(of.Notice)
	if n.several {
		text = fmt.Sprintf("result %d: %s", of.result, text)
	}
	return text
}

// message is a notice in one line.
func message(n rewrite.Notice) string {
	return n.Message + "; " + n.Detail + "; " + n.Hint
}
