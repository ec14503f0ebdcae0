package query

import "github.com/rowcap/rowcap/rewrite"

// Listed answers with rows that are known already, capped and paged as those of a
// statement without a limit.
func Listed(p rewrite.Policy, columns []Column, rows [][]Value, limit, offset uint64) Answer {
	cap := rewrite.Cap{Rows: rewrite.NoLimit}
	switch {
	case p.MaxLimit > 0 && limit > p.MaxLimit:
		cap = rewrite.Cap{Rows: p.MaxLimit, Source: rewrite.SourceCapped, Wanted: limit}
	case limit > 0:
		cap = rewrite.Cap{Rows: limit, Source: rewrite.SourceToolParam}
	case p.DefaultLimit > 0:
		cap = rewrite.Cap{Rows: p.DefaultLimit, Source: rewrite.SourceDefault}
	case p.MaxLimit > 0:
		cap = rewrite.Cap{Rows: p.MaxLimit, Source: rewrite.SourceCapped}
	}
	a := Answer{Limit: cap, Offset: offset, Pages: true, Ran: true}
	a.Columns = columns
	rows = rows[min(offset, uint64(len(rows))):]
	a.Outcome.Plan = rewrite.Plan{Statement: rewrite.Statement{Kind: rewrite.KindSelect, ReturnsRows: true, Limitable: true, Ordered: true}, Cap: cap, Method: rewrite.MethodGuard}
	a.Outcome.Completeness = rewrite.Complete
	if uint64(len(rows)) > cap.Rows {
		rows = rows[:cap.Rows]
		a.Outcome.Completeness = rewrite.Truncated
	}
	a.Rows, a.Outcome.Rows = rows, uint64(len(rows))
	if n, ok := p.Notice(a.Outcome); ok {
		a.Notice = &n
	}
	return a
}
