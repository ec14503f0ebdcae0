package lint

import "github.com/rowcap/rowcap/rewrite"

var limitInSubquery = Rule{
	Code: "RC108", Name: "limit-in-subquery-without-order", Severity: SeverityWarning,
	Summary: "A limit inside of the statement takes any rows, as its query has no ORDER BY.",
	Why:     "What the statement says then rests on rows that the server chose, and may choose otherwise next time. An ORDER BY around the query comes too late. The same holds for rows that a statement keeps, as INSERT … SELECT and CREATE TABLE AS do. EXISTS is left out, as one row is as good as another there.",
	Bad:     "SELECT i.total FROM invoices i JOIN (SELECT id FROM customers LIMIT 10) c ON c.id = i.customer ORDER BY i.id LIMIT 50",
	Good:    "SELECT i.total FROM invoices i JOIN (SELECT id FROM customers ORDER BY id LIMIT 10) c ON c.id = i.customer ORDER BY i.id LIMIT 50",
	check:   checkLimitInSubquery,
}

func checkLimitInSubquery(s *Statement) []hit {
	if !s.inner() {
		return nil
	}
	return s.each(rewrite.PartInnerLimit, "a limit inside of the statement takes any rows, as its query has no ORDER BY", "add an ORDER BY to the query that has the limit")
}
