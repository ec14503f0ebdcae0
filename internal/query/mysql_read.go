package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/rewrite"
)

func (s *mysqlSession) begin(ctx context.Context, timeout time.Duration) error {
	return s.start(ctx, "READ ONLY", timeout)
}

func (s *mysqlSession) beginWriting(ctx context.Context, timeout time.Duration) error {
	return s.start(ctx, "READ WRITE", timeout)
}

func (s *mysqlSession) commit(ctx context.Context) error {
	_, err := s.conn.ExecContext(ctx, "COMMIT")
	return s.readError(err)
}

func (s *mysqlSession) start(ctx context.Context, mode string, timeout time.Duration) error {
	limit := fmt.Sprintf("SET SESSION max_execution_time = %d", max(timeout.Milliseconds(), 1))
	if s.dialect == "mariadb" {
		limit = fmt.Sprintf("SET SESSION max_statement_time = %.3f", max(timeout, time.Millisecond).Seconds())
	}
	for _, text := range []string{limit, "START TRANSACTION " + mode} {
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

// read runs one statement.
func (s *mysqlSession) read(ctx context.Context, r *rewrite.Rewriter, o order) (Result, error) {
	results, err := s.answers(ctx, r, o, maxBytes, true)
	if err != nil || len(results) == 0 {
		return Result{}, s.readError(err)
	}
	return results[0], nil
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
