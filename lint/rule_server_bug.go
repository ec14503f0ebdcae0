package lint

import "github.com/rowcap/rowcap/rewrite"

var serverBug = Rule{
	Code: "RC202", Name: "server-bug", Severity: SeverityWarning, Dialects: []string{"mysql", "mariadb"},
	Summary: "Under a limit the server is known to return other rows than the statement describes.",
	Why:     "MySQL 9.7 returns too few rows of DISTINCT with ROLLUP under a LIMIT, and drops the ORDER BY over a table of WITH that is read twice; functions that change with every row make DISTINCT and grouping depend on how many rows are read. No limit is written into such statements; one of their own has the same effect. It is a note if they have none.",
	Bad:     "SELECT DISTINCT region FROM sales GROUP BY region WITH ROLLUP LIMIT 5",
	Good:    "SELECT region FROM sales GROUP BY region ORDER BY region LIMIT 5",
	check:   checkServerBug,
}

func checkServerBug(s *Statement) []hit {
	st := s.Plan.Statement
	if !st.ServerFault {
		return nil
	}
	if st.Limit.Form == rewrite.LimitNone {
		return []hit{{message: "a limit would bring out a fault of the server's: " + st.Obstacle, severity: SeverityNote}}
	}
	start, end := s.at(rewrite.PartLimit)
	return []hit{{start: start, end: end, message: st.Obstacle, hint: "take the limit off, or put the query into a table first"}}
}
