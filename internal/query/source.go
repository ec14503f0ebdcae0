package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// Source is a database that is read from, by several callers at once. Every
// statement runs in a READ ONLY transaction of its own that is rolled back.
type Source struct {
	dsn     string
	policy  rewrite.Policy
	timeout time.Duration
	slots   chan struct{} // one for each session in use

	mu     sync.Mutex
	idle   []reader
	r      *rewrite.Rewriter
	closed bool
}

// reader is a Session that runs one statement at a time in a READ ONLY
// transaction.
type reader interface {
	Session
	// planner returns r and ask as the session has them.
	planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask)
	// begin begins the transaction; a statement in it may take timeout.
	begin(ctx context.Context, timeout time.Duration) error
	// read runs one statement and drops the first skip rows.
	read(ctx context.Context, r *rewrite.Rewriter, o order) (Result, error)
	// end rolls back.
	end(ctx context.Context) error
	// abandon ends a session whose statement may still run, and the statement.
	abandon()
	// usable is false for a session that was abandoned or lost.
	usable() bool
}

// order is one planned statement to be run.
type order struct {
	plan   rewrite.Plan
	text   string // the caller's, for places in error messages
	sent   string
	params []Param
	skip   uint64
}

// NewSource returns a Source. Nothing connects before the first Read. At most
// sessions statements run at once, each for at most timeout. The error is a
// *DSNError or that of policy.Validate.
func NewSource(dsn string, policy rewrite.Policy, timeout time.Duration, sessions int) (*Source, error) {
	if err := CheckDSN(dsn); err != nil {
		return nil, err
	}
	if err := policy.Validate(); err != nil {
		return nil, err
	}
	if timeout < time.Millisecond || sessions < 1 {
		return nil, fmt.Errorf("a statement timeout of %s and %d sessions make no sense: use at least 1ms and 1", timeout, sessions)
	}
	return &Source{dsn: dsn, policy: policy, timeout: timeout, slots: make(chan struct{}, sessions)}, nil
}

// Policy returns the policy that the source's plans follow.
func (s *Source) Policy() rewrite.Policy { return s.policy }

// Dialect connects, if it has to, and returns the name of the server's dialect.
func (s *Source) Dialect(ctx context.Context) (name string, err error) {
	err = s.with(ctx, func(session reader, _ *rewrite.Rewriter) error {
		name = session.Dialect()
		return nil
	})
	return name, err
}

// Close ends the sessions that are not in use, and those in use when they are
// done.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var err error
	for _, session := range s.idle {
		err = errors.Join(err, session.Close())
	}
	s.idle = nil
	return err
}

// with runs do with a session. A session that was idle may have been lost
// meanwhile: then do, which only reads, runs once more with a new one.
func (s *Source) with(ctx context.Context, do func(reader, *rewrite.Rewriter) error) error {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return fmt.Errorf("all %d sessions with the database are in use: %w; try again later", cap(s.slots), ctx.Err())
	}
	for {
		session, reused, err := s.take(ctx)
		if err != nil {
			return err
		}
		r, err := s.rewriter(session)
		if err == nil {
			err = do(session, r)
		}
		var server *Error
		var refused *rewrite.RefusedError
		var exceeded *rewrite.ExceededError
		switch sound := err == nil || errors.As(err, &refused) || errors.As(err, &exceeded); {
		case sound:
			s.give(session)
		case errors.As(err, &server) && s.recovered(session):
			s.give(session)
		default:
			gone := errors.Is(err, errLost) || server != nil && !session.usable()
			session.abandon()
			if reused && gone && ctx.Err() == nil {
				continue
			}
		}
		return err
	}
}

// take returns an idle session or a new one.
func (s *Source) take(ctx context.Context) (session reader, reused bool, err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, false, errors.New("rowcap is shutting down")
	}
	if last := len(s.idle) - 1; last >= 0 {
		session, s.idle = s.idle[last], s.idle[:last]
		s.mu.Unlock()
		return session, true, nil
	}
	s.mu.Unlock()
	opened, err := Open(ctx, s.dsn)
	if err != nil {
		return nil, false, err
	}
	return opened.(reader), false, nil
}

// recovered ends the transaction that a server's error left.
func (s *Source) recovered(session reader) bool {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	return session.usable() && session.end(ctx) == nil
}

// give takes a session back.
func (s *Source) give(session reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !session.usable() {
		return
	}
	if s.closed {
		session.Close()
		return
	}
	s.idle = append(s.idle, session)
}

// rewriter returns the rewriter for the dialect that the server speaks.
func (s *Source) rewriter(session Session) (*rewrite.Rewriter, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.r != nil && s.r.Dialect().Name() == session.Dialect() {
		return s.r, nil
	}
	d, err := dialect.Lookup(session.Dialect())
	if err != nil {
		return nil, err
	}
	s.r, err = rewrite.New(d, s.policy)
	return s.r, err
}
