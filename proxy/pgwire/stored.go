package pgwire

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// A statement that was prepared by a Parse has the cap in its text, which bounds what
// is sent to the client. CREATE TABLE AS EXECUTE stores the statement's rows instead,
// and must store all; and a portal with a name is a cursor, which SQL can read and move
// by itself. So before either, the server is given the caller's own text under the
// statement's name; its rows are counted from then on.

// stores reports a statement that stores the rows of a prepared one.
func stores(st *rewrite.Statement) bool {
	return st.Prepared != "" && (st.Kind == rewrite.KindSelectInto || st.Kind == rewrite.KindExplain)
}

// restore gives the server the caller's own text of the statement that st is about to
// store. simple says that a Query comes next, and not a message of the segment. A
// fault is why st cannot be run.
func (s *session) restore(st *rewrite.Statement, simple bool) (*fault, error) {
	if !stores(st) {
		return nil, nil
	}
	if _, err := s.drain(); err != nil {
		return nil, err
	}
	name := objectName([]byte(st.Prepared))
	s.up.Lock(&s.mu)
	old := s.tables.statements[name]
	failing := s.status == 'E' || s.skip
	s.mu.Unlock()
	if old == nil || !old.edited || failing {
		return nil, nil
	}
	parse, no, err := s.ownText(name, old)
	if no != nil || err != nil {
		return no, err
	}
	_, entries, frames := s.unedited(name, old, parse, "its rows are also stored by CREATE TABLE AS EXECUTE")
	if simple {
		entries[1].hushed = true
		entries = append(entries, expected{kind: expectSync, quiet: true})
		frames = append(frames, syncFrame...)
	}
	return nil, s.insert(entries, frames)
}

// restoreBelow does the same for the statement of a Bind that opens a portal with a
// name. A Describe before it has the server fail where the Bind would, so that the
// statement stays, and so that one whose columns were changed meanwhile is not
// prepared with others than the client knows. In a transaction that has failed the
// Bind fails by itself, whatever it is of.
func (s *session) restoreBelow(name string) (*fault, error) {
	s.up.Lock(&s.mu)
	old, sure := s.statement(name)
	known := sure && s.queue.ends == 0
	s.mu.Unlock()
	if sure && !kept(old) {
		return nil, nil
	}
	if !known {
		if _, err := s.drain(); err != nil {
			return nil, err
		}
	}
	s.up.Lock(&s.mu)
	if !known {
		old = s.tables.statements[name]
	}
	failing := s.skip || s.status == 'E' && !s.segment.executed // which may have ended the transaction
	s.mu.Unlock()
	if !kept(old) || failing {
		return nil, nil
	}
	parse, no, err := s.ownText(name, old)
	if no != nil || err != nil {
		return no, err
	}
	fresh, entries, frames := s.unedited(name, old, parse, "SQL can read a portal with a name as a cursor")
	entries = append([]expected{{kind: expectDescribe, target: 'S', name: name, parsed: old, quiet: true}}, entries...)
	if err := s.insert(entries, append(describeStatement(name), frames...)); err != nil {
		return nil, err
	}
	s.segment.addStatement(name, fresh)
	return nil, nil
}

// kept reports a statement that the server has in another text than the caller's.
func kept(st *statement) bool {
	return st != nil && st.edited && !asksLast(&st.plan.Statement)
}

// ownText returns the Parse of a statement as the caller sent it, or why it cannot be
// used: the server is to read the text as it did before.
func (s *session) ownText(name string, old *statement) (parse []byte, no *fault, err error) {
	s.up.Lock(&s.mu)
	text, types := old.text, old.types
	s.mu.Unlock()
	why, hint := "", "prepare it once more"
	if text == "" {
		why, hint = "its own text is not kept any more", "prepare it once more, or with SQL's PREPARE"
	} else if !anyhow(text) {
		if err := s.steady(); err != nil {
			return nil, nil, err
		}
		s.up.Lock(&s.mu)
		now := s.tables.reading
		s.mu.Unlock()
		if s.footing.doubt || now != old.reading {
			why = "client_encoding or standard_conforming_strings may have changed since it was prepared"
		}
	}
	if why == "" {
		return parseFrame([]byte(name), text, types), nil, nil
	}
	return nil, &fault{severity: severityError, code: codeRefused,
		message: fmt.Sprintf("the statement is refused: %q has a row cap in its text, and %s", name, why), hint: hint}, nil
}

// unedited returns the messages that give the server the caller's own text of a
// statement, and what is expected of them.
func (s *session) unedited(name string, old *statement, parse []byte, why string) (fresh *statement, entries []expected, frames []byte) {
	fresh = &statement{plan: s.rewriter.Load().Unedited(old.plan.Statement, why), limitType: old.limitType}
	return fresh, []expected{
		{kind: expectClose, target: 'S', name: name, quiet: true},
		{kind: expectParse, name: name, parsed: fresh, quiet: true},
	}, append(closeFrame('S', name), parse...)
}

// insert sends messages of rowcap's own before the one at hand.
func (s *session) insert(entries []expected, frames []byte) error {
	for _, e := range entries {
		if err := s.expect(e); err != nil {
			return err
		}
	}
	s.up.put(frames)
	return nil
}

func describeStatement(name string) []byte {
	return appendFrame(nil, 'D', func(b []byte) []byte { return appendString(append(b, 'S'), name) })
}

// inspected handles the answers to a Describe of rowcap's own. mu is held.
func (s *session) inspected(m message, e *expected) {
	s.down.cut()
	if m.kind != 't' {
		s.queue.pop()
		return
	}
	if len(m.body) >= 2 {
		e.parsed.parameters = binary.BigEndian.Uint16(m.body)
	}
}

// keeps says whether the caller's text can be kept. A statement whose text cannot is
// not edited: its plan in script is changed to one that counts.
func (s *session) keeps(script *rewrite.Script, types []byte) bool {
	if len(script.Plans) != 1 || asksLast(&script.Plans[0].Statement) {
		return true
	}
	s.up.Lock(&s.mu)
	full := s.tables.kept+len(script.Text)+len(types) > textLimit
	s.mu.Unlock()
	if full {
		script.Plans = []rewrite.Plan{s.rewriter.Load().Unedited(script.Plans[0].Statement, "the session has too many texts of statements to keep one more")}
	}
	return !full
}

// undeclared are the types of a Parse that leaves them to the server.
var undeclared = []byte{0, 0}

// keptTypes returns types in memory of its own.
func keptTypes(types []byte) []byte {
	if bytes.Equal(types, undeclared) {
		return undeclared
	}
	return bytes.Clone(types)
}

// restoreAll does the same as restore for all statements of a Query.
func (s *session) restoreAll(plans []rewrite.Plan) (*fault, error) {
	if !s.footing.stores {
		return nil, nil
	}
	for i := range plans {
		if f, err := s.restore(&plans[i].Statement, true); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// restoreFor does the same for an Execute of a portal.
func (s *session) restoreFor(portal string) (*fault, error) {
	s.up.Lock(&s.mu)
	p, ok := s.segment.portals[portal]
	if !ok {
		p = s.tables.portals[portal]
	}
	var st rewrite.Statement
	if p != nil {
		st = p.plan.Statement
	}
	s.mu.Unlock()
	return s.restore(&st, false)
}
