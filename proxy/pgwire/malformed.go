package pgwire

import "fmt"

// malformed passes a message whose body is not as the protocol has it: the server
// refuses it with an error of its own (08P01), does nothing of it, and goes on at the next
// Sync. Of one that did not fit the buffer the end was not seen, and it ends the session.
func (s *session) malformed(m message, kind expectation) error {
	if !m.whole() {
		return violation(fmt.Sprintf("the message of type %s is not well formed, or its names are too long", kindName(m.kind)))
	}
	e := expected{kind: kind}
	const why = "the message is not well formed"
	switch kind {
	case expectParse:
		e.parsed = &statement{plan: s.rewriter.Load().Guard(why)}
	case expectBind:
		e.portal = &portal{}
		e.portal.bind(&statement{plan: s.rewriter.Load().Guard(why)})
	case expectQuery:
		s.segment.reset()
		s.footing.runs(nil, false)
		e.query = &query{script: s.rewriter.Load().Unread("", why)}
	}
	if err := s.expect(e); err != nil || !m.cut {
		return err
	}
	s.up.cut()
	s.up.put(appendFrame(nil, m.kind, func(b []byte) []byte { return append(b, m.body...) }))
	return nil
}
