package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/rewrite"
)

func (s *mysqlSession) planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask) {
	return s.under(r, ask)
}

func (s *mysqlSession) begin(ctx context.Context, timeout time.Duration) error {
	limit := fmt.Sprintf("SET SESSION max_execution_time = %d", max(timeout.Milliseconds(), 1))
	if s.dialect == "mariadb" {
		limit = fmt.Sprintf("SET SESSION max_statement_time = %.3f", max(timeout, time.Millisecond).Seconds())
	}
	if s.id == 0 {
		if err := s.conn.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&s.id); err != nil {
			return s.readError(err)
		}
	}
	for _, text := range []string{limit, "START TRANSACTION READ ONLY"} {
		if _, err := s.conn.ExecContext(ctx, text); err != nil {
			return s.readError(err)
		}
	}
	return nil
}

func (s *mysqlSession) end(ctx context.Context) error {
	if s.gone {
		return nil
	}
	_, err := s.conn.ExecContext(ctx, "ROLLBACK")
	return s.readError(err)
}

// read runs one statement; one with parameters is prepared.
func (s *mysqlSession) read(ctx context.Context, r *rewrite.Rewriter, o order) (Result, error) {
	params := make([]any, len(o.params))
	for i, p := range o.params {
		params[i] = p.value()
	}
	within, stop := context.WithCancel(ctx)
	defer stop()
	rows, err := s.conn.QueryContext(within, o.sent, params...)
	if err != nil {
		return Result{}, s.readError(err)
	}
	result, stopped, err := s.first(rows, r, o)
	if stopped || errors.Is(err, errTooLarge) {
		stop() // closes the connection: the rest of the answer is not read
		rows.Close()
		s.abandon()
		return result, err
	}
	if closed := rows.Close(); err == nil {
		err = closed
	}
	if err == nil && o.plan.Statement.Kind != rewrite.KindShow {
		result.ServerWarnings, err = s.warnings(ctx)
	}
	if err != nil {
		return Result{}, s.readError(err)
	}
	return result, nil
}

func (s *mysqlSession) readError(err error) error {
	var me *driver.MySQLError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &me):
		return mysqlError(me, 0)
	case errors.Is(err, driver.ErrInvalidConn), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return lost(err)
	}
	return err
}

// abandon ends the session, and by another one what it still runs: the server
// does not notice by itself that nobody waits.
func (s *mysqlSession) abandon() {
	if s.gone {
		return
	}
	s.gone = true
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	if s.id != 0 {
		if other, err := s.db.Conn(ctx); err == nil {
			other.ExecContext(ctx, fmt.Sprintf("KILL %d", s.id))
			other.Close()
		}
	}
	s.Close()
}

func (s *mysqlSession) usable() bool { return !s.gone }
