package lint

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

var limitAboveMaximum = Rule{
	Code: "RC102", Name: "limit-above-maximum", Severity: SeverityWarning, Fixable: true,
	Summary: "The query's own limit is above the policy's maximum.",
	Why:     "In production the maximum holds it: fewer rows come than the query says, with a notice. Pages of its size skip rows if the next one begins behind the number that was asked for.",
	Bad:     "SELECT id FROM invoices ORDER BY id LIMIT 5000",
	Good:    "SELECT id FROM invoices ORDER BY id LIMIT 1000",
	check:   checkLimitAboveMaximum,
}

// checkLimitAboveMaximum finds plans whose cap is the maximum in the place of the
// statement's own number.
func checkLimitAboveMaximum(s *Statement) []hit {
	p := s.Plan
	if p.Statement.Limit.Form != rewrite.LimitLiteral || p.Cap.Source != rewrite.SourceCapped || p.Cap.Wanted == 0 || p.Method == rewrite.MethodPass || !s.capShows() || s.oneRow() {
		return nil
	}
	var start, end int
	if len(p.Edits) == 1 && p.Edits[0].Start < p.Edits[0].End { // it replaces the number
		start, end = p.Edits[0].Start-p.Statement.Pos, p.Edits[0].End-p.Statement.Pos
	} else {
		start, end = s.at(rewrite.PartLimit)
	}
	return []hit{{start: start, end: end,
		message: fmt.Sprintf("the limit of %d is above the maximum of %d", p.Cap.Wanted, p.Cap.Rows),
		hint:    "read on page by page, or have the maximum raised",
		fix:     p.Method == rewrite.MethodProbe && !p.Statement.Limit.WithTies}}
}
