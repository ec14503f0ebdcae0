package rewrite

// Verdict says what to do with one row of an answer.
type Verdict uint8

const (
	// Deliver passes the row on.
	Deliver Verdict = iota
	// Hold keeps the row back: it shows that more rows exist.
	Hold
	// Stop keeps the row back and says that no further row is of interest.
	Stop
)

// Meter counts the rows of one answer. It never looks inside a row. A Meter
// belongs to one answer and is not safe for concurrent use.
type Meter struct {
	plan Plan
	most uint64 // to be delivered
	seen uint64
}

// Meter returns a fresh meter for an answer to the plan's statement.
func (p Plan) Meter() Meter {
	m := Meter{plan: p, most: NoLimit}
	if p.Metered() {
		m.most = p.Cap.Rows
	}
	return m
}

// Row counts one more row and says what to do with it. It is to be called once for
// each row of the answer, in order, until the answer ends or it returns Stop.
func (m *Meter) Row() Verdict {
	m.seen++
	switch {
	case m.seen <= m.most: // all that come, where the policy only observes
		return Deliver
	case m.seen == m.most+1 && m.plan.Method != MethodGuard:
		return Hold
	default:
		return Stop
	}
}

// Delivered returns the number of rows that Row said to deliver.
func (m *Meter) Delivered() uint64 { return min(m.seen, m.most) }

// Outcome says what is known of the answer after its last row.
func (m *Meter) Outcome() Outcome {
	o := Outcome{Plan: m.plan, Rows: m.Delivered(), Completeness: Complete}
	switch {
	case m.plan.Observed:
		if m.plan.caps() && m.seen > m.plan.Cap.Rows {
			o.Beyond = m.seen - m.plan.Cap.Rows
		}
	case m.seen > o.Rows:
		o.Completeness = Truncated
		if o.Plan.Cap.Source == SourceUserSQL {
			o.Plan.Cap.Source = SourceCapped
		}
	case m.plan.Statement.CutByServer,
		m.plan.Method == MethodExact && m.seen == m.plan.Cap.Rows:
		o.Completeness = Unknown
	}
	return o
}
