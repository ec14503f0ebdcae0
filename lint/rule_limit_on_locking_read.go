package lint

import (
	"github.com/rowcap/rowcap/rewrite"
)

var limitOnLockingRead = Rule{
	Code: "RC107", Name: "limit-on-locking-read", Severity: SeverityWarning,
	Summary: "A locking read is cut by a cap.",
	Why: "A row that is asked for to learn whether more exist would be locked and delivered to nobody. So a locking read without a limit of its own gets just the cap, " +
		"and nothing says whether rows are missing; one with a limit above the maximum locks all rows of that limit, and those beyond the cap are not delivered.",
	Bad:   "SELECT id FROM jobs ORDER BY id FOR UPDATE SKIP LOCKED",
	Good:  "SELECT id FROM jobs ORDER BY id LIMIT 10 FOR UPDATE SKIP LOCKED",
	check: checkLimitOnLockingRead,
}

// checkLimitOnLockingRead finds plans that hold a locking read.
func checkLimitOnLockingRead(s *Statement) []hit {
	p := s.Plan
	if !p.Statement.Locks || !s.query() || p.Method == rewrite.MethodPass || p.Method == rewrite.MethodOwn || s.oneRow() {
		return nil
	}
	message := "the locking read is cut: " + p.Why
	switch {
	case p.Method == rewrite.MethodExact:
		message = "the locking read is cut at the cap, and nothing tells whether more rows exist: " + p.Why
	case p.Method == rewrite.MethodGuard:
		message = "rows are locked that nobody is given: " + p.Why
	}
	start, end := s.at(rewrite.PartLock)
	return []hit{{start: start, end: end, message: message, hint: "give it a LIMIT within the maximum"}}
}
