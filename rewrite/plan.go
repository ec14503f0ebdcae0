package rewrite

import "fmt"

// Method is how a cap is held.
type Method uint8

const (
	// MethodPass leaves the statement alone. Its answer needs no cap, or cannot
	// reach it. Where rows come all the same, as from a rule of PostgreSQL, the
	// plan to meter them by is that of Rewriter.Guard; see Statement.ReturnsRows.
	MethodPass Method = iota
	// MethodOwn relies on the caller's own limit, which is within the cap.
	MethodOwn
	// MethodProbe asks the server for one row more than the cap: if the probe
	// row comes, rows are missing. It is never delivered.
	MethodProbe
	// MethodExact asks the server for just the cap, where one row more would
	// have an effect of its own. Whether rows are missing stays unknown when
	// the cap is reached.
	MethodExact
	// MethodGuard sends the statement as it is and counts the rows of its
	// answer; those beyond the cap are not delivered.
	MethodGuard
	// MethodRefuse sends nothing.
	MethodRefuse
)

var methodNames = [...]string{"pass", "own", "probe", "exact", "guard", "refuse"}

// String returns the method's name.
func (m Method) String() string { return methodNames[m] }

// MarshalText returns the method's name.
func (m Method) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Warning is a fact that the caller should know before the first row.
type Warning struct {
	// Kind is a word for programs: limit_capped.
	Kind string `json:"kind"`
	// Message is the same in words.
	Message string `json:"message"`
}

// Plan is what is decided about one statement before it runs.
type Plan struct {
	Statement Statement
	Cap       Cap
	Method    Method
	// Edits are what is to be changed, ascending and relative to the script.
	Edits []Edit
	// Bind is the 1-based number of the parameter whose value is to be taken
	// through Bound before the statement is executed, 0 if there is none.
	Bind int
	// Fail is why the statement is refused, nil if it is not.
	Fail *RefusedError
	// Strict reports that rows beyond the cap make the answer end with an error; see
	// ExceededError.
	Strict bool
	// Observed reports that the policy only observes: the plan says what would be
	// done, and nothing is.
	Observed bool
	// Why says in a few words what led to Method.
	Why      string
	Warnings []Warning
}

// Metered reports that rows beyond Cap must not be delivered. That holds for
// every plan with a cap, also where the statement alone should keep within it: the
// meter is the second wall. The one exception is a trusted WITH TIES, which
// returns more rows than its number by right.
func (p Plan) Metered() bool {
	return p.caps() && !p.Observed
}

func (p Plan) caps() bool {
	trusted := p.Method == MethodOwn && p.Statement.Limit.WithTies
	return p.Cap.Source != SourceNone && p.Cap.Rows != NoLimit && !trusted
}

// Bound settles a plan whose limit is a parameter, now that the parameter's value
// is known. It returns the plan for this execution and the value to send.
// A value that is no row count (NULL, negative, not a number) has ok false; the
// server may take it for "all rows", so it is replaced as well.
func (p Plan) Bound(value uint64, ok bool) (Plan, uint64) {
	if ok && value <= p.Cap.Rows {
		p.Cap = Cap{Rows: value, Source: SourceUserSQL}
		p.Method, p.Strict = MethodOwn, false
		p.Why = "the statement's own limit is within the cap"
		return p, value
	}
	if ok && p.Cap.Source == SourceCapped {
		p.Cap.Wanted = value
		p.Warnings = append(p.Warnings[:len(p.Warnings):len(p.Warnings)], limitCapped(p.Cap))
	}
	if p.Method == MethodExact {
		return p, p.Cap.Rows
	}
	return p, p.Cap.Rows + 1
}

// writer writes a number of rows into one statement; see Dialect.SetLimit.
type writer func(rows uint64) ([]Edit, error)

// plan decides about one statement.
func (r *Rewriter) plan(st Statement, ask Ask, set writer) Plan {
	return r.settle(r.decide(st, ask, set))
}

// settle adds to a plan what the policy says of all of them.
func (r *Rewriter) settle(p Plan) Plan {
	if r.policy.Observe {
		p.Observed, p.Edits, p.Bind, p.Fail, p.Warnings = true, nil, 0, nil, nil
		return p
	}
	held := p.Method == MethodProbe || p.Method == MethodGuard
	p.Strict = r.policy.Overflow == OverflowError && held && p.Metered() && !p.Statement.Writes
	return p
}

// Executed returns the plan for an EXECUTE of a statement whose facts are known.
func (r *Rewriter) Executed(execute, prepared Statement) Plan {
	prepared.Text, prepared.Pos = execute.Text, execute.Pos
	prepared.Kind, prepared.Prepared = execute.Kind, execute.Prepared
	return r.Unedited(prepared, "EXECUTE runs a statement that was prepared before")
}

// Unedited returns the plan for a statement whose text cannot be changed any more,
// as why says: its rows are counted.
func (r *Rewriter) Unedited(st Statement, why string) Plan {
	st.Limitable, st.Obstacle = false, why
	return r.plan(st, Ask{Default: r.own}, nil)
}

