package pgwire

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// A statement that was prepared by a Parse has the cap in its text, which bounds what
// is sent to the client. CREATE TABLE AS EXECUTE stores the statement's rows instead,
// and must store all. So before one runs, the server is given the caller's own text
// under that name; its rows are counted from then on.

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
	s.mu.Lock()
	old := s.tables.statements[name]
	failing := s.status == 'E' || s.skip
	s.mu.Unlock()
	if old == nil || !old.edited || failing {
		return nil, nil
	}
	if old.text == "" {
		return &fault{severity: severityError, code: codeRefused,
			message: fmt.Sprintf("the statement is refused: %q has a row cap in its text, and its own text is not kept any more", name),
			hint:    "prepare it once more, or with SQL's PREPARE"}, nil
	}
	fresh := &statement{plan: s.rewriter.Load().Unedited(old.plan.Statement, "its rows are also stored by CREATE TABLE AS EXECUTE"), limitType: old.limitType}
	entries := []expected{
		{kind: expectClose, target: 'S', name: name, quiet: true},
		{kind: expectParse, name: name, parsed: fresh, quiet: true, hushed: simple},
	}
	frames := append(closeFrame(name), parseFrame([]byte(name), old.text, old.types)...)
	if simple {
		entries = append(entries, expected{kind: expectSync, quiet: true})
		frames = append(frames, syncFrame...)
	}
	for _, e := range entries {
		if err := s.expect(e); err != nil {
			return nil, err
		}
	}
	s.up.put(frames)
	return nil, nil
}

// restoreAll does the same for all statements of a Query.
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
	s.mu.Lock()
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
