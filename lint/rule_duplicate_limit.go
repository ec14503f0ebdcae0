package lint

import "github.com/rowcap/rowcap/rewrite"

var duplicateLimit = Rule{
	Code: "RC003", Name: "duplicate-limit", Severity: SeverityError,
	Summary: "The statement has two limits, which no server takes.",
	Why:     "It is what is left when a program adds a LIMIT to a query that has one.",
	Bad:     "SELECT id FROM invoices ORDER BY id LIMIT 10 LIMIT 20",
	Good:    "SELECT id FROM invoices ORDER BY id LIMIT 10",
	check:   checkDuplicateLimit,
}

func checkDuplicateLimit(s *Statement) []hit {
	if !s.unread() || s.Plan.Fail != nil || !s.limitTwice() {
		return nil
	}
	hits := s.each(rewrite.PartLimitKeyword, "the statement has two limits, which the server refuses", "leave one of them")
	return hits[1:2]
}

// limitTwice reports a text that cannot be read and has two limits outside of
// brackets.
func (s *Statement) limitTwice() bool {
	n := 0
	for _, p := range s.parts().Parts {
		if p.Kind == rewrite.PartLimitKeyword {
			n++
		}
	}
	return n > 1
}
