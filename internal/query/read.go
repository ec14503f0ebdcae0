package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// Read runs the one statement of a Request in a READ ONLY transaction. A
// statement that is not to be run is a *rewrite.RefusedError, an error of the
// server an *Error, and under rewrite.OverflowError an answer with more rows than
// its cap a *rewrite.ExceededError. When ctx ends the statement is cancelled on the
// server too.
func (s *Source) Read(ctx context.Context, q Request) (Answer, error) {
	if err := checkRequest(q); err != nil {
		return Answer{}, err
	}
	var a Answer
	err := s.with(ctx, func(session reader, r *rewrite.Rewriter) (err error) {
		a, err = s.read(ctx, session, r, q)
		return err
	})
	return a, err
}

func checkRequest(q Request) error {
	switch {
	case strings.IndexByte(q.SQL, 0) >= 0:
		return &rewrite.RefusedError{Message: "the SQL holds a NUL byte", Hint: "remove it"}
	case q.Explain && q.Offset > 0:
		return refusedPage(rewrite.Statement{Kind: rewrite.KindExplain})
	}
	return rewrite.Ask{Limit: q.Limit}.Validate()
}

func (s *Source) read(ctx context.Context, session reader, r *rewrite.Rewriter, q Request) (Answer, error) {
	if q.AsWritten {
		r = s.plain
	}
	r, ask := session.planner(r, rewrite.Ask{Limit: q.Limit})
	if len(q.Stages) > 0 {
		whole, err := nested(r.Dialect(), q.Stages, q.SQL)
		if err != nil {
			return Answer{}, err
		}
		q.SQL = whole
	}
	masked, err := s.mask(ctx, session, r.Dialect(), q)
	if err != nil {
		return Answer{}, err
	}
	own := "" // the statement as the caller wrote it
	if masked != nil {
		own = masked.own
		q.SQL = rewrite.ApplyEdits(q.SQL, masked.edits)
	}
	whole := q
	var first rewrite.Plan // of the statement itself, where it is read on behind a key
	if len(q.After) > 0 {
		if first, err = one(r.Script(q.SQL, ask), r.Dialect()); err != nil {
			return Answer{}, err
		}
		if own == "" {
			own = first.Statement.Text
		}
		if q, err = s.readBehind(ctx, session, r.Dialect(), own, first, q); err != nil {
			return Answer{}, err
		}
		ask.Limit = q.Limit
	}
	text := q.SQL
	script := r.Script(text, ask)
	plan, err := one(script, r.Dialect())
	if err == nil && q.Explain {
		script, plan, err = explaining(r, "EXPLAIN ", plan, text, ask)
		text = script.Text
	}
	if err != nil {
		return Answer{}, err
	}
	if own == "" {
		own = plan.Statement.Text
	}
	a := Answer{Dialect: session.Dialect(), Limit: plan.Cap, Offset: q.Offset, Pages: canPage(plan)}
	if len(q.After) > 0 {
		a.Limit, plan = first.Cap, continues(plan, first)
	}
	o := order{plan: plan, text: text, sent: script.SQL(), params: q.Params}
	if !q.Explain {
		o.masked = masked
	}
	if q.Offset > 0 && len(q.After) == 0 {
		if o, err = o.from(r, q.Offset); err != nil {
			return Answer{}, err
		}
	}
	if o, err = o.bind(); err != nil {
		return Answer{}, err
	}
	a.SQL, a.Outcome.Plan = o.sent, o.plan
	if masked != nil {
		a.Masked = masked.masked
		o.plan.Warnings = append(o.plan.Warnings[:len(o.plan.Warnings):len(o.plan.Warnings)], masked.warning())
		a.Outcome.Plan = o.plan
	}
	if q.DryRun {
		return a, nil
	}
	a.Ran = true
	if a.Result, err = s.run(ctx, session, r, o); err != nil {
		return Answer{}, err
	}
	if o.masked != nil {
		o.masked.mark(&a.Result)
	}
	if exceeded := r.Overflow(a.Outcome); exceeded != nil {
		return Answer{}, exceeded
	}
	if a.Notice != nil && a.Outcome.Completeness == rewrite.Unknown && a.Outcome.Plan.Method == rewrite.MethodExact {
		a.Notice.Detail += "; " + a.Outcome.Plan.Why
	}
	moves, err := s.readOn(ctx, session, r, own, q, &a)
	if err != nil {
		return Answer{}, err
	}
	a.Result = a.Result.remarked(moves...)
	a.Total, err = s.total(ctx, session, r, whole, a)
	return a, err
}

