package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/rewrite"
)

func (p *postgres) begin(ctx context.Context, timeout time.Duration) error {
	return p.start(ctx, "READ ONLY", timeout)
}

func (p *postgres) beginWriting(ctx context.Context, timeout time.Duration) error {
	return p.start(ctx, "READ WRITE", timeout)
}

func (p *postgres) commit(ctx context.Context) error { return p.command(ctx, "COMMIT") }

func (p *postgres) start(ctx context.Context, mode string, timeout time.Duration) error {
	ms := max(timeout.Milliseconds(), 1)
	return p.command(ctx, fmt.Sprintf("BEGIN %s; SET LOCAL statement_timeout = %d; SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d",
		mode, ms, ms, ms+int64(time.Minute/time.Millisecond)))
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
	result, err := p.gather(p.conn.ExecParams(ctx, o.sent, params, nil, nil, nil), r, o, maxBytes)
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
		if o.masked != nil {
			return pgError(pe, o.masked.text, o.masked.edits, o.text, o.plan.Edits, o.sent)
		}
		return pgError(pe, o.text, nil, o.text, o.plan.Edits, o.sent)
	case p.conn.IsClosed():
		return lost(err)
	}
	return err
}

// abandonPatience is how long a session that is abandoned is waited for, and
// cancelAgain how long a cancel request is given before the next.
const (
	abandonPatience = 2 * time.Second
	cancelAgain     = 100 * time.Millisecond
)

// abandon ends the session and the statement that it still runs. When its context ends
// pgconn closes the session with one cancel request, which PostgreSQL drops if it comes
// while the server waits for the next message (ProcessInterrupts, DoingCommandRead), as
// between Parse and Execute: so more follow until the server has ended the session.
func (p *postgres) abandon() {
	ctx, cancel := context.WithTimeout(context.Background(), abandonPatience)
	defer cancel()
	if !p.conn.IsClosed() {
		if p.conn.IsBusy() {
			p.conn.CancelRequest(ctx)
		}
		p.conn.Close(ctx)
	}
	for {
		select {
		case <-p.conn.CleanupDone():
			return
		case <-ctx.Done():
			return
		case <-time.After(cancelAgain):
			p.conn.CancelRequest(ctx)
		}
	}
}

func (p *postgres) usable() bool { return !p.conn.IsClosed() }
