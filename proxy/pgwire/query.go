package pgwire

import "github.com/rowcap/rowcap/rewrite"

// query is a planned Query message while it is answered.
type query struct {
	script rewrite.Script
	// next is the number of statements answered.
	next int
	// begun says that the server has answered something.
	begun bool
}

// plan returns the plan for the coming answer. A text that was not read as a
// whole has one plan for all its answers.
func (q *query) plan(r *rewrite.Rewriter) rewrite.Plan {
	q.begun = true
	switch {
	case q.script.Err != nil && len(q.script.Plans) == 1:
		return q.script.Plans[0]
	case q.next < len(q.script.Plans):
		return q.script.Plans[q.next]
	}
	return r.Guard("the answer belongs to no statement that was read")
}

// query plans the text of a Query and sends it.
func (s *session) query(m message) error {
	text, rest, ok := cutString(m.body)
	if !ok || len(rest) > 0 {
		return violation("the Query message is not one zero-terminated text")
	}
	script := s.rewriter.Load().Script(string(text), rewrite.Ask{})
	s.planned(script)
	e := expected{kind: expectQuery, query: &query{script: script}}
	worked := s.segment.executed
	s.segment.reset()
	frame := []byte(nil)
	switch no := script.Refused(); {
	case no != nil && !worked:
		s.up.cut()
		return s.expect(expected{kind: expectRefusal, fail: refused(no), ready: true})
	case no != nil:
		// What was executed since the last Sync is in the same transaction and
		// must be undone with this statement.
		e.fail = refused(no)
		frame = queryFrame(failingText)
	case len(script.Edits()) > 0 || m.cut:
		frame = queryFrame(script.SQL())
	}
	if err := s.expect(e); err != nil || frame == nil {
		return err
	}
	s.up.cut()
	s.up.put(frame)
	return nil
}

// failingText is sent where the transaction of the server has to fail with a
// refused statement. No server can run it.
const failingText = "rowcap refused the statement that stood here"

func queryFrame(sql string) []byte {
	return appendFrame(make([]byte, 0, headerSize+len(sql)+1), 'Q', func(b []byte) []byte { return appendString(b, sql) })
}

func (s *session) planned(script rewrite.Script) {
	for _, p := range script.Plans {
		s.door.Observer.Planned(s.door.Name(), p)
	}
}

// empty handles EmptyQueryResponse. mu is held.
func (s *session) empty() error {
	e := s.queue.front()
	switch {
	case e != nil && e.kind == expectQuery:
		e.query.begun = true
	case e != nil && e.kind == expectExecute:
		s.finish()
	default:
		return outOfStep("EmptyQueryResponse", e)
	}
	return nil
}

// refusals returns the answers to the refused messages that have come to the
// front of the queue. The server was sent nothing, so the transaction is as it
// was, and the status is that of the last ReadyForQuery. mu is held.
func (s *session) refusals() []byte {
	var b []byte
	for e := s.queue.front(); e != nil && e.kind == expectRefusal; e = s.queue.front() {
		b = e.fail.appendTo(b, s.plain)
		ready := e.ready
		s.queue.pop()
		if ready {
			b = append(b, 'Z', 0, 0, 0, 5, s.status)
			continue
		}
		s.skipToSync()
	}
	return b
}
