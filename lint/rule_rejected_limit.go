package lint

import "github.com/rowcap/rowcap/rewrite"

var rejectedLimit = Rule{
	Code: "RC004", Name: "rejected-limit", Severity: SeverityError,
	Summary: "The limit can be read, and the server refuses it when it runs.",
	Why:     "PostgreSQL refuses limits and offsets below zero, MariaDB WITH TIES without ORDER BY.",
	Bad:     "SELECT id FROM invoices ORDER BY id LIMIT -1",
	Good:    "SELECT id FROM invoices ORDER BY id LIMIT 100",
	check:   checkRejectedLimit,
}

func checkRejectedLimit(s *Statement) []hit {
	st := s.Plan.Statement
	switch {
	case !s.query():
		return nil
	case st.Limit.WithTies && !st.Ordered:
		start, end := s.at(rewrite.PartTies)
		return []hit{{start: start, end: end, message: "the server refuses WITH TIES without ORDER BY"}}
	case st.Limit.Form != rewrite.LimitOpaque && (st.Limit.Offset > 0 || !s.words().other):
		return nil // neither the limit nor an offset is an expression
	}
	return s.each(rewrite.PartNegative, "the server refuses a limit or an offset below zero", "write LIMIT ALL for no limit")
}
