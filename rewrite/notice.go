package rewrite

import "fmt"

// Notice is an outcome in words. All wording of rowcap's answers is in this file and in
// remarks.go.
type Notice struct {
	// Message states the fact with its number.
	Message string
	// Detail says whose cap it was.
	Detail string
	// Hint is one sentence on how to get more.
	Hint string
}

// Notice puts an outcome into words. There is none, and ok is false, for an answer
// that is complete.
func (r *Rewriter) Notice(o Outcome) (n Notice, ok bool) { return r.policy.Notice(o) }

// Notice is that of a Rewriter with this policy.
func (p Policy) Notice(o Outcome) (n Notice, ok bool) {
	switch {
	case o.Completeness == Truncated:
		n.Message = fmt.Sprintf("showing the first %s; more rows exist", rows(o.Rows))
	case o.Completeness == Unknown && o.Plan.Statement.CutByServer:
		n.Message = fmt.Sprintf("showing %s; the server may have stopped early by the statement's own clause", rows(o.Rows))
	case o.Completeness == Unknown:
		n.Message = fmt.Sprintf("showing %s, as many as the cap allows; more rows may exist", rows(o.Rows))
	default:
		return Notice{}, false
	}
	n.Detail = detail(o)
	n.Hint = hint(o, orNoLimit(p.MaxLimit))
	return n, true
}

// Overflow returns the error that an answer ends with whose plan is Strict, nil if no
// rows are missing.
func (r *Rewriter) Overflow(o Outcome) *ExceededError {
	if !o.Plan.Strict || o.Completeness != Truncated || o.Plan.Statement.Writes {
		return nil
	}
	return &ExceededError{
		Message: fmt.Sprintf("the result has more rows than it may: %s; at least %s were found", detail(o), rows(o.Rows+1)),
		Detail:  fmt.Sprintf("the %s before this error are not the whole result", rows(o.Rows)),
		Hint:    hint(o, orNoLimit(r.policy.MaxLimit)),
	}
}

func rows(n uint64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

func detail(o Outcome) string {
	c := o.Plan.Cap
	var text string
	switch c.Source {
	case SourceDefault:
		text = fmt.Sprintf("cap %d from the default limit", c.Rows)
	case SourceToolParam:
		text = fmt.Sprintf("cap %d from the limit given with the request", c.Rows)
	case SourceSession:
		text = fmt.Sprintf("cap %d from the session's own limit", c.Rows)
	case SourceCapped:
		text = fmt.Sprintf("cap %d from the maximum limit", c.Rows)
		if c.Wanted > 0 {
			text += fmt.Sprintf("; %s were asked for", rows(c.Wanted))
		}
	case SourceUserSQL:
		text = fmt.Sprintf("limit %d from the statement", c.Rows)
	default:
		text = "no cap"
	}
	if o.Plan.Statement.Writes {
		text += "; the statement ran to its end and all its changes were made"
	}
	return text
}

// notAgain is the hint of an answer to a statement that has changed rows.
const notAgain = "do not run the statement again; read the changed rows with a SELECT"

func hint(o Outcome, most uint64) string {
	st, c := o.Plan.Statement, o.Plan.Cap
	switch {
	case st.Writes:
		return notAgain
	case st.CutByServer && o.Completeness == Unknown:
		return "raise or remove the clause that stops the server early"
	case st.Kind == KindFetch:
		return "fetch again to read on"
	case st.Kind != KindSelect && st.Kind != KindUnknown:
		return "narrow the statement to fewer rows, or have the cap raised"
	case c.Rows >= most || c.Source == SourceCapped:
		return "read on with LIMIT and OFFSET, narrow the WHERE clause, or aggregate"
	case c.Source == SourceToolParam && most == NoLimit:
		return "ask for more rows, narrow the WHERE clause, or aggregate"
	case c.Source == SourceToolParam:
		return fmt.Sprintf("ask for up to %d rows, narrow the WHERE clause, or aggregate", most)
	case most == NoLimit:
		return "add a LIMIT, narrow the WHERE clause, or aggregate"
	}
	return fmt.Sprintf("add a LIMIT up to %d, narrow the WHERE clause, or aggregate", most)
}

func refusedCopy() *RefusedError {
	return &RefusedError{
		Message: "COPY … TO STDOUT is refused: a copy that was cut would pass for a whole one",
		Hint:    "run the query itself, or have the policy changed with --copy-out=pass",
	}
}

func refusedUnparsed(obstacle string) *RefusedError {
	return &RefusedError{
		Message: "the statement is refused because it cannot be read: " + obstacle,
		Hint:    "rewrite the statement, or have the policy changed with --unparsed=guard",
	}
}
