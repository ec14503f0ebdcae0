package pgwire

import "github.com/rowcap/rowcap/rewrite"

const (
	// statementLimit bounds how many prepared statements are remembered. Those
	// that are forgotten can still be executed: their rows are guarded.
	statementLimit = 100_000
	// portalLimit bounds the open portals. They live until the transaction
	// ends at the latest; one too many is refused.
	portalLimit = 10_000
)

// statement is what is remembered of a prepared statement.
type statement struct {
	plan rewrite.Plan
	// edits are the plan's edits, counted in characters.
	edits []rewrite.Edit
}

// tables holds the prepared statements and portals that the server has, as far
// as its answers tell. The zero name is the unnamed one.
type tables struct {
	statements map[string]*statement
	portals    map[string]*portal
	// freed says that SQL took a statement away (DEALLOCATE), so that a name in
	// the table may come to mean another one.
	freed bool
	// closed says the same of portals (CLOSE, ROLLBACK).
	closed bool
}

func (t *tables) clear() {
	t.statements, t.freed = map[string]*statement{}, false
	t.clearPortals()
}

func (t *tables) clearPortals() {
	if t.portals == nil || len(t.portals) > 0 {
		t.portals = map[string]*portal{}
	}
	t.closed = false
}

// remember keeps a statement that the server has parsed.
func (t *tables) remember(name string, st *statement) {
	if _, known := t.statements[name]; !known && len(t.statements) >= statementLimit {
		forget := statementLimit / 8
		for old := range t.statements {
			delete(t.statements, old)
			if forget--; forget == 0 {
				break
			}
		}
	}
	t.statements[name] = st
}

// completed follows the commands of SQL that act on statements and portals.
// Which name they took away is not looked for: what cannot be told any more is
// forgotten, and the guard takes its place.
func (t *tables) completed(tag string) {
	switch tag {
	case "DEALLOCATE":
		t.freed = true
	case "DEALLOCATE ALL":
		t.statements, t.freed = map[string]*statement{}, false
	case "DISCARD ALL":
		t.clear()
	case "PREPARE":
		if t.freed {
			t.statements, t.freed = map[string]*statement{}, false
		}
	case "CLOSE CURSOR", "CLOSE CURSOR ALL", "ROLLBACK":
		t.closed = true
	case "DECLARE CURSOR":
		if t.closed {
			t.clearPortals()
		}
	}
}
