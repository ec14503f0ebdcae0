package lint

import "github.com/rowcap/rowcap/rewrite"

var withTies = Rule{
	Code: "RC106", Name: "with-ties", Severity: SeverityNote,
	Summary: "FETCH FIRST … WITH TIES can return more rows than its number.",
	Why:     "All rows that are equal in order to the last one come as well, maybe all of the table. No limit in the text can say both, so the rows are counted as they come, and above the maximum WITH TIES becomes ONLY.",
	Bad:     "SELECT id FROM scores ORDER BY points FETCH FIRST 10 ROWS WITH TIES",
	Good:    "SELECT id FROM scores ORDER BY points, id LIMIT 10",
	check:   checkWithTies,
}

func checkWithTies(s *Statement) []hit {
	if !s.Plan.Statement.Limit.WithTies || s.spared() {
		return nil
	}
	start, end := s.at(rewrite.PartTies)
	return []hit{{start: start, end: end, message: "WITH TIES can return more rows than its number", hint: "order by columns that tell all rows apart, and write ONLY"}}
}
