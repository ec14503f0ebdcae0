package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// DefaultDrain is how long sessions get to end after the server was told to.
	DefaultDrain = 10 * time.Second
	// lastCall is how long sessions get to take their leave after the drain time,
	// and once more to end after their connections were closed.
	lastCall = 5 * time.Second
)

// Server accepts connections on its listeners and has a Protocol carry each.
// Listen opens them, Serve accepts until its context is done.
type Server struct {
	// Log takes what concerns no session: accept errors, panics, shutdown.
	// Nil discards it.
	Log *slog.Logger
	// Observer is told of sessions. Nil tells nobody.
	Observer Observer
	// Drain is how long busy sessions get to end once Serve's context is done,
	// DefaultDrain if it is 0. Negative ends them at once.
	Drain time.Duration
	// KeepAlive is how long a client's TCP connection may be silent before it is
	// probed, DefaultKeepAlive if it is 0. Negative never probes.
	KeepAlive time.Duration
	// Balancers are those that tell whose connections they pass on.
	Balancers Balancers

	fronts []*front

	mu sync.Mutex
	// sessions holds the clients' connections, and whether the server closed
	// them itself.
	sessions map[net.Conn]bool
	wait     sync.WaitGroup // one for each session
}

// front is one open listener and the protocol spoken on it.
type front struct {
	net.Listener
	route    Route
	protocol Protocol
	down     atomic.Bool
}

// Listen opens the route's listener for sessions that p carries to the route's
// upstream, and returns the address it got. The error is a *ListenError. Listen
// is called before Serve.
func (s *Server) Listen(route Route, p Protocol) (net.Addr, error) {
	l, err := listen(route.Listen, s.KeepAlive)
	if err != nil {
		return nil, err
	}
	s.fronts = append(s.fronts, &front{Listener: l, route: route, protocol: p})
	return l.Addr(), nil
}

// Listening reports, route by route in the order of the calls of Listen, whether
// connections are accepted.
func (s *Server) Listening() []bool {
	up := make([]bool, len(s.fronts))
	for i, f := range s.fronts {
		up[i] = !f.down.Load()
	}
	return up
}

// Close closes the listeners of a server that is not to be served after all.
func (s *Server) Close() error {
	var errs []error
	for _, f := range s.fronts {
		if !f.down.Swap(true) {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// Serve accepts connections until ctx is done. Then it stops listening, tells
// the sessions to end, waits for them up to Drain, has those that remain take
// their leave, closes the connections of those that do not, and returns. The error
// is not nil if a listener failed beforehand, which ends all others too, or if a
// session could not be ended.
func (s *Server) Serve(ctx context.Context) error {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Observer == nil {
		s.Observer = NoObserver{}
	}
	s.sessions = make(map[net.Conn]bool)
	sessions, end := context.WithCancelCause(context.WithoutCancel(ctx))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { s.Close() })()

	var accepting sync.WaitGroup
	failed := make([]error, len(s.fronts), len(s.fronts)+1)
	for i, f := range s.fronts {
		accepting.Go(func() {
			if failed[i] = s.accept(ctx, sessions, f); failed[i] != nil {
				cancel()
			}
		})
	}
	accepting.Wait()
	s.Close()
	return errors.Join(append(failed, s.drain(end))...)
}

// accept takes connections from f until ctx is done; they are carried under the
// context sessions. The error is nil then.
func (s *Server) accept(ctx, sessions context.Context, f *front) error {
	var backOff time.Duration
	for {
		conn, err := f.Accept()
		switch {
		case err == nil:
			backOff = 0
			s.start(sessions, f.protocol, conn)
		case ctx.Err() != nil:
			return nil
		case passing(err):
			if backOff == 0 {
				s.Log.Warn("cannot accept a connection; will try again", "listen", f.route.Listen.String(), "error", reason(err))
			}
			backOff = min(max(2*backOff, minBackOff), maxBackOff)
			pause(ctx, backOff)
		default:
			f.down.Store(true)
			f.Close()
			return fmt.Errorf("the listener on %s failed: %w", f.route.Listen, err)
		}
	}
}

// start has p carry conn in a goroutine of its own.
func (s *Server) start(ctx context.Context, p Protocol, conn net.Conn) {
	s.mu.Lock()
	s.sessions[conn] = false
	s.mu.Unlock()
	s.wait.Go(func() {
		s.Observer.SessionStarted(p.Name())
		client, err := s.carry(ctx, p, conn)
		s.mu.Lock()
		if s.sessions[conn] {
			err = &closedError{err}
		}
		delete(s.sessions, conn)
		s.mu.Unlock()
		s.Observer.SessionEnded(p.Name(), client, err)
	})
}

// carry runs one session and turns a panic into an error. client is who it was with.
func (s *Server) carry(ctx context.Context, p Protocol, conn net.Conn) (client net.Addr, err error) {
	client = conn.RemoteAddr()
	defer func() {
		if v := recover(); v != nil {
			err = Recovered(v)
		}
		if e := (*PanicError)(nil); errors.As(err, &e) {
			s.Log.Error("a session panicked and was closed; please report this with the stack",
				"protocol", p.Name(), "client", client.String(), "panic", fmt.Sprint(e.Value), "stack", string(e.Stack))
		}
		conn.Close()
	}()
	if s.Balancers.have(client) {
		ends, err := announced(ctx, conn)
		switch {
		case errors.Is(err, errNoHeader) || err != nil && ctx.Err() != nil:
			return client, nil
		case err != nil:
			return client, explainHeader(err)
		case ends.Client != nil:
			client, ctx = ends.Client, context.WithValue(ctx, endsKey{}, ends)
		}
	}
	return client, p.Serve(ctx, conn)
}

// drain tells the sessions to end, waits for them, and ends those that stay.
func (s *Server) drain(end context.CancelCauseFunc) error {
	over := make(chan struct{})
	end(&Shutdown{Over: over})
	ended := make(chan struct{})
	go func() {
		s.wait.Wait()
		close(ended)
	}()
	drain := s.Drain
	if drain == 0 {
		drain = DefaultDrain
	}
	if within(ended, drain) {
		return nil
	}
	if left := s.left(); left > 0 {
		s.Log.Warn("the drain time is over; ending the sessions that are left", "sessions", left, "drain", max(drain, 0).String())
	}
	close(over)
	if within(ended, lastCall) {
		return nil
	}
	if left := s.shut(); left > 0 {
		s.Log.Warn("sessions did not end in time; closed their connections", "sessions", left)
	}
	if within(ended, lastCall) {
		return nil
	}
	return fmt.Errorf("%d sessions could not be ended", s.left())
}

// left returns how many sessions there are.
func (s *Server) left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// shut closes the connections of the sessions there are, and returns how many.
func (s *Server) shut() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.sessions {
		s.sessions[conn] = true
		go conn.Close() // it waits for whatever is at work on the connection
	}
	return len(s.sessions)
}

// within reports whether ended is closed within d.
func within(ended <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-ended:
		return true
	case <-t.C:
		return false
	}
}
