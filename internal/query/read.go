package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	r, ask := session.planner(r, rewrite.Ask{Limit: q.Limit})
	if len(q.Stages) > 0 {
		whole, err := nested(r.Dialect(), q.Stages, q.SQL)
		if err != nil {
			return Answer{}, err
		}
		q.SQL = whole
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
	a := Answer{Dialect: session.Dialect(), Limit: plan.Cap, Offset: q.Offset, Pages: canPage(plan)}
	o := order{plan: plan, text: text, sent: script.SQL(), params: q.Params}
	if q.Offset > 0 {
		if o, err = o.from(r, q.Offset); err != nil {
			return Answer{}, err
		}
	}
	if o, err = o.bind(); err != nil {
		return Answer{}, err
	}
	a.SQL, a.Outcome.Plan = o.sent, o.plan
	if q.DryRun {
		return a, nil
	}
	a.Ran = true
	if a.Result, err = s.run(ctx, session, r, o); err != nil {
		return Answer{}, err
	}
	if exceeded := r.Overflow(a.Outcome); exceeded != nil {
		return Answer{}, exceeded
	}
	if a.Notice != nil && a.Outcome.Completeness == rewrite.Unknown && a.Outcome.Plan.Method == rewrite.MethodExact {
		a.Notice.Detail += "; " + a.Outcome.Plan.Why
	}
	more := a.Outcome.Completeness == rewrite.Truncated
	warnings := append(a.Outcome.Plan.Warnings[:len(a.Outcome.Plan.Warnings):len(a.Outcome.Plan.Warnings)], remarks(a.Outcome)...)
	if !q.TotalOrder && (q.Offset > 0 || more && a.Pages) {
		warnings = append(warnings, unstable(plan.Statement))
	}
	a.Outcome.Plan.Warnings = warnings
	a.Total, err = s.total(ctx, session, r, q, a)
	return a, err
}

// run runs an order in a transaction of its own.
func (s *Source) run(ctx context.Context, session reader, r *rewrite.Rewriter, o order) (Result, error) {
	within, cancel := context.WithTimeout(ctx, s.timeout+grace)
	defer cancel()
	if err := session.begin(within, s.timeout); err != nil {
		return Result{}, err
	}
	result, err := session.read(within, r, o)
	if err != nil {
		return Result{}, ended(ctx, within, s.timeout, err)
	}
	if err := session.end(within); err != nil {
		return Result{}, ended(ctx, within, s.timeout, err)
	}
	return result, nil
}

// ended says why a statement was ended from here.
func ended(ctx, within context.Context, timeout any, err error) error {
	var server *Error
	switch {
	case errors.As(err, &server):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("the statement was cancelled: %w", ctx.Err())
	case within.Err() != nil:
		return fmt.Errorf("the statement took longer than %v and was cancelled; narrow it, or have the statement timeout raised", timeout)
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
