package property

import (
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// wantCap is the table of docs/how-it-works.md, "The cap of a statement", written anew.
func wantCap(l sqlgen.Limit, p rewrite.Policy, ask rewrite.Ask) (rows uint64, source rewrite.Source) {
	unbounded := func(n uint64) uint64 {
		if n == 0 {
			return rewrite.NoLimit
		}
		return n
	}
	maximum := unbounded(p.MaxLimit)
	rows, source = unbounded(p.DefaultLimit), rewrite.SourceDefault
	if p.DefaultLimit == 0 {
		rows, source = maximum, rewrite.SourceCapped
	}
	if ask.Limit > 0 {
		rows, source = ask.Limit, rewrite.SourceToolParam
	}
	if rows > maximum {
		rows, source = maximum, rewrite.SourceCapped
	}
	known := l.Form == sqlgen.LimitNumber
	switch {
	case l.Form == sqlgen.LimitNone:
		if ask.Session != nil && *ask.Session <= rows {
			rows, source = *ask.Session, rewrite.SourceSession
		}
	case p.Explicit == rewrite.ExplicitTrust:
		rows, source = rewrite.NoLimit, rewrite.SourceUserSQL
		if known {
			rows = l.Rows
		}
	case ask.Limit > 0 && (!known || rows < l.Rows):
	case !known:
		rows, source = maximum, rewrite.SourceCapped
	case l.Rows <= maximum:
		rows, source = l.Rows, rewrite.SourceUserSQL
	default:
		rows, source = maximum, rewrite.SourceCapped
	}
	return rows, source
}

// checkCap checks the cap of a query whose limit is known.
func checkCap(t fataler, st sqlgen.Statement, p rewrite.Policy, ask rewrite.Ask, s rewrite.Script, counts *tally) {
	switch st.Class {
	case sqlgen.ClassSelect, sqlgen.ClassSetOperation, sqlgen.ClassWith, sqlgen.ClassValues, sqlgen.ClassLocking, sqlgen.ClassVolatile:
	default:
		return
	}
	if len(s.Plans) != 1 || st.Limit.WithTies || st.Fails != sqlgen.FailsNever {
		return
	}
	got := s.Plans[0]
	if got.Statement.Kind == rewrite.KindUnknown {
		counts.count("not read: " + got.Statement.Obstacle)
		return
	}
	rows, source := wantCap(st.Limit, p, ask)
	if known := source == rewrite.SourceUserSQL || rows != rewrite.NoLimit; got.Cap.Rows != rows || known && got.Cap.Source != source {
		t.Fatalf("the cap is %v, want %d from %s; the limit is %+v", got.Cap, rows, source, st.Limit)
	}
}
