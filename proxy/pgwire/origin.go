package pgwire

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// A statement over system catalogues is exempt, and a user's table or view may have a
// catalogue's name. The answer tells: RowDescription names the table of each column.

// origin is whose relations the columns of an answer are of.
type origin uint8

const (
	// originUnknown: the client did not ask for a description.
	originUnknown origin = iota
	// originServer: the server's own, or of none.
	originServer
	// originUser: a user's, one of them at least.
	originUser
)

// firstUserOID is the lowest OID of an object that is not the server's own
// (FirstNormalObjectId in src/include/access/transam.h).
const firstUserOID = 16384

// originOf reads a RowDescription. One that was not read as a whole counts as the user's.
func originOf(m message) origin {
	if !m.whole() || len(m.body) < 2 {
		return originUser
	}
	rest := m.body[2:]
	for range binary.BigEndian.Uint16(m.body) {
		end := bytes.IndexByte(rest, 0)
		const fixed = 18 // what follows the name, the OID of the table first
		if end < 0 || len(rest) < end+1+fixed || binary.BigEndian.Uint32(rest[end+1:]) >= firstUserOID {
			return originUser
		}
		rest = rest[end+1+fixed:]
	}
	return originServer
}

// notes keeps what a RowDescription tells, which e waits for. mu is held.
func (s *session) notes(m message, e *expected) {
	switch {
	case e.kind == expectQuery:
		e.query.origin = originOf(m)
	case e.target == 'S':
		if st := s.tables.statements[e.name]; st != nil {
			st.origin = originOf(m)
		}
	default:
		if p := s.tables.portals[e.name]; p != nil {
			p.origin = originOf(m)
			if p.from != nil {
				p.from.origin = p.origin
			}
		}
	}
}

// tries has the answer to an exempt statement counted where it is not known to be the
// server's own. mu is held.
func (s *session) tries(e *expected) {
	a := &s.answer
	if st := &a.plan.Statement; !st.CatalogOnly || !st.ReturnsRows || a.plan.Method != rewrite.MethodPass {
		return
	}
	from := originUnknown
	switch {
	case e.kind == expectQuery:
		from = e.query.origin
	case a.portal != nil && a.portal.origin != originUnknown:
		from = a.portal.origin
	case a.portal != nil && a.portal.from != nil:
		from = a.portal.from.origin
	}
	why := "the statement was executed without a description of its columns"
	switch from {
	case originServer:
		return
	case originUser:
		why = "a user's relation has the name of a system catalogue"
	}
	st := a.plan.Statement
	st.CatalogOnly = false
	a.plan = s.rewriter.Load().Unedited(st, why)
	if a.portal != nil {
		a.portal.plan, a.portal.meter = a.plan, a.plan.Meter()
	}
}

// rowless reports the end of a text that could not be read, and that turned out to be a
// statement without rows: of those nothing is told. mu is held.
func (s *session) rowless(tag string) bool {
	a, e := &s.answer, s.queue.front()
	if a.plan.Statement.Kind != rewrite.KindUnknown || a.seen > 0 || e.query != nil && e.query.origin != originUnknown {
		return false
	}
	word, _, _ := strings.Cut(tag, " ")
	return !slices.Contains([]string{"SELECT", "FETCH", "SHOW", "EXPLAIN", "CALL"}, word)
}
