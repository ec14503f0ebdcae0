package query

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// total finds out how many rows the statement has, as far as q asks for it. What
// cannot be known is said to be so; only the end of ctx is an error.
func (s *Source) total(ctx context.Context, session reader, r *rewrite.Rewriter, q Request, a Answer) (*Total, error) {
	if q.Count == "" || q.Count == CountNone {
		return nil, nil
	}
	seen := a.Offset + uint64(len(a.Rows))
	switch {
	case a.Columns == nil:
		return &Total{Kind: "unknown"}, nil
	case a.Outcome.Completeness == rewrite.Complete && !a.Outcome.Plan.Observed && len(q.After) == 0 && (a.Offset == 0 || len(a.Rows) > 0):
		return &Total{Value: &seen, Kind: "exact"}, nil
	}
	atLeast := &Total{Value: &seen, Kind: "at_least"}
	switch {
	case a.Outcome.Completeness == rewrite.Truncated:
		seen++
	case len(a.Rows) == 0: // nothing is known of the rows before the offset
		atLeast = &Total{Kind: "unknown"}
	}
	if a.Outcome.Plan.Statement.Kind != rewrite.KindSelect {
		return atLeast, nil
	}
	ask := s.exact
	if q.Count == CountEstimate {
		ask = s.estimate
	}
	found, err := ask(ctx, session, r, q)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !(isServer(err) && s.recovered(session)):
		session.abandon() // the rows are known all the same
		return atLeast, nil
	case err != nil:
		return atLeast, nil
	case found == nil:
		return atLeast, nil
	}
	return found, nil
}

func isServer(err error) bool {
	var e *Error
	return errors.As(err, &e)
}

// exact counts the rows of the caller's own statement.
func (s *Source) exact(ctx context.Context, session reader, r *rewrite.Rewriter, q Request) (*Total, error) {
	statements, err := r.Dialect().Parse(q.SQL)
	if err != nil || len(statements) != 1 {
		return nil, nil
	}
	text := "SELECT count(*) FROM (" + statements[0].Text + "\n) AS counted"
	script := r.Script(text, rewrite.Ask{})
	plan, err := one(script, r.Dialect())
	if err != nil || !plan.Statement.AtMostOneRow || len(plan.Edits) > 0 {
		return nil, nil
	}
	result, err := s.within(ctx, session, r, order{plan: plan, text: text, sent: text, params: q.Params})
	if err != nil || len(result.Rows) != 1 {
		return nil, err
	}
	n, err := strconv.ParseUint(result.Rows[0][0].Text, 10, 64)
	if err != nil {
		return nil, nil
	}
	return &Total{Value: &n, Kind: "exact"}, nil
}

// estimate asks the planner.
func (s *Source) estimate(ctx context.Context, session reader, r *rewrite.Rewriter, q Request) (*Total, error) {
	prefix := map[string]string{"postgres": "EXPLAIN (FORMAT JSON) ", "mysql": "EXPLAIN FORMAT=TRADITIONAL ", "mariadb": "EXPLAIN "}[session.Dialect()]
	query, err := one(r.Script(q.SQL, rewrite.Ask{}), r.Dialect())
	if err != nil {
		return nil, nil
	}
	script, plan, err := explaining(r, prefix, query, q.SQL, rewrite.Ask{})
	if err != nil {
		return nil, nil
	}
	result, err := s.within(ctx, session, r, order{plan: plan, text: script.Text, sent: script.Text, params: q.Params})
	if err != nil {
		return nil, err
	}
	var n float64
	var ok bool
	if session.Dialect() == "postgres" {
		n, ok = postgresEstimate(result)
	} else {
		n, ok = mysqlEstimate(result)
	}
	if l := query.Statement.Limit; l.Form == rewrite.LimitLiteral {
		n = math.Min(n, float64(l.Rows))
	}
	if !ok || n < 0 || n > 1<<53 {
		return nil, nil
	}
	rows := uint64(math.Round(n))
	return &Total{Value: &rows, Kind: "estimate"}, nil
}

// within runs an order under the time budget of a count.
func (s *Source) within(ctx context.Context, session reader, r *rewrite.Rewriter, o order) (Result, error) {
	budget := min(countBudget, s.Timeout)
	patience, cancel := context.WithTimeout(ctx, budget+grace)
	defer cancel()
	if err := session.begin(patience, budget); err != nil {
		return Result{}, err
	}
	result, err := session.read(patience, r, o)
	if err != nil {
		return Result{}, err
	}
	return result, session.end(patience)
}

// postgresEstimate reads the rows of the topmost node of a plan.
func postgresEstimate(r Result) (float64, bool) {
	if len(r.Rows) != 1 || len(r.Rows[0]) != 1 {
		return 0, false
	}
	var plans []struct {
		Plan struct {
			Rows *float64 `json:"Plan Rows"`
		}
	}
	if err := json.Unmarshal([]byte(r.Rows[0][0].Text), &plans); err != nil || len(plans) != 1 || plans[0].Plan.Rows == nil {
		return 0, false
	}
	return *plans[0].Plan.Rows, true
}

// mysqlEstimate multiplies what the tables of the first query block give each.
func mysqlEstimate(r Result) (float64, bool) {
	column := map[string]int{}
	for i, c := range r.Columns {
		column[strings.ToLower(c.Name)] = i
	}
	id, hasID := column["id"]
	rows, hasRows := column["rows"]
	if !hasID || !hasRows || len(r.Rows) == 0 {
		return 0, false
	}
	n, any := 1.0, false
	for _, row := range r.Rows {
		if row[id] != r.Rows[0][id] || row[rows].Null {
			continue
		}
		x, err := strconv.ParseFloat(row[rows].Text, 64)
		if err != nil {
			return 0, false
		}
		n, any = n*x, true
		if i, ok := column["filtered"]; ok {
			if share, err := strconv.ParseFloat(row[i].Text, 64); err == nil {
				n *= share / 100
			}
		}
	}
	return n, any
}