// Unread returns the script for a text that must not be read, as why says in a few
// words: like one that cannot be, it runs as it is and its rows are counted, or it
// is refused.
func (r *Rewriter) Unread(sql, why string) Script {
	st := Statement{Text: sql, Kind: KindUnknown, ReturnsRows: true, Unsettles: true, Obstacle: why}
	return Script{Text: sql, Plans: []Plan{r.plan(st, Ask{Default: r.own}, nil)}, Err: &ParseError{Message: why, Offset: -1}}
}

// decide chooses the method.
func (r *Rewriter) decide(st Statement, ask Ask, set writer) Plan {
	p := Plan{Statement: st}
	switch {
	case st.Kind == KindUnknown && r.policy.Unparsed == UnparsedRefuse:
		return p.refuse(refusedUnparsed(st.Obstacle), "the statement cannot be read")
	case !st.ReturnsRows:
		p.Why = "returns no rows"
		return p
	case st.CatalogOnly && r.policy.Catalogs == CatalogsExempt:
		p.Why = "reads system catalogues only"
		return p
	case st.Kind == KindCopy && r.policy.CopyOut == CopyRefuse:
		return p.refuse(refusedCopy(), "the policy refuses COPY … TO STDOUT")
	case st.Kind == KindCopy && r.policy.CopyOut == CopyPass:
		p.Why = "the policy passes COPY … TO STDOUT"
		return p
	case st.AtMostOneRow && st.Kind != KindSelect:
		p.Why = "returns at most one row"
		return p
	}
	if st.Kind != KindSelect {
		// A session's bound acts on queries only, not on CALL, SHOW or RETURNING.
		ask.Session = nil
	}
	p.Cap = r.policy.resolve(st.Limit, ask)
	switch {
	case st.Limit.WithTies && p.Cap.Source == SourceUserSQL && r.policy.Explicit != ExplicitTrust:
		// The answer may have more rows than the statement's own number: what
		// holds it is the maximum. Whose cap it was is known when they are counted.
		p.Cap.Rows = orNoLimit(r.policy.MaxLimit)
		if p.Cap.Rows == NoLimit {
			return p.own("the policy has no maximum")
		}
		return p.guard("WITH TIES can return more rows than its number")
	case p.Cap.Source == SourceUserSQL:
		return p.own("the statement's own limit is within the cap")
	case p.Cap.Source == SourceSession && ask.Session != nil && *ask.Session == p.Cap.Rows:
		return p.own("the session's own limit is within the cap")
	case p.Cap.Rows == NoLimit:
		p.Why = "the policy has no limit"
		return p
	case st.AtMostOneRow:
		p.Why = "returns at most one row"
		return p
	}
	if p.Cap.Source == SourceCapped && p.Cap.Wanted > 0 {
		p.Warnings = []Warning{limitCapped(p.Cap)}
	}
	switch {
	case !st.Limitable:
		return p.guard(st.Obstacle)
	case st.Kind == KindFetch:
		return p.write(set, MethodExact, "the cursor must not move past the last row delivered")
	case !r.policy.PushDown:
		return p.guard("the policy writes no limit into statements")
	case st.Locks && st.Limit.Form == LimitLiteral:
		return p.guard("the statement locks the rows of its own limit")
	case st.Volatile && st.Limit.Form == LimitLiteral:
		return p.guard("the statement evaluates functions with effects for the rows of its own limit")
	case (st.Locks || st.Volatile) && r.policy.Overflow == OverflowError:
		return p.write(set, MethodProbe, "an error undoes what the probe row does")
	case st.Locks:
		return p.write(set, MethodExact, "a probe row would be locked and delivered to nobody")
	case st.Volatile:
		return p.write(set, MethodExact, "a probe row would evaluate functions with effects once more")
	}
	return p.write(set, MethodProbe, "one row more than the cap tells whether rows are missing")
}

// write puts the cap into the statement, or falls to the guard where that
// cannot be proved right.
func (p Plan) write(set writer, m Method, why string) Plan {
	p.Method, p.Why = m, why
	if p.Statement.Limit.AtBind {
		p.Bind = p.Statement.Limit.Param
		return p
	}
	rows := p.Cap.Rows
	if m == MethodProbe {
		rows++
	}
	edits, err := set(rows)
	if err != nil {
		p.Statement.Obstacle = err.Error()
		return p.guard(p.Statement.Obstacle)
	}
	p.Edits = edits[:0]
	for _, e := range edits {
		if p.Statement.Text[e.Start:e.End] != e.Text { // the limit may be there already
			p.Edits = append(p.Edits, Edit{Start: e.Start + p.Statement.Pos, End: e.End + p.Statement.Pos, Text: e.Text})
		}
	}
	if len(p.Edits) == 0 {
		p.Edits = nil // as where the dialect makes none
	}
	return p
}

func (p Plan) own(why string) Plan {
	p.Method, p.Why = MethodOwn, why
	return p
}

func (p Plan) guard(why string) Plan {
	p.Method, p.Why = MethodGuard, why
	return p
}

func (p Plan) refuse(fail *RefusedError, why string) Plan {
	p.Method, p.Fail, p.Why = MethodRefuse, fail, why
	return p
}

func limitCapped(c Cap) Warning {
	return Warning{Kind: "limit_capped", Message: fmt.Sprintf("the limit of %d was lowered to the maximum of %d", c.Wanted, c.Rows)}
}
