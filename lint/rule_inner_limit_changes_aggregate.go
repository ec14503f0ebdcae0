package lint

import "github.com/rowcap/rowcap/rewrite"

var innerLimitAggregate = Rule{
	Code: "RC109", Name: "inner-limit-changes-aggregate", Severity: SeverityWarning,
	Summary: "An aggregate is taken over a query that has a limit.",
	Why:     "The number looks like one of the whole table and is one of its first rows. Nothing in the answer says so, as one row of one row is complete. LIMIT 1 is left out.",
	Bad:     "SELECT sum(total) FROM (SELECT total FROM invoices ORDER BY id LIMIT 100) AS i",
	Good:    "SELECT sum(total) FROM invoices",
	check:   checkInnerLimitAggregate,
}

func checkInnerLimitAggregate(s *Statement) []hit {
	if !s.inner() {
		return nil
	}
	return s.each(rewrite.PartAggregatedLimit, "the aggregate around this limit counts these rows only", "take the aggregate over the table, or name the result for what it is")
}
