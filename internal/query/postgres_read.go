package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/rewrite"
)

func (p *postgres) planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask) {
	for _, s := range []string{"server_version", "standard_conforming_strings", "client_encoding"} {
		r = r.With(s, p.conn.ParameterStatus(s))
	}
	return r, ask
}

func (p *postgres) begin(ctx context.Context, timeout time.Duration) error {
	ms := max(timeout.Milliseconds(), 1)
	return p.command(ctx, fmt.Sprintf("BEGIN READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d",
		ms, ms, ms+int64(time.Minute/time.Millisecond)))
}

func (p *postgres) end(ctx context.Context) error {
	if p.conn.IsClosed() {
		return nil
	}
	return p.command(ctx, "ROLLBACK")
}

// command runs SQL of rowcap's own.
func (p *postgres) command(ctx context.Context, sql string) error {
	_, err := p.conn.Exec(ctx, sql).ReadAll()
	p.take()
	return p.explain(err, order{})
}

// read runs one statement by the extended protocol, which takes one only. Its
// values come as text.
func (p *postgres) read(ctx context.Context, r *rewrite.Rewriter, o order) (Result, error) {
	params := make([][]byte, len(o.params))
	for i, v := range o.params {
		params[i] = v.bytes()
	}
	p.copying.reset()
	p.notices, p.dropped = nil, 0
	result, err := p.gather(p.conn.ExecParams(ctx, o.sent, params, nil, nil, nil), r, o.plan, o.skip, maxBytes)
	result.ServerWarnings = p.take()
	if err = p.explain(err, o); err != nil {
		return Result{}, err
	}
	if p.copying.out {
		return Result{}, errCopyOut
	}
	if !p.conn.IsClosed() {
		results := []Result{result}
		p.types.fill(ctx, p.conn, results)
		result = results[0]
	}
	return result, nil
}

func (p *postgres) explain(err error, o order) error {
	var pe *pgconn.PgError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		return pgError(pe, o.text, o.plan.Edits, o.sent)
	case p.conn.IsClosed():
		return lost(err)
	}
	return err
}

// abandon ends the session; pgconn sends a cancel request for a statement that
// still runs.
func (p *postgres) abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	if p.conn.IsClosed() {
		return
	}
	if p.conn.IsBusy() {
		p.conn.CancelRequest(ctx)
	}
	closing, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	p.conn.Close(closing)
}

func (p *postgres) usable() bool { return !p.conn.IsClosed() }
