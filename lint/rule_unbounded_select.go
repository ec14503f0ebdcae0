package lint

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

var unboundedSelect = Rule{
	Code: "RC101", Name: "unbounded-select", Severity: SeverityWarning, Fixable: true,
	Summary: "A query that may return more than one row has no limit.",
	Why: "In production it is held to the default limit, and its reader gets the first rows and a notice. " +
		"A limit of the query's own says how many rows its author had in mind, and which ones with an ORDER BY. " +
		"Left out are queries of which a program reads one row only (QueryRow, Get, sqlc's :one), unless they lock rows or change something, and those that find one row by a key that --schema tells of.",
	Bad:   "SELECT id, total FROM invoices ORDER BY id",
	Good:  "SELECT id, total FROM invoices ORDER BY id LIMIT 50",
	check: checkUnboundedSelect,
}

// checkUnboundedSelect finds queries without a limit whose rows the plan holds to a
// cap.
func checkUnboundedSelect(s *Statement) []hit {
	st := s.Plan.Statement
	if !s.query() && st.Kind != rewrite.KindFetch || st.Limit.Form != rewrite.LimitNone || !s.Plan.Metered() || s.Plan.Method == rewrite.MethodPass || !s.capShows() || s.oneRow() {
		return nil
	}
	whose := "the default limit"
	if s.Plan.Cap.Source == rewrite.SourceCapped {
		whose = "the maximum"
	}
	if st.Kind == rewrite.KindFetch {
		return []hit{{message: fmt.Sprintf("FETCH takes all rows that are left: %s of %d rows would hold it", whose, s.Plan.Cap.Rows), hint: "fetch a number of rows, page by page"}}
	}
	return []hit{{
		message: fmt.Sprintf("the query has no limit: %s of %d rows would hold it", whose, s.Plan.Cap.Rows),
		hint:    "add a LIMIT, and an ORDER BY that says which rows",
		fix:     s.Plan.Method == rewrite.MethodProbe && !st.Locks && !st.Volatile,
	}}
}
