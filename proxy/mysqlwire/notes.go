package mysqlwire

import "github.com/rowcap/rowcap/rewrite"

// notes is what rowcap adds to the server's diagnostics: the notices of the last
// statement. They go when the next statement comes, unless that one reads the
// diagnostics.
type notes struct {
	list []rewrite.Notice
	// server is the server's own number of warnings.
	server uint16
}

// begin prepares for a statement that reads what shows says of the diagnostics.
func (n *notes) begin(shows diagnostics) {
	if !shows.kind.reads() {
		n.clear()
	}
}

func (n *notes) clear() { n.list, n.server = nil, 0 }

// message is a notice in the one line that SHOW WARNINGS has for it.
func message(n rewrite.Notice) string {
	return n.Message + "; " + n.Detail + "; " + n.Hint
}
