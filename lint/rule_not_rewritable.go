package lint

import "github.com/rowcap/rowcap/rewrite"

var notRewritable = Rule{
	Code: "RC201", Name: "not-rewritable", Severity: SeverityNote,
	Summary: "No limit can be written into the statement, so its rows are counted as they come.",
	Why:     "The rows beyond the cap are not delivered, but the server makes them: the answer is held, the server's work is not. A statement that is too long or too deep to be read here, or in a form that only the server knows, is found as well.",
	Bad:     "SHOW ALL",
	Good:    "SHOW work_mem",
	check:   checkNotRewritable,
}

// checkNotRewritable finds plans that guard, for a reason that has no rule of its own.
// Statements that define something are guarded as the server may send rows for rare
// forms of them; nobody writes those for their rows.
func checkNotRewritable(s *Statement) []hit {
	p := s.Plan
	if p.Method != rewrite.MethodGuard || !s.capShows() || s.unread() && !s.doubted() || p.Statement.Locks && p.Statement.Limit.Form == rewrite.LimitLiteral ||
		p.Statement.Kind == rewrite.KindCopy || p.Statement.Kind == rewrite.KindUtility && p.Statement.Writes || p.Statement.Limit.WithTies || p.Statement.ServerFault {
		return nil
	}
	return []hit{{message: "the rows are counted as they come: " + p.Why}}
}