// readOn finds out how the page behind an answer is to be read, and returns what is to be
// said of the pages. own is the statement as the caller wrote it.
func (s *Source) readOn(ctx context.Context, session reader, r *rewrite.Rewriter, own string, q Request, a *Answer) ([]rewrite.Warning, error) {
	more := a.Outcome.Completeness == rewrite.Truncated
	known := q.TotalOrder || len(q.After) > 0
	byKey := q.Offset == 0 && !q.AsWritten && !q.TotalOrder && r.Policy().PushDown || len(q.After) > 0
	if byKey && a.Pages && (more || a.mayBeCut(q.CutAbove)) {
		order, err := s.totalOrder(ctx, session, r.Dialect(), own)
		if err != nil {
			return nil, err
		}
		if a.Key, known = a.keyColumns(order); !known {
			a.Key = nil
		}
	}
	if a.Key == nil && (a.Limit.Source == rewrite.SourceNone || a.Limit.Rows == rewrite.NoLimit) {
		a.Pages = false // by a number of rows there are none without a cap
	}
	a.Unstable = a.Pages && !known
	if !known && (q.Offset > 0 || more && a.Pages) {
		return []rewrite.Warning{rewrite.UnstableOrder(a.Outcome.Plan.Statement)}, nil
	}
	return nil, nil
}

// mask finds out what masking changes in a request's text; nil if nothing.
func (s *Source) mask(ctx context.Context, session reader, d rewrite.Dialect, q Request) (*substitution, error) {
	if len(s.columns) == 0 || q.Own {
		return nil, nil
	}
	statements, err := d.Parse(q.SQL)
	switch {
	case err != nil:
		return nil, &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + err.Error(), Hint: "correct or simplify the statement"}
	case len(statements) != 1:
		return nil, &rewrite.RefusedError{Message: fmt.Sprintf("the text has %d statements", len(statements)), Hint: "give one statement"}
	}
	if refused := onlyReads(d, statements[0]); refused != nil {
		return nil, refused
	}
	within, cancel := context.WithTimeout(ctx, s.Timeout+grace)
	defer cancel()
	if err := session.begin(within, s.Timeout); err != nil {
		return nil, err
	}
	masked, err := s.look(within, session, d, statements[0].Text)
	var refused *rewrite.RefusedError
	if err != nil && !errors.As(err, &refused) {
		return nil, ended(ctx, within, s.Timeout, err)
	}
	if ended := session.end(within); ended != nil {
		return nil, ended
	}
	if masked == nil || err != nil {
		return nil, err
	}
	masked.text, masked.own = q.SQL, statements[0].Text
	masked.edits = at(statements[0].Pos, masked.edits)
	return masked, nil
}

// run runs an order in a transaction of its own.
func (s *Source) run(ctx context.Context, session reader, r *rewrite.Rewriter, o order) (Result, error) {
	within, cancel := context.WithTimeout(ctx, s.Timeout+grace)
	defer cancel()
	if err := session.begin(within, s.Timeout); err != nil {
		return Result{}, err
	}
	result, err := session.read(within, r, o)
	if err != nil {
		return Result{}, ended(ctx, within, s.Timeout, err)
	}
	if err := session.end(within); err != nil {
		return Result{}, ended(ctx, within, s.Timeout, err)
	}
	return result, nil
}

// timeoutCodes begin the codes with which servers end a statement that takes too long.
var timeoutCodes = []string{"57014", "3024", "1969"}

// ended says why a statement was ended that ran within a timeout.
func ended(ctx, within context.Context, timeout time.Duration, err error) error {
	var server *Error
	switch {
	case errors.As(err, &server):
		deadline, _ := within.Deadline()
		late := time.Now().After(deadline.Add(-grace))
		if late && slices.ContainsFunc(timeoutCodes, func(code string) bool { return strings.HasPrefix(server.Code, code) }) {
			server.Hint = fmt.Sprintf("the statement may take %v: narrow it, aggregate less, or have the statement timeout raised", timeout)
		}
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("the statement was cancelled: %w", ctx.Err())
	case within.Err() != nil:
		return fmt.Errorf("the statement took longer than %v and was cancelled: narrow it, aggregate less, or have the statement timeout raised", timeout)
	}
	return err
}

// bind settles a limit that is a parameter.
func (o order) bind() (order, error) {
	if o.plan.Bind == 0 {
		return o, nil
	}
	i := o.plan.Bind - 1
	if i >= len(o.params) {
		return o, &rewrite.RefusedError{Message: fmt.Sprintf("the statement has a parameter %d, and %d values were given", o.plan.Bind, len(o.params)), Hint: "give one value for each parameter"}
	}
	n, ok := o.params[i].rows()
	plan, bound := o.plan.Bound(n, ok)
	o.plan = plan
	o.params = append([]Param(nil), o.params...)
	o.params[i] = Param{Text: fmt.Sprint(bound), Number: true}
	return o, nil
}
