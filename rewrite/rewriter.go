package rewrite

// Rewriter plans scripts of one dialect under one policy. It is safe for
// concurrent use.
type Rewriter struct {
	dialect Dialect
	policy  Policy
	memory  *memory // shared by the Rewriters that With makes
	reading reading // the dialect's number in memory
	own     uint64  // the session's own default, 0 if there is none
}

// New returns a Rewriter. The error is that of p.Validate.
func New(d Dialect, p Policy) (*Rewriter, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	r := &Rewriter{dialect: d, policy: p, memory: newMemory()}
	r.reading = r.memory.reading(d)
	return r, nil
}

// With returns a Rewriter that reads statements as a session does in which
// setting has value; see Dialect.With.
func (r *Rewriter) With(setting, value string) *Rewriter {
	d := r.dialect.With(setting, value)
	if d == r.dialect {
		return r
	}
	return &Rewriter{dialect: d, policy: r.policy, memory: r.memory, reading: r.memory.reading(d), own: r.own}
}

// WithDefault returns a Rewriter for a session whose own default is rows, 0 for
// the policy's; see Ask.Default.
func (r *Rewriter) WithDefault(rows uint64) *Rewriter {
	own := *r
	own.own = rows
	return &own
}

// Dialect returns the dialect that reads the scripts.
func (r *Rewriter) Dialect() Dialect { return r.dialect }

// Policy returns the policy that the plans follow.
func (r *Rewriter) Policy() Policy { return r.policy }

// Script is a planned text.
type Script struct {
	// Text is the caller's own text.
	Text string
	// Plans has one plan for each statement, in order. A text that could not be
	// read has one plan for all of it.
	Plans []Plan
	// Err is why the text could not be read, nil if it was.
	Err error
	// sent is the edited text of a script that was planned, and edits are the
	// edits of all plans.
	sent  string
	edits []Edit
}

// Script plans every statement of sql. It never fails: text that cannot be read
// gets a plan as well. A text that came before is planned from memory: what a
// script holds is shared and must not be changed.
func (r *Rewriter) Script(sql string, ask Ask) Script { return r.remembered(sql, ask) }

// script plans every statement of sql anew.
func (r *Rewriter) script(sql string, ask Ask) Script {
	b := shapeBuffers.Get().(*shapeBuffer)
	defer shapeBuffers.Put(b)
	by, statements, err, read := r.readShape(sql, b)
	if !read {
		statements, err = r.dialect.Parse(sql)
	}
	if err != nil {
		unread, known := err.(*ParseError)
		statements = []Statement{{Text: sql, Kind: KindUnknown, ReturnsRows: true, Obstacle: err.Error(), Writes: known && unread.Writes}}
	}
	s := Script{Text: sql, Plans: make([]Plan, len(statements)), Err: err}
	for i, st := range statements {
		s.Plans[i] = r.plan(st, ask, func(rows uint64) ([]Edit, error) {
			if by.shape != nil {
				return by.setLimit(r.dialect, i, st, rows)
			}
			return r.dialect.SetLimit(st, rows)
		})
	}
	s.edits = joinEdits(s.Plans)
	s.sent = ApplyEdits(sql, s.edits)
	return s
}

// Guard returns the plan for an answer that belongs to no statement that was
// read: its rows are held to the cap as they come.
func (r *Rewriter) Guard(why string) Plan {
	p := Plan{Statement: Statement{Kind: KindUnknown, ReturnsRows: true, Obstacle: why}}
	p.Cap = r.policy.resolve(Limit{}, Ask{Default: r.own})
	if p.Cap.Rows == NoLimit {
		p.Why = "the policy has no limit"
		return p
	}
	return r.settle(p.guard(why))
}

// Edits returns the edits of all plans, ascending.
func (s Script) Edits() []Edit { return s.edits }

func joinEdits(plans []Plan) []Edit {
	if len(plans) == 1 {
		return plans[0].Edits
	}
	var edits []Edit
	for _, p := range plans {
		edits = append(edits, p.Edits...)
	}
	return edits
}

// SQL returns the text to send: the caller's own with all edits made.
func (s Script) SQL() string {
	if len(s.edits) == 0 {
		return s.Text
	}
	return s.sent
}

// Refused returns why the first refused statement is refused, or nil. A script
// with a refused statement is not to be sent at all.
func (s Script) Refused() *RefusedError {
	for i := range s.Plans {
		if fail := s.Plans[i].Fail; fail != nil {
			return fail
		}
	}
	return nil
}
