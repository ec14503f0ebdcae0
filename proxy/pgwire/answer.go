package pgwire

import (
	"encoding/binary"

	"github.com/rowcap/rowcap/rewrite"
)

// answer is the answer to one statement, or one page of it, while it comes.
type answer struct {
	open bool
	// meter is own, or that of portal.
	meter  *rewrite.Meter
	own    rewrite.Meter
	plan   rewrite.Plan
	portal *portal
	// rows is how many rows of this page were delivered, seen how many came.
	rows, seen uint64
	copy       copyOut
}

// begin finds out which statement the coming answer belongs to. mu is held.
func (s *session) begin() error {
	if s.answer.open {
		return nil
	}
	e := s.queue.front()
	a := &s.answer
	*a = answer{open: true}
	switch {
	case e != nil && e.kind == expectQuery:
		a.plan = e.query.plan(s.rewriter.Load())
		s.executes()
		s.tries(e)
	case e != nil && e.kind == expectExecute:
		if p := s.tables.portals[e.name]; p != nil {
			a.portal, a.plan, a.meter = p, p.plan, &p.meter
			s.executes()
			s.tries(e)
			return nil
		}
		a.plan = cursorPlan(s.rewriter.Load())
	default:
		a.open = false
		return outOfStep("an answer to a statement", e)
	}
	a.own = a.plan.Meter()
	a.meter = &a.own
	return nil
}

// row counts one DataRow and drops it if it is beyond the cap. mu is held.
func (s *session) row() error {
	a := &s.answer
	if !a.open {
		if err := s.begin(); err != nil {
			return err
		}
	}
	if asksLast(&a.plan.Statement) {
		s.showLast()
		return nil
	}
	if a.seen == 0 && !a.plan.Statement.ReturnsRows {
		s.surprise()
	}
	a.seen++
	if a.meter.Row() != rewrite.Deliver {
		s.down.cut()
		return nil
	}
	a.rows++
	return nil
}

// moreRows does what row does for the rows that stand next in what was read, but for the
// first of an answer and one that is not there as a whole. Of a large result, all but a
// few rows are counted here. mu is held.
func (s *session) moreRows() {
	a, p := &s.answer, s.down
	if a.seen == 0 || p.left > 0 || s.muted || asksLast(&a.plan.Statement) {
		return
	}
	for p.w-p.r >= headerSize && p.buf[p.r] == 'D' {
		total := 1 + int(binary.BigEndian.Uint32(p.buf[p.r+1:]))
		if total < headerSize || total > p.w-p.r {
			return
		}
		p.mark = p.r
		p.r += total
		a.seen++
		if a.meter.Row() == rewrite.Deliver {
			a.rows++
		} else {
			p.cut()
		}
	}
}

// surprise guards an answer with rows to a statement that was read as one that
// returns none: a rule of the database can add a query to it.
func (s *session) surprise() {
	a := &s.answer
	writes := a.plan.Statement.Writes
	a.plan = s.rewriter.Load().Guard("the statement returned rows, though it was not read as one that does")
	a.plan.Statement.Writes = writes
	if a.portal != nil {
		a.portal.plan, a.portal.meter = a.plan, a.plan.Meter()
		return
	}
	a.own = a.plan.Meter()
}

// conclude tells the client what is known of an answer at its end, before the
// message that ends it. exceeded says that the answer has to end with an error
// instead: that message is not for the client, and the error comes when the server
// was made to fail. mu is held.
func (s *session) conclude() (exceeded bool) {
	a := &s.answer
	if !a.plan.Statement.ReturnsRows || asksLast(&a.plan.Statement) {
		return false
	}
	o := a.meter.Outcome()
	o.Plan.Statement.Writes = a.plan.Statement.Writes
	var no *rewrite.ExceededError
	if e := s.queue.front(); e.held {
		no = s.rewriter.Load().Overflow(o)
	}
	if b := s.report(o, no == nil); len(b) > 0 {
		s.down.put(b)
	}
	s.door.Observer.Answered(s.door.Name(), o)
	if no == nil {
		return false
	}
	s.exceeded = overflow(no)
	s.down.cut()
	return true
}

// complete handles CommandComplete. mu is held.
func (s *session) complete(m message) error {
	if err := s.begin(); err != nil {
		return err
	}
	tag, _, ok := cutString(m.body)
	if !ok || !m.whole() {
		return upstreamViolation("the upstream sent a CommandComplete without an end")
	}
	a := &s.answer
	s.tables.completed(string(tag), &a.plan.Statement)
	s.copied()
	a.plan.Statement.Writes = a.plan.Statement.Writes || writes(string(tag))
	if s.rowless(string(tag)) || s.conclude() {
		s.finish()
		return nil
	}
	if a.rows < a.seen {
		if changed, ok := recount(string(tag), a.rows, a.plan.Statement.Kind); ok {
			s.down.cut()
			s.down.put(appendFrame(nil, 'C', func(b []byte) []byte { return appendString(b, changed) }))
		}
	}
	s.finish()
	return nil
}

// suspended handles PortalSuspended. Where it was rowcap that asked for fewer
// rows than the client, or rows are beyond the cap, the answer ends here for
// the client. mu is held.
func (s *session) suspended() error {
	if err := s.begin(); err != nil {
		return err
	}
	e := s.queue.front()
	if e.kind != expectExecute {
		return outOfStep("PortalSuspended", e)
	}
	a := &s.answer
	over := a.plan.Metered() && a.meter.Outcome().Completeness == rewrite.Truncated
	lowered := a.portal == nil && e.sent != e.asked
	if over || lowered {
		if s.conclude() {
			s.finish()
			return nil
		}
		s.down.cut()
		s.down.put(appendFrame(nil, 'C', func(b []byte) []byte {
			return appendString(b, tagOf(a.plan.Statement.Kind, a.rows))
		}))
	}
	s.finish()
	return nil
}

// finish closes the answer and moves on. mu is held.
func (s *session) finish() {
	e := s.queue.front()
	s.answer = answer{}
	if e.kind == expectQuery {
		e.query.next++
		e.query.origin = originUnknown
		return
	}
	s.settle(e)
	s.queue.pop()
}

// settle takes the rows of an Execute off what is coming of its portal.
func (s *session) settle(e *expected) {
	if e.portal != nil {
		e.portal.coming -= rowsOf(e.sent)
	}
}
