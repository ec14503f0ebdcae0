package lint

import "github.com/rowcap/rowcap/rewrite"

var refused = Rule{
	Code: "RC002", Name: "refused", Severity: SeverityError,
	Summary: "The policy does not let the statement run.",
	Why:     "Nothing of the text that holds it is sent to the server. COPY … TO STDOUT has a rule of its own, copy-to-stdout. What is refused is the policy's choice; statements that cannot be read are under --unparsed=refuse.",
	Bad:     "SELECT * FORM invoices",
	Good:    "SELECT * FROM invoices ORDER BY id LIMIT 50",
	check:   checkRefused,
}

func checkRefused(s *Statement) []hit {
	if s.Plan.Fail == nil || s.Plan.Statement.Kind == rewrite.KindCopy {
		return nil
	}
	start, end := s.errorAt()
	message := s.Plan.Fail.Message
	if err := s.parts().Err; err != nil {
		message = "the statement is refused because it cannot be read: " + err.Message
	}
	return []hit{{start: start, end: end, message: message, hint: s.Plan.Fail.Hint}}
}
