package pgwire

import (
	"encoding/binary"
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// segment is what the client sent since its last Sync or Query. If the server
// refuses any of it, it skips the rest, so within a segment each message may
// rely on those before.
type segment struct {
	statements map[string]*statement
	portals    map[string]*portal
	// executed says that the segment has an Execute.
	executed bool
	// full says that there were too many names to keep.
	full bool
}

// segmentLimit bounds the names kept for one segment.
const segmentLimit = 10_000

// segmentKept is how many names a map had that is used again.
const segmentKept = 8

func (g *segment) reset() {
	if len(g.statements) <= segmentKept && len(g.portals) <= segmentKept {
		clear(g.statements)
		clear(g.portals)
		g.executed, g.full = false, false
		return
	}
	*g = segment{}
}

func (g *segment) addStatement(name string, st *statement) {
	if g.full = g.full || len(g.statements) >= segmentLimit; g.full {
		return
	}
	if g.statements == nil {
		g.statements = map[string]*statement{}
	}
	g.statements[name] = st
}

func (g *segment) addPortal(name string, p *portal) {
	if g.full = g.full || len(g.portals) >= segmentLimit; g.full {
		return
	}
	if g.portals == nil {
		g.portals = map[string]*portal{}
	}
	g.portals[name] = p
}

// parse plans the text of a Parse and sends it.
func (s *session) parse(m message) error {
	given, rest, ok := cutString(m.body)
	text, types, more := cutString(rest)
	if !ok || !more || len(types) < 2 {
		return s.malformed(m, expectParse)
	}
	name := objectName(given)
	script, err := s.read(text)
	if err != nil {
		return err
	}
	sql, edits := sentText(script)
	if len(edits) > 0 && !s.keeps(&script, types) {
		sql, edits = script.Text, nil
	}
	s.planned(script)
	st := &statement{}
	switch {
	case len(script.Plans) == 1:
		st.plan = script.Plans[0]
		st.plan.Edits = nil
		st.plan.Statement.Text = ""
		if reads(&st.plan) {
			st.limitType = limitType(st.plan.Statement.Limit, types)
		}
	case len(script.Plans) > 1:
		st.plan = s.rewriter.Load().Guard("several statements in one Parse")
	}
	e := expected{kind: expectParse, name: name, parsed: st}
	if no := s.refusal(script); no != nil {
		return s.refuseExtended(no)
	}
	if len(edits) > 0 {
		st.edited = true
		st.text, st.types = script.Text, keptTypes(types)
		s.up.Lock(&s.mu)
		st.edits, st.reading = characterEdits(script.Text, edits, s.wide), s.tables.reading
		s.mu.Unlock()
	}
	s.segment.addStatement(name, st)
	if err := s.expect(e); err != nil || len(edits) == 0 && !m.cut {
		return err
	}
	s.up.cut()
	s.up.made = appendParse(s.up.made, given, sql, types)
	return nil
}

func parseFrame(name []byte, sql string, types []byte) []byte {
	return appendParse(make([]byte, 0, headerSize+len(name)+len(sql)+len(types)+2), name, sql, types)
}

func appendParse(dst, name []byte, sql string, types []byte) []byte {
	return appendFrame(dst, 'P', func(b []byte) []byte {
		b = append(append(b, name...), 0)
		return append(appendString(b, sql), types...)
	})
}

// refuseExtended answers a message of the extended protocol with an error, in
// its place among the answers, and drops what follows up to the Sync.
func (s *session) refuseExtended(f *fault) error {
	s.discard = true
	if !s.segment.executed {
		s.up.cut()
		return s.expect(expected{kind: expectRefusal, fail: f})
	}
	// What was executed since the last Sync is in the same transaction and must
	// be undone: the server has to see an error as well.
	return s.failServer(f)
}

// bind follows a Bind: a portal gets the plan of its statement.
func (s *session) bind(m message) error {
	to, rest, ok := cutString(m.body)
	from, values, more := cutString(rest)
	if !ok || !more {
		return s.malformed(m, expectBind)
	}
	e := expected{kind: expectBind, name: objectName(to), from: objectName(from), portal: &portal{}}
	s.up.Lock(&s.mu)
	open := len(s.tables.portals) + len(s.segment.portals)
	_, again := s.tables.portals[e.name]
	s.mu.Unlock()
	if open >= portalLimit && !again && e.name != "" {
		return s.refuseExtended(&fault{severity: severityError, code: codeTooMany,
			message: fmt.Sprintf("too many portals are open: rowcap follows %d in one transaction", portalLimit),
			hint:    "close portals that are no longer read, or end the transaction"})
	}
	if e.name != "" {
		if no, err := s.restoreBelow(e.from); err != nil {
			return err
		} else if no != nil {
			return s.refuseExtended(no)
		}
	}
	s.up.Lock(&s.mu)
	st, sure := s.statement(e.from)
	if st != nil && sure {
		e.portal.bind(st)
		e.portal.take(values)
	}
	s.mu.Unlock()
	if sure {
		s.segment.addPortal(e.name, e.portal)
	} else {
		s.segment.addPortal(e.name, nil)
	}
	return s.expect(e)
}

// statement finds the statement that a name will mean when the server comes to
// the message being sent. sure is false if that depends on answers that have not come.
// mu is held.
func (s *session) statement(name string) (st *statement, sure bool) {
	if st, ok := s.segment.statements[name]; ok {
		return st, st != nil
	}
	if s.queue.ends > 0 || s.segment.full {
		return nil, false
	}
	if st := s.tables.statements[name]; st != nil {
		return st, true
	}
	return s.unknown(name), true
}

// unknown is a statement that no Parse made: one that SQL prepared, if it exists. mu is
// held.
func (s *session) unknown(name string) *statement {
	const why = "the statement was not prepared by a Parse"
	if st, ok := s.tables.prepared[name]; ok {
		return &statement{plan: s.rewriter.Load().Unedited(st, why)}
	}
	return &statement{plan: s.rewriter.Load().Guard(why)}
}

// execute follows an Execute and holds its row count to the cap.
func (s *session) execute(m message) error {
	name, rest, ok := cutString(m.body)
	if !ok || len(rest) != 4 {
		return s.malformed(m, expectExecute)
	}
	e := expected{kind: expectExecute, name: objectName(name), asked: binary.BigEndian.Uint32(rest)}
	if int32(e.asked) < 0 {
		e.asked = 0
	}
	if err := s.certain(e.name); err != nil {
		return err
	}
	if s.footing.stores {
		no, err := s.restoreFor(e.name)
		if err != nil {
			return err
		}
		if no != nil {
			return s.refuseExtended(no)
		}
	}
	held := false
	err := s.expectWith(e, func(e *expected) {
		var runs *rewrite.Statement
		defer func() { s.footing.runs(runs, true) }()
		e.sent = e.asked
		p, ok := s.segment.portals[e.name]
		switch {
		case ok:
		case s.queue.ends > 0 || s.segment.full:
			return
		default:
			p = s.tables.portals[e.name]
		}
		switch {
		case p != nil:
			e.portal = p
			if p.from != nil {
				runs = &p.plan.Statement
			}
			e.sent = p.ask(e.asked)
			p.coming += rowsOf(e.sent)
			e.held, held = p.plan.Strict, p.plan.Strict
		case !ok:
			if c := cursorPlan(s.rewriter.Load()); c.Metered() && c.Cap.Rows < rowsOf(e.asked) {
				e.sent = uint32(c.Cap.Rows)
			}
		}
		if e.sent != e.asked || held {
			s.up.cut()
			s.up.made = appendExecute(s.up.made, name, e.sent)
		}
	})
	s.segment.executed = true
	if held && err == nil {
		var failed bool
		failed, err = s.verdict()
		s.discard = failed
	}
	return err
}

// appendExecute appends the Execute of a portal for so many rows, all if it is 0.
func appendExecute(dst, portal []byte, rows uint32) []byte {
	return appendFrame(dst, 'E', func(b []byte) []byte {
		return binary.BigEndian.AppendUint32(append(append(b, portal...), 0), rows)
	})
}

// extended handles the answers to Parse, Bind, Describe and Close, and the
// RowDescription of a Query. mu is held.
func (s *session) extended(m message) error {
	e := s.queue.front()
	if e == nil {
		return outOfStep("an answer of type "+kindName(m.kind), e)
	}
	switch {
	case m.kind == '1' && e.kind == expectParse:
		s.tables.remember(e.name, e.parsed)
	case m.kind == '2' && e.kind == expectBind:
		st := s.tables.statements[e.from]
		if st == nil {
			st = s.unknown(e.from)
		}
		e.portal.bind(st)
		s.tables.portals[e.name] = e.portal
	case m.kind == '3' && e.kind == expectClose:
		if e.target == 'S' {
			s.tables.drop(e.name)
		} else {
			delete(s.tables.portals, e.name)
		}
	case e.kind == expectDescribe && e.quiet && e.target == 'S' && (m.kind == 't' || m.kind == 'T' || m.kind == 'n'):
		s.inspected(m, e)
		return nil
	case m.kind == 'n' && e.kind == expectDescribe:
	case m.kind == 'T' && e.kind == expectDescribe:
		s.described(m, e)
		s.queue.pop()
		return nil
	case m.kind == 't' && e.kind == expectDescribe:
		return nil
	case m.kind == 'T' && e.kind == expectQuery:
		s.described(m, e)
		return nil
	default:
		return outOfStep("an answer of type "+kindName(m.kind), e)
	}
	if e.quiet {
		s.down.cut()
	}
	s.queue.pop()
	return nil
}
