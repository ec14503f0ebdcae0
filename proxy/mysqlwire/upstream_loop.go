package mysqlwire

import (
	"errors"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// upstreamLoop relays answers until the session ends. goesOn reports that a loop does so
// from now on.
func (s *session) upstreamLoop() (goesOn bool) {
	for {
		// Between two answers the client's leg is not this loop's to flush.
		s.up.in.wait = nil
		h, err := s.up.in.header()
		if finish := s.up.in.before; finish != nil {
			s.up.in.before = nil
			finish()
		}
		if s.finished() || !s.exchange(h, err) {
			return false
		}
		if s.loggedIn && s.adoptUpstream() {
			s.finish()
			s.carryAnswers()
			return true
		}
		// Of a socket that has been read to its end nothing comes before the client
		// has its answer: what it is due then is written within the next read.
		if s.up.in.before = s.finish; !s.loggedIn || s.up.in.socket == nil || !s.up.in.drained || s.up.in.r < s.up.in.w {
			s.up.in.before = nil
			s.finish()
		}
	}
}

// carryAnswers has the loop relay answers from now on.
func (s *session) carryAnswers() {
	s.up.in.begin(s.answersReady, s.end, s.carrying.Done)
}

// answersReady is called when the upstream may have said something. It returns false to
// wait.
func (s *session) answersReady(fd uintptr) (done bool) {
	in, first := &s.up.in, true
	for !s.finished() {
		if in.r == in.w {
			waits, err := in.again(fd, first)
			if waits {
				return false
			}
			if err != nil {
				s.exchange(packet.Header{}, err)
				return true
			}
			first = false
		}
		in.wait = nil
		if h, err := in.header(); !s.exchange(h, err) {
			return true
		}
		s.finish()
	}
	return true
}

// exchange relays what the upstream says, which begins with header h, or ends the session
// because of err. It reports whether the session goes on.
func (s *session) exchange(h packet.Header, err error) (goesOn bool) {
	t, relay := s.takeAnswer()
	s.up.in.wait = s.flushClient
	switch {
	case t == turnOver:
		return false
	case t == turnIdle && err != nil:
		s.end(orderly(err))
		return false
	case t == turnIdle:
		err = s.unasked(h)
	case err == nil:
		err = relay()
	}
	if err != nil {
		s.lose(err)
	}
	return err == nil
}

// unasked ends the session of a server that speaks between two answers. It does so with an
// error when it is about to close (4031, 1927, 1053), and the client gets that; whatever else
// came, or came behind it, the client would take for the answer to its next command.
func (s *session) unasked(h packet.Header) error {
	s.client.out.seq = h.Seq
	b, err := s.up.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	e, err := packet.DecodeErr(b)
	if err != nil {
		return &packet.MalformedError{Packet: "upstream", Why: "it answers no command, and is no error"}
	}
	s.farewell(e, nil)
	return errOver
}

// finished reports that the session has ended with its last answer.
func (s *session) finished() bool {
	switch end := s.up.finished; end {
	case nil:
		return false
	case errLast:
		s.leaveLast()
	default:
		s.lose(end)
	}
	return true
}

// finish ends an answer: the client gets the rest of it, and the turn is given
// back.
func (s *session) finish() error {
	err := s.flushClient()
	if err == nil {
		err = s.idle()
	}
	s.up.finished = err
	return err
}

// takeAnswer says whose turn it was when the upstream spoke or went away. An idle
// session's turn is taken. What comes while a command is still being read is the
// answer to it.
func (s *session) takeAnswer() (turn, func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.turn == turnCommand || s.turn == turnLogin || s.turn == turnLeaving {
		s.up.in.LeaveLoop()
		s.cond.Wait()
	}
	t := s.turn
	if t != turnOver {
		s.client.out.work = &s.up.in.Work
	}
	switch t {
	case turnIdle:
		s.turn = turnAnswer
	case turnAuth:
		s.turn = turnAnswer // it speaks before the client has done so
	case turnOver:
	default:
		s.client.out.seq = s.replySeq
	}
	return t, s.relay
}

// lose ends the session amid an answer because of err.
func (s *session) lose(err error) {
	s.mu.Lock()
	c, loggingIn, seq, over := s.cut, s.loggingIn, s.replySeq, s.turn == turnOver
	s.mu.Unlock()
	if over {
		return // all has been said
	}
	if loggingIn {
		s.client.out.seq = seq
	}
	if c.under {
		s.farewell(c.farewell, c.err)
		return
	}
	var lost *lostError
	if errors.As(err, &lost) && lost.who == "client" {
		s.end(err)
		return
	}
	if errors.Is(err, errOver) {
		s.end(nil)
		return
	}
	if loggingIn && !errors.As(err, new(*deniedError)) {
		err = &loginError{addr: s.at.String(), within: s.door.LoginTimeout, cause: err}
	}
	s.farewell(s.sayFailure(err), err)
}

// errOver ends a session in which all has been said.
var errOver = errors.New("the session is over")

// orderly is nil where err is a connection closed between two exchanges.
func orderly(err error) error {
	var lost *lostError
	if errors.As(err, &lost) && !lost.partly && lost.closed() {
		return nil
	}
	return err
}
