package pgwire

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// query is a planned Query message while it is answered.
type query struct {
	script rewrite.Script
	// edits are those of the text that was sent.
	edits []rewrite.Edit
	// next is the number of statements answered.
	next int
	// begun says that the server has answered something.
	begun bool
	// origin is what the description of the coming answer told.
	origin origin
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
		return s.malformed(m, expectQuery)
	}
	script, err := s.read(text)
	if err != nil {
		return err
	}
	s.planned(script)
	no, err := s.impossible(script)
	if err != nil {
		return err
	}
	worked := s.segment.executed
	s.segment.reset()
	if no == nil && carried(script, worked) {
		if skipped, err := s.skipping(); skipped || err != nil {
			s.up.cut()
			return err
		}
		s.footing.runsAll(script.Plans)
		return s.carry(script)
	}
	sql, edits := sentText(script)
	e := expected{kind: expectQuery, query: &query{script: script, edits: edits}}
	replaced := true
	switch {
	case no != nil && !worked:
		s.up.cut()
		return s.expect(expected{kind: expectRefusal, fail: no, ready: true})
	case no != nil:
		// What was executed since the last Sync is in the same transaction and
		// must be undone with this statement.
		e.fail = no
		sql = failingText
	default:
		replaced = len(edits) > 0 || m.cut
	}
	s.footing.runsAll(script.Plans)
	if err := s.expect(e); err != nil || !replaced {
		return err
	}
	s.up.cut()
	s.up.made = appendQuery(s.up.made, sql)
	return nil
}

// refusal returns why a text is refused, nil if it is not. The server would take a SET
// of rowcap's own settings for one of a setting that an extension may bring, and
// nothing would come of it.
func (s *session) refusal(script rewrite.Script) *fault {
	if no := script.Refused(); no != nil {
		return refused(no)
	}
	for i := range script.Plans {
		if name := script.Plans[i].Statement.Sets; isOwn(name) && !script.Plans[i].Observed {
			return &fault{severity: severityError, code: codeCannotChange,
				message: fmt.Sprintf("the parameter %q cannot be set once the session has begun", name),
				hint:    "give " + defaultLimitParameter + " with the connection, as in options=-crowcap.default_limit=50, or write a LIMIT"}
		}
	}
	return nil
}

// impossible returns why a Query cannot be sent, nil if it can. It prepares the server
// for what it asks for.
func (s *session) impossible(script rewrite.Script) (*fault, error) {
	if no := s.refusal(script); no != nil {
		return no, nil
	}
	if carried(script, false) {
		if no := unfit(script); no != nil {
			return no, nil
		}
	}
	return s.restoreAll(script.Plans)
}

// failingText is sent where the transaction of the server has to fail with a
// refused statement. No server can run it.
const failingText = "rowcap refused the statement that stood here"

// appendQuery appends a Query.
func appendQuery(dst []byte, sql string) []byte {
	return appendFrame(dst, 'Q', func(b []byte) []byte { return appendString(b, sql) })
}

func (s *session) planned(script rewrite.Script) {
	for i := range script.Plans {
		s.door.Observer.Planned(s.door.Name(), script.Plans[i])
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
