package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// Execute runs the one statement of a Request that changes data, in a transaction of
// its own which is committed. It uses a session of its own, so that nothing of it is
// left for later statements, and is never run twice. Of the Request only SQL, Params,
// Limit and DryRun mean anything. The errors are those of Read; after one, nothing was
// changed, unless it says that this is not known.
func (s *Source) Execute(ctx context.Context, q Request) (Answer, error) {
	if err := checkRequest(q); err != nil {
		return Answer{}, err
	}
	var a Answer
	err := s.alone(ctx, func(session reader, r *rewrite.Rewriter) (err error) {
		a, err = s.execute(ctx, session, r, q)
		return err
	})
	return a, err
}

func (s *Source) execute(ctx context.Context, session reader, r *rewrite.Rewriter, q Request) (Answer, error) {
	r, ask := session.planner(r, rewrite.Ask{Limit: q.Limit})
	script := r.Script(q.SQL, ask)
	plan, err := single(script)
	if err != nil {
		return Answer{}, err
	}
	if refused := onlyChanges(r.Dialect(), plan.Statement); refused != nil {
		return Answer{}, refused
	}
	if refused := script.Refused(); refused != nil {
		return Answer{}, refused
	}
	within, cancel := context.WithTimeout(ctx, s.Timeout+grace)
	defer cancel()
	if err := session.beginWriting(within, s.Timeout); err != nil {
		return Answer{}, err
	}
	if err := s.unmasked(within, session, r.Dialect(), q.SQL); err != nil {
		return Answer{}, err
	}
	o := order{plan: plan, text: q.SQL, sent: script.SQL(), params: q.Params, writes: true}
	a := Answer{Dialect: session.Dialect(), Limit: plan.Cap, SQL: o.sent}
	a.Outcome.Plan = plan
	if q.DryRun {
		return a, session.end(within)
	}
	a.Ran = true
	if a.Result, err = session.read(within, r, o); err != nil {
		err = ended(ctx, within, s.Timeout, err)
		if errors.Is(err, errTooLarge) {
			err = fmt.Errorf("%w; nothing was changed", err)
		}
		return Answer{}, err
	}
	if err := session.commit(within); err != nil {
		return Answer{}, fmt.Errorf("the statement ran, and whether its changes were committed is not known: %w", err)
	}
	a.Committed = true
	if !countsAll(r.Dialect(), q.SQL, plan.Statement) {
		a.Affected = nil
		a.Outcome.Plan.Warnings = append(a.Outcome.Plan.Warnings[:len(a.Outcome.Plan.Warnings):len(a.Outcome.Plan.Warnings)], rewrite.ChangesUncounted())
	}
	return a, nil
}

// countsAll reports that the number that the server tells of a statement is that of all
// rows that it changed: what the queries of PostgreSQL's WITH changed is not in it.
func countsAll(d rewrite.Dialect, text string, st rewrite.Statement) bool {
	if d.Name() != "postgres" {
		return true
	}
	reads, err := dialect.Reads(d, text)
	return err == nil && len(reads.With) == 0 && st.Kind != rewrite.KindSelect
}

// onlyChanges reports why a statement is not run where statements may change rows and
// nothing else.
func onlyChanges(d rewrite.Dialect, st rewrite.Statement) *rewrite.RefusedError {
	switch {
	case st.Kind == rewrite.KindUnknown:
		return &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + st.Obstacle, Hint: "correct or simplify the statement"}
	case st.Kind == rewrite.KindInsert, st.Kind == rewrite.KindUpdate, st.Kind == rewrite.KindDelete, st.Kind == rewrite.KindMerge,
		st.Kind == rewrite.KindSelect && st.Writes:
		return reaches(d, st)
	}
	return &rewrite.RefusedError{
		Message: fmt.Sprintf("the statement is refused because it is none that changes rows (%s)", strings.ReplaceAll(st.Kind.String(), "_", " ")),
		Hint:    "give one INSERT, UPDATE, DELETE or MERGE; use the tool query to read",
	}
}
