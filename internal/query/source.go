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
	Options
	columns []columnPattern // to be masked
	slots   chan struct{}   // one for each session in use

	mu     sync.Mutex
	idle   []reader
	r      *rewrite.Rewriter
	plain  *rewrite.Rewriter // the same without push-down
	closed bool
}

// Options say what a Source reads, and how.
type Options struct {
	DSN    string
	Policy rewrite.Policy
	// Timeout is the time that a statement may take.
	Timeout time.Duration
	// Sessions is the number of statements that run at once.
	Sessions int
	// Mask says which columns are not shown; the zero Mask hides none.
	Mask Mask
}

// reader is a Session that runs one statement at a time in a READ ONLY
// transaction.
type reader interface {
	Session
	// planner returns r and ask as the session has them.
	planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask)
	// catalog looks up what is to be masked.
	catalog() catalog
	// begin begins the transaction; a statement in it may take timeout.
	begin(ctx context.Context, timeout time.Duration) error
	// read runs one statement and drops the first skip rows.
	read(ctx context.Context, r *rewrite.Rewriter, o order) (Result, error)
	// beginWriting begins a transaction that may write.
	beginWriting(ctx context.Context, timeout time.Duration) error
	// commit ends it.
	commit(ctx context.Context) error
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
	// writes reports that all rows must be taken, as the statement runs while they come.
	writes bool
	// masked is the caller's text and what masking changed in it; nil if nothing.
	masked *substitution
}

// NewSource returns a Source. Nothing connects before the first Read. The error is a
// *DSNError, or says which option makes no sense.
func NewSource(o Options) (*Source, error) {
	if err := CheckDSN(o.DSN); err != nil {
		return nil, err
	}
	if err := o.Policy.Validate(); err != nil {
		return nil, err
	}
	if err := o.Mask.Validate(); err != nil {
		return nil, err
	}
	if o.Timeout < time.Millisecond || o.Sessions < 1 {
		return nil, fmt.Errorf("a statement timeout of %s and %d sessions make no sense: use at least 1ms and 1", o.Timeout, o.Sessions)
	}
	return &Source{Options: o, columns: o.Mask.patterns(), slots: make(chan struct{}, o.Sessions)}, nil
}

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
	release, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
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

var errClosed = errors.New("rowcap is shutting down")

// alone runs do, once, with a session of its own. If do fails the session is ended with
// all that it still does.
func (s *Source) alone(ctx context.Context, do func(reader, *rewrite.Rewriter) error) error {
	release, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return errClosed
	}
	opened, err := Open(ctx, s.DSN)
	if err != nil {
		return err
	}
	session := opened.(reader)
	r, err := s.rewriter(session)
	if err == nil {
		err = do(session, r)
	}
	if err != nil {
		session.abandon()
	} else {
		session.Close()
	}
	return err
}

// slot waits until one session more may be in use.
func (s *Source) slot(ctx context.Context) (release func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("all %d sessions with the database are in use: %w; try again later", cap(s.slots), ctx.Err())
	}
}

// take returns an idle session or a new one.
func (s *Source) take(ctx context.Context) (session reader, reused bool, err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, false, errClosed
	}
	if last := len(s.idle) - 1; last >= 0 {
		session, s.idle = s.idle[last], s.idle[:last]
		s.mu.Unlock()
		return session, true, nil
	}
	s.mu.Unlock()
	opened, err := Open(ctx, s.DSN)
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
	if s.r, err = rewrite.New(d, s.Policy); err != nil {
		return nil, err
	}
	p := s.Policy
	p.PushDown = false
	s.plain, err = rewrite.New(d, p)
	return s.r, err
}
