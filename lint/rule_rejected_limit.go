package lint

import "github.com/rowcap/rowcap/rewrite"

var rejectedLimit = Rule{
	Code: "RC004", Name: "rejected-limit", Severity: SeverityError,
	Summary: "The limit can be read, and the server refuses it when it runs.",
	Why: "PostgreSQL refuses limits and offsets below zero, MariaDB WITH TIES without ORDER BY. Both MySQL and MariaDB refuse a limit of a query behind IN, ALL, ANY or SOME, of a branch of UNION without brackets, " +
		"with an offset in UPDATE and DELETE, and of a DELETE from several tables; MySQL also that of an UPDATE of several, and FETCH FIRST.",
	Bad:   "SELECT id FROM invoices ORDER BY id LIMIT -1",
	Good:  "SELECT id FROM invoices ORDER BY id LIMIT 100",
	check: checkRejectedLimit,
}

func checkRejectedLimit(s *Statement) []hit {
	st := s.Plan.Statement
	if hits := s.foreignLimits(); hits != nil {
		return hits
	}
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

// foreignLimits finds limits in forms and in places that MySQL or MariaDB do not take.
func (s *Statement) foreignLimits() (hits []hit) {
	st, words := s.Plan.Statement, s.words()
	write := st.Kind == rewrite.KindUpdate || st.Kind == rewrite.KindDelete
	if s.unread() || s.dialect.Name() == "postgres" || !(s.inner() || words.fetch || write && words.limits > 0 || words.other && words.limits == 0) {
		return nil // a parse would find nothing
	}
	hits = s.each(rewrite.PartForeignLimit, "the server does not read a limit of this form here", "")
	return append(hits, s.each(rewrite.PartQuantifiedLimit, "the server takes no limit in a query behind IN, ALL, ANY or SOME",
		"put the query into FROM of another: IN (SELECT x FROM (SELECT … LIMIT …) AS t)")...)
}
