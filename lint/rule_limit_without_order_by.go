package lint

import "github.com/rowcap/rowcap/rewrite"

var limitWithoutOrderBy = Rule{
	Code: "RC104", Name: "limit-without-order-by", Severity: SeverityWarning,
	Summary: "A limit without ORDER BY takes any rows.",
	Why: "Without an order the server may choose other rows each time, and pages overlap or leave rows out. " +
		"Queries that return at most one row anyway (--schema tells of keys), and LIMIT 0 and LIMIT 1, with which one looks whether there is a row, are left out.",
	Bad:   "SELECT id FROM invoices LIMIT 50",
	Good:  "SELECT id FROM invoices ORDER BY id LIMIT 50",
	check: checkLimitWithoutOrderBy,
}

func checkLimitWithoutOrderBy(s *Statement) []hit {
	st := s.Plan.Statement
	if !s.query() || st.Limit.Form == rewrite.LimitNone || st.Ordered || st.AtMostOneRow || s.spared() || s.oneRow() {
		return nil
	}
	start, end := s.at(rewrite.PartLimit)
	return []hit{{start: start, end: end, message: "the limit takes any rows, as nothing orders them", hint: "add an ORDER BY over columns that tell all rows apart"}}
}
