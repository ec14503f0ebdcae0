package pgwire

import (
	"math"

	"github.com/rowcap/rowcap/rewrite"
)

// portal is a bound statement on its way through one or more Executes. The cap
// counts over all of them.
type portal struct {
	// from is the statement that it was bound to, nil if that is not known yet.
	from  *statement
	plan  rewrite.Plan
	meter rewrite.Meter
	edits []rewrite.Edit
	// coming is the number of rows asked for by Executes that the server has
	// not answered yet.
	coming uint64
	// told says that an EXECUTE was given the plan of the statement it names.
	told bool
	// origin is what a Describe of it told.
	origin origin
}

// bind gives the portal its statement.
func (p *portal) bind(st *statement) {
	if p.from == st {
		return
	}
	p.from = st
	p.plan, p.meter, p.edits = st.plan, st.plan.Meter(), st.edits
}

// take reads the statement's limit, if it is a parameter, from what follows the names
// in the Bind.
func (p *portal) take(values []byte) {
	if !reads(&p.plan) {
		return
	}
	if rows, ok := boundLimit(values, p.plan.Statement.Limit.Param, p.from.limitType); ok {
		p.plan, _ = p.plan.Bound(rows, true)
		p.meter = p.plan.Meter()
	}
}

// bounded reports that a guarded statement may be stopped by an Execute's row
// count. Others run to their end, or else the tag would be lost (RETURNING,
// EXECUTE) or rows would stay unlocked that the statement was to lock.
func bounded(st rewrite.Statement) bool {
	if st.Writes || st.Locks || st.Volatile {
		return false
	}
	switch st.Kind {
	case rewrite.KindSelect, rewrite.KindShow, rewrite.KindExplain, rewrite.KindCall:
		return true
	}
	return false
}

// ask returns the row count to send for an Execute in which the client asked
// for n rows; 0 is all. Where the cap is within reach of n, one row more is
// asked for: it shows whether rows are missing, and without it the server
// would call a portal suspended that is at its end.
func (p *portal) ask(n uint32) uint32 {
	if m := p.plan.Method; !p.plan.Metered() || m == rewrite.MethodPass || m == rewrite.MethodOwn {
		return n
	}
	most := p.plan.Cap.Rows
	left := most - min(most, p.meter.Delivered()+p.coming)
	switch guard := p.plan.Method == rewrite.MethodGuard; {
	case n != 0 && uint64(n) < left:
		return n
	case guard && !bounded(p.plan.Statement):
		return 0
	case n == 0 && !guard:
		return 0 // the text itself is bounded
	case left >= math.MaxInt32:
		return n
	}
	return uint32(left) + 1
}

// rowsOf is how many rows an Execute may return.
func rowsOf(sent uint32) uint64 {
	if sent == 0 {
		return math.MaxInt32
	}
	return uint64(sent)
}

// cursorPlan is for an Execute of a portal that no Bind made: a cursor that SQL
// declared, if it exists at all. Like a FETCH it is held by asking for fewer
// rows, so that the next Execute continues where this one stopped.
func cursorPlan(r *rewrite.Rewriter) rewrite.Plan {
	p := r.Guard("the portal was not opened by a Bind")
	if p.Metered() {
		p.Method = rewrite.MethodExact
		p.Statement.Kind = rewrite.KindFetch
	}
	return p
}
