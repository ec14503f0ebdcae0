package mysqlwire

import (
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// cursor counts the rows of a server-side cursor over all its pages.
type cursor struct {
	meter rewrite.Meter
	// over reports that the client was told of the last row.
	over bool
	// failed is the error that ended the cursor, nil if none did.
	failed []byte
}

// opens reports that a status in the place of a cursor's end says that the statement
// has opened one.
func (a *answer) opens(status packet.Status) bool {
	return a.cursor && status.Has(packet.StatusCursorExists) && a.plan().Statement.Kind != rewrite.KindCall
}

// opened relays end, which says that the statement has opened a cursor.
func (a *answer) opened(meter rewrite.Meter, end []byte) error {
	if a.stmt != nil {
		a.stmt.cursor = &cursor{meter: meter}
	}
	return a.client.out.taken(&a.up.in, end)
}

// fetch passes COM_STMT_FETCH on.
func (s *session) fetch(h packet.Header) error {
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	id, err := packet.StatementID(b)
	if err != nil {
		return s.unreadable(err)
	}
	s.notes.clear()
	return s.send(h, b, func() error { return s.relayPage(s.prepared.get(id)) })
}

// relayPage relays one page of a cursor. The page in which the cap is reached, or
// found to be exceeded, is the last one for the client, whatever the server still
// holds.
func (s *session) relayPage(st *statement) error {
	c := &cursor{meter: s.rewriter.Guard("the cursor belongs to no statement that was read").Meter()}
	if st != nil && st.cursor != nil {
		c = st.cursor
	}
	end, err := s.rows(&c.meter, nil)
	if err != nil || end.failed {
		return err
	}
	s.notes.server = end.warnings
	s.settings.observe(end.status)
	o := c.meter.Outcome()
	cut := o.Completeness == rewrite.Truncated
	status := end.status
	if cut {
		status = status&^packet.StatusCursorExists | packet.StatusLastRowSent
	}
	a := &answer{session: s}
	if st != nil {
		a.script = st.script
	}
	if !c.over && (cut || status.Has(packet.StatusLastRowSent)) {
		c.over = true
		c.failed = a.settle(o, end)
	}
	if c.failed != nil {
		return s.client.out.packet(c.failed)
	}
	return s.writeEnd(end, status, a.told)
}
