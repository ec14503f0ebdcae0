package lint

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

var limitParameter = Rule{
	Code: "RC103", Name: "limit-parameter", Severity: SeverityNote,
	Summary: "The limit is a parameter or an expression, so its number is known at run time only.",
	Why:     "The maximum bounds it when it runs. Whether rows are cut depends on what callers send, and on MySQL some values (NULL, -1) would mean all rows without a bound.",
	Bad:     "SELECT id FROM invoices ORDER BY id LIMIT $1",
	Good:    "SELECT id FROM invoices ORDER BY id LIMIT 50",
	check:   checkLimitParameter,
}

func checkLimitParameter(s *Statement) []hit {
	l := s.Plan.Statement.Limit
	if !s.query() || l.Form != rewrite.LimitParam && l.Form != rewrite.LimitOpaque || s.spared() || !s.capShows() || s.oneRow() {
		return nil
	}
	what := "an expression"
	if l.Form == rewrite.LimitParam {
		what = "a parameter"
	}
	message := "the limit is " + what + ", known at run time only: "
	if p := s.Plan; p.Method == rewrite.MethodGuard {
		message += fmt.Sprintf("the rows are counted, up to %d", p.Cap.Rows)
	} else if p.Metered() {
		message += fmt.Sprintf("it is bounded by %d", p.Cap.Rows)
	} else {
		message += "nothing bounds it"
	}
	start, end := s.at(rewrite.PartLimit)
	if below, ok := s.parts().Part(rewrite.PartNegative); ok && below.Start >= start && below.End <= end {
		return nil // its number is known, and refused
	}
	return []hit{{start: start, end: end, message: message}}
}
