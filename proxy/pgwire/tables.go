package pgwire

import "github.com/rowcap/rowcap/rewrite"

const (
	// statementLimit bounds how many prepared statements are remembered. Those
	// that are forgotten can still be executed: their rows are guarded.
	statementLimit = 100_000
	// portalLimit bounds the open portals. They live until the transaction
	// ends at the latest; one too many is refused.
	portalLimit = 10_000
	// textLimit bounds in bytes what is kept of the callers' own texts.
	textLimit = 8 << 20
)

// statement is what is remembered of a prepared statement.
type statement struct {
	plan rewrite.Plan
	// edits are the plan's edits, counted in characters.
	edits []rewrite.Edit
	// edited says that the server has another text than the caller's.
	edited bool
	// text and types are the Parse as the caller sent it, if the statement was edited.
	text  string
	types []byte
	// reading is how the server read that text.
	reading reading
	// limitType is the type of the parameter that is the limit; see limitType.
	limitType uint32
	// origin is what a Describe of it, or of a portal of it, told.
	origin origin
	// parameters is how many the server found, once a Describe of rowcap's own asked.
	parameters uint16
}

// tables holds the prepared statements and portals that the server has, as far
// as its answers tell. The zero name is the unnamed one.
type tables struct {
	statements map[string]*statement
	portals    map[string]*portal
	// prepared has the statements that SQL prepared.
	prepared map[string]rewrite.Statement
	// kept is the size of the callers' texts in statements.
	kept int
	// freed says that SQL took a statement away (DEALLOCATE), so that a name in
	// the table may come to mean another one.
	freed bool
	// closed says the same of portals (CLOSE, ROLLBACK).
	closed bool
	// reading is how the server reads texts now.
	reading reading
}

func (t *tables) clear() {
	t.clearStatements()
	t.clearPortals()
}

func (t *tables) clearStatements() {
	t.statements, t.prepared, t.kept, t.freed = map[string]*statement{}, nil, 0, false
}

func (t *tables) clearPortals() {
	switch n := len(t.portals); {
	case t.portals == nil || n > segmentKept:
		t.portals = map[string]*portal{}
	case n > 0:
		clear(t.portals)
	}
	t.closed = false
}

// remember keeps a statement that the server has parsed.
func (t *tables) remember(name string, st *statement) {
	if _, known := t.statements[name]; !known && len(t.statements) >= statementLimit {
		forget := statementLimit / 8
		for old := range t.statements {
			t.drop(old)
			if forget--; forget == 0 {
				break
			}
		}
	}
	t.drop(name)
	if size := len(st.text) + len(st.types); t.kept+size > textLimit {
		st.text, st.types = "", nil
	} else {
		t.kept += size
	}
	t.statements[name] = st
}

// drop forgets a statement.
func (t *tables) drop(name string) {
	if st := t.statements[name]; st != nil {
		t.kept -= len(st.text) + len(st.types)
		delete(t.statements, name)
	}
}

// dropUnnamed forgets what a Query takes away (exec_simple_query in
// src/backend/tcop/postgres.c).
func (t *tables) dropUnnamed() {
	t.drop("")
	delete(t.portals, "")
}

// completed follows the commands of SQL that act on statements and portals. Where
// the name is not known that they took away, what cannot be told any more is
// forgotten, and the guard takes its place.
func (t *tables) completed(tag string, st *rewrite.Statement) {
	name := objectName([]byte(st.Prepared))
	switch tag {
	case "DEALLOCATE":
		if name == "" {
			t.freed, t.prepared = true, nil
			return
		}
		t.drop(name)
		delete(t.prepared, name)
	case "DEALLOCATE ALL":
		t.clearStatements()
	case "DISCARD ALL":
		t.clear()
	case "DO", "CALL":
		t.prepared = nil // it may have deallocated one and prepared another
	case "PREPARE":
		if t.freed {
			t.clearStatements()
		}
		if st.Inner != nil && len(t.prepared) < statementLimit {
			if t.prepared == nil {
				t.prepared = map[string]rewrite.Statement{}
			}
			t.prepared[name] = *st.Inner
		}
	case "CLOSE CURSOR", "CLOSE CURSOR ALL", "ROLLBACK":
		t.closed = true
	case "DECLARE CURSOR":
		if t.closed {
			t.clearPortals()
		}
	}
}

// executes gives the answer to an EXECUTE the plan of the statement that it names, if
// that is known. mu is held.
func (s *session) executes() {
	a := &s.answer
	st := a.plan.Statement
	if st.Kind != rewrite.KindExecute || st.Prepared == "" || a.portal != nil && a.portal.told {
		return
	}
	name := objectName([]byte(st.Prepared))
	if inner, ok := s.tables.prepared[name]; ok {
		a.plan = s.rewriter.Load().Executed(st, inner)
	} else if known := s.tables.statements[name]; known != nil && known.plan.Statement.Kind != rewrite.KindUnknown {
		exact := known.edited && known.plan.Method == rewrite.MethodExact
		a.plan = s.rewriter.Load().Executed(st, known.plan.Statement)
		if exact && a.plan.Metered() {
			a.plan.Method = rewrite.MethodExact
		}
	}
	if a.portal != nil {
		a.portal.plan, a.portal.meter, a.portal.told = a.plan, a.plan.Meter(), true
	}
}
