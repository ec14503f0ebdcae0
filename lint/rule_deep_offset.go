package lint

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

var deepOffset = Rule{
	Code: "RC105", Name: "deep-offset", Severity: SeverityWarning,
	Summary: "The offset is so large that the server reads many rows to throw them away.",
	Why:     "A server finds row 100,001 by reading the 100,000 before it, for each page again. Rows that come or go in between move the pages. A condition on the last key seen (keyset pagination) costs the same for every page. --deep-offset says from which offset on (10,000 unless told).",
	Bad:     "SELECT id FROM invoices ORDER BY id LIMIT 50 OFFSET 100000",
	Good:    "SELECT id FROM invoices WHERE id > 100000 ORDER BY id LIMIT 50",
	check:   checkDeepOffset,
}

func checkDeepOffset(s *Statement) []hit {
	n := s.Plan.Statement.Limit.Offset
	if !s.query() || n < s.DeepOffset || s.DeepOffset == 0 {
		return nil
	}
	start, end := s.at(rewrite.PartOffset)
	return []hit{{start: start, end: end, message: fmt.Sprintf("the server reads %d rows only to skip them", n), hint: "go on behind the last key seen: WHERE key > … ORDER BY key LIMIT …"}}
}
