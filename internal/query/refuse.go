package query

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// maxSuffixes bounds how many places are looked at for the statement that an
// EXPLAIN explains.
const maxSuffixes = 256

// onlyReads reports why a statement is not run where statements may only read.
// What it lets pass runs in a READ ONLY transaction besides.
func onlyReads(d rewrite.Dialect, st rewrite.Statement) *rewrite.RefusedError {
	const hint = "use a statement that reads: SELECT, VALUES, SHOW or EXPLAIN"
	switch {
	case st.Kind == rewrite.KindUnknown:
		return &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + st.Obstacle, Hint: "correct or simplify the statement"}
	case st.Writes || st.Kind == rewrite.KindSelectInto:
		return &rewrite.RefusedError{Message: "the statement is refused because it writes, and only reading is allowed here", Hint: hint}
	case st.Volatile:
		return &rewrite.RefusedError{
			Message: "the statement is refused because it calls functions that have effects or only take time (locks, sequences, large objects, other sessions, sleeping)",
			Hint:    "leave the call out",
		}
	}
	switch st.Kind {
	case rewrite.KindSelect, rewrite.KindShow:
		return reaches(d, st)
	case rewrite.KindExplain:
		if refused := reaches(d, st); refused != nil {
			return refused
		}
		return explained(d, st.Text)
	}
	return &rewrite.RefusedError{Message: fmt.Sprintf("the statement is refused because it is no query (%s), and only reading is allowed here", st.Kind), Hint: hint}
}

// explained checks the statement that an EXPLAIN explains, as EXPLAIN ANALYZE
// runs it. It is an end of the text that reads as a query. Where it begins is not
// known, as a comment may hold what looks like one: so none of the ends may be a
// statement that is refused.
func explained(d rewrite.Dialect, text string) *rewrite.RefusedError {
	tried, found := 0, false
	for i := 1; i < len(text); i++ {
		if !opensWord(text[i-1], text[i]) {
			continue
		}
		if tried++; tried > maxSuffixes {
			return refusedExplain("the statement is refused because it is too long to find out which query it explains")
		}
		statements, err := d.Parse(text[i:])
		if err != nil {
			continue
		}
		for _, st := range statements {
			found = found || st.Kind == rewrite.KindSelect
			if st.Volatile || st.Kind == rewrite.KindSelectInto || st.Writes && st.Kind == rewrite.KindSelect {
				return refusedExplain("the statement is refused because it explains one that writes or calls functions that have effects or only take time")
			}
		}
	}
	if !found {
		return refusedExplain("the statement is refused because it does not show which query it explains")
	}
	return nil
}

func refusedExplain(message string) *rewrite.RefusedError {
	return &rewrite.RefusedError{Message: message, Hint: "explain a single SELECT that only reads"}
}

// opensWord reports that a word or a bracket may begin with c, which follows
// before.
func opensWord(before, c byte) bool {
	blank := func(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' || b == '\v' }
	return !blank(c) && (blank(before) || before == ')' || before == '/' || c == '(')
}

// one returns the plan for the single statement of a script that may run, or why
// none may.
func one(script rewrite.Script, d rewrite.Dialect) (rewrite.Plan, error) {
	plan, err := single(script)
	if err != nil {
		return rewrite.Plan{}, err
	}
	if refused := onlyReads(d, plan.Statement); refused != nil {
		return rewrite.Plan{}, refused
	}
	if refused := script.Refused(); refused != nil {
		return rewrite.Plan{}, refused
	}
	return plan, nil
}

// single returns the plan for the only statement of a script.
func single(script rewrite.Script) (rewrite.Plan, error) {
	switch {
	case script.Err != nil:
		return rewrite.Plan{}, &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + script.Err.Error(), Hint: "correct or simplify the statement"}
	case len(script.Plans) == 0:
		return rewrite.Plan{}, &rewrite.RefusedError{Message: "there is no SQL statement", Hint: "give one statement"}
	case len(script.Plans) > 1:
		return rewrite.Plan{}, &rewrite.RefusedError{Message: fmt.Sprintf("the text has %d statements", len(script.Plans)), Hint: "give one statement at a time"}
	}
	return script.Plans[0], nil
}

// explaining puts prefix, an EXPLAIN that runs nothing, before a query that may
// run.
func explaining(r *rewrite.Rewriter, prefix string, query rewrite.Plan, text string, ask rewrite.Ask) (rewrite.Script, rewrite.Plan, error) {
	if query.Statement.Kind != rewrite.KindSelect {
		return rewrite.Script{}, rewrite.Plan{}, &rewrite.RefusedError{Message: "only queries can be explained", Hint: "give a SELECT, without EXPLAIN before it"}
	}
	pos := query.Statement.Pos
	script := r.Script(text[:pos]+prefix+text[pos:], ask)
	plan, err := single(script)
	if err == nil && (plan.Statement.Kind != rewrite.KindExplain || plan.Statement.Writes || plan.Statement.Volatile || script.Refused() != nil) {
		err = refusedExplain("the statement cannot be explained")
	}
	if trusted := query.Statement.Limit.Form != rewrite.LimitNone || ask.Limit > 0; trusted && r.Policy().Explicit == rewrite.ExplicitTrust {
		// An explicit limit is taken at its word, so no line of the plan is left out.
		source := rewrite.SourceUserSQL
		if ask.Limit > 0 {
			source = rewrite.SourceToolParam
		}
		plan.Cap, plan.Method, plan.Warnings, plan.Strict = rewrite.Cap{Rows: rewrite.NoLimit, Source: source}, rewrite.MethodPass, nil, false
		plan.Why = "the policy trusts an explicit limit"
	}
	return script, plan, err
}
