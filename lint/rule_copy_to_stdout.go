package lint

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

var copyToStdout = Rule{
	Code: "RC112", Name: "copy-to-stdout", Severity: SeverityError, Dialects: []string{"postgres"},
	Summary: "COPY … TO STDOUT sends a dump through the sidecar.",
	Why:     "The policy refuses it unless told otherwise, as a dump that was cut is worse than none; with --copy-out=cap it is cut, with --copy-out=pass it goes through uncapped: then this is a warning. psql's \\copy … TO sends the same.",
	Bad:     "COPY invoices TO STDOUT",
	Good:    "SELECT * FROM invoices ORDER BY id LIMIT 1000",
	check:   checkCopyToStdout,
}

func checkCopyToStdout(s *Statement) []hit {
	p := s.Plan
	switch {
	case p.Statement.Kind != rewrite.KindCopy || !p.Statement.ReturnsRows || s.spared():
		return nil
	case p.Fail != nil:
		return []hit{{message: p.Fail.Message, hint: p.Fail.Hint}}
	case p.Metered():
		return []hit{{message: fmt.Sprintf("the dump would be cut after %d rows", p.Cap.Rows), hint: "run the query itself", severity: SeverityWarning}}
	}
	return []hit{{message: "the dump goes through uncapped: " + p.Why, severity: SeverityWarning}}
}
