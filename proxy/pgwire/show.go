package pgwire

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// SHOW rowcap.last is sent as a SHOW of a setting that every server has and every user
// may read. So it is answered where and as the server would answer it, also in a
// pipeline, a text of several statements, or a failed transaction; only the name and
// the value in the answer are rowcap's.
const (
	stand         = "SHOW server_version"
	standsFor     = "server_version"
	nothingToTell = "null" // before the first answer with rows
)

// asksLast reports SHOW rowcap.last.
func asksLast(st *rewrite.Statement) bool {
	return st.Kind == rewrite.KindShow && strings.EqualFold(st.Shows, lastParameter)
}

// editsOf returns what is to be changed for one plan.
func editsOf(p *rewrite.Plan) []rewrite.Edit {
	if asksLast(&p.Statement) {
		return []rewrite.Edit{{Start: p.Statement.Pos, End: p.Statement.Pos + len(p.Statement.Text), Text: stand}}
	}
	return p.Edits
}

// sentText returns the text to send for a script, and the edits that make it of the
// caller's.
func sentText(script rewrite.Script) (sql string, edits []rewrite.Edit) {
	asks := false
	for i := range script.Plans {
		asks = asks || asksLast(&script.Plans[i].Statement)
	}
	if !asks {
		return script.SQL(), script.Edits()
	}
	for i := range script.Plans {
		edits = append(edits, editsOf(&script.Plans[i])...)
	}
	return rewrite.ApplyEdits(script.Text, edits), edits
}

// described looks at a RowDescription, which e waits for: that of a SHOW rowcap.last
// gets its name. mu is held.
func (s *session) described(m message, e *expected) {
	s.notes(m, e)
	var st *rewrite.Statement
	switch {
	case e.kind == expectQuery && e.query.next < len(e.query.script.Plans):
		st = &e.query.script.Plans[e.query.next].Statement
	case e.kind == expectDescribe && e.target == 'S':
		if known := s.tables.statements[e.name]; known != nil {
			st = &known.plan.Statement
		}
	case e.kind == expectDescribe:
		if known := s.tables.portals[e.name]; known != nil {
			st = &known.plan.Statement
		}
	}
	if st == nil || !asksLast(st) || !m.whole() || len(m.body) < 2 {
		return
	}
	rest, ok := bytes.CutPrefix(m.body[2:], []byte(standsFor+"\x00"))
	if !ok {
		return
	}
	s.down.cut()
	s.down.put(appendFrame(nil, 'T', func(b []byte) []byte {
		return append(appendString(append(b, m.body[:2]...), lastParameter), rest...)
	}))
}

// showLast puts the facts of the last answer into the row of a SHOW rowcap.last. mu is
// held.
func (s *session) showLast() {
	value := s.last
	if value == "" {
		value = nothingToTell
	}
	s.down.cut()
	s.down.put(appendFrame(nil, 'D', func(b []byte) []byte {
		return append(binary.BigEndian.AppendUint32(append(b, 0, 1), uint32(len(value))), value...)
	}))
}
