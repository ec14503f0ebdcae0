package mysqlwire

import (
	"errors"
	"os"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// carry acts on what the client sends on a socket, within one call of the poller, for
// two reasons. A call that only waits and reads begins by reading in vain, to learn
// that it has to wait. And what comes while a command is acted on, as from a client
// that does not wait for its answers, is not missed. It returns nil when something
// has come that is to be acted on outside.
func (s *session) carry() error {
	in := &s.client.in
	for {
		s.client.failed, in.within = nil, true
		err := in.socket.Wait(s.client.ready)
		in.within = false
		switch {
		case err == nil:
			return s.client.failed
		case !errors.Is(err, os.ErrDeadlineExceeded) || !s.resumes(in):
			return &lostError{who: in.who, partly: in.w > in.r, err: err}
		}
	}
}

// carryLooped is carry where a loop waits for the client's socket. What is done there may
// wait for whatever it needs.
func (s *session) carryLooped() error {
	in := &s.client.in
	over := make(chan struct{})
	in.begin(s.carryReady, func(err error) { s.client.failed = err }, func() { close(over) })
	<-over
	return s.client.failed
}

// carryReady is called when the client may have sent something. It returns false to
// wait.
func (s *session) carryReady(fd uintptr) (done bool) {
	in, first := &s.client.in, true
	for {
		for in.r < in.w {
			h, whole := in.whole()
			if !whole && in.looped == nil {
				break
			}
			if !whole {
				h, s.client.failed = in.header()
			}
			if s.client.failed == nil {
				s.client.failed = s.act(h)
			}
			if s.client.failed != nil {
				return true
			}
		}
		if s.client.failed = in.wait(); s.client.failed != nil {
			return true
		}
		if in.r < in.w {
			s.carries = false
			return true
		}
		var waits bool
		if waits, s.client.failed = in.again(fd, first); waits || s.client.failed != nil {
			return !waits
		}
		first = false
	}
}

// carriable reports that commands may be acted on by carry. Where the statements of a
// text may be sent one by one they are not: one that asks for a file has the client
// speak again before all of the command has been acted on.
func (s *session) carriable() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.in.socket != nil && s.loggedIn && s.rewriter.Policy().Overflow != rewrite.OverflowError
}

// Look wakes the goroutines of a session that wait for what has come already. A
// session that is acting at this moment is left for the next time.
func (s *session) Look() {
	if !s.client.in.waits.Load() && !s.up.in.waits.Load() || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if !s.loggedIn || s.loggingIn || s.cut.under || s.turn == turnOver || s.turn == turnLeaving {
		return
	}
	for _, in := range []*reader{&s.client.in, &s.up.in} {
		if in.socket != nil && in.by.IsZero() && in.waits.Swap(false) && in.socket.Pending() {
			in.poked = true
			in.conn.SetReadDeadline(time.Unix(1, 0))
		}
	}
}

// resumes says whether a read deadline has passed only to have in look, and puts
// back the one that was there.
func (s *session) resumes(in *reader) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.turn == turnOver || s.cut.under:
		return false
	case in.poked:
		in.bound(in.by)
		return true
	}
	return !in.by.IsZero() && time.Now().Before(in.by)
}
