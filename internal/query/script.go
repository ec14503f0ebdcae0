package query

import (
	"context"

	"github.com/rowcap/rowcap/rewrite"
)

// Run runs every statement of a text as it was written, in a session of its own: the
// statements may write, and their transactions are their own. An error is one of
// Session.Run, or of an answer with more rows than its cap under rewrite.OverflowError; the
// answers before it are returned with it.
func (s *Source) Run(ctx context.Context, sql string, ask rewrite.Ask) ([]Answer, error) {
	var answers []Answer
	err := s.alone(ctx, func(session reader, r *rewrite.Rewriter) error {
		results, err := session.Run(ctx, r, sql, ask)
		for _, result := range results {
			if exceeded := r.Overflow(result.Outcome); exceeded != nil {
				return exceeded
			}
			answers = append(answers, Answer{Result: result.remarked(), Dialect: session.Dialect(), Limit: result.Outcome.Plan.Cap, Ran: true})
		}
		return err
	})
	return answers, err
}

// remarked returns an answer with what its reader could get wrong.
func (r Result) remarked(more ...rewrite.Warning) Result {
	if r.Columns != nil {
		w := r.Outcome.Plan.Warnings
		r.Outcome.Plan.Warnings = append(append(w[:len(w):len(w)], rewrite.Remarks(r.Outcome)...), more...)
	}
	return r
}
