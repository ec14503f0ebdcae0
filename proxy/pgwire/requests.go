package pgwire

import (
	"errors"
	"fmt"
	"io"
)

// upstreamLost says that the server's side of the session cannot be written.
type upstreamLost struct{ err error }

func (u upstreamLost) Error() string { return "the upstream cannot be written to: " + u.err.Error() }
func (u upstreamLost) Unwrap() error { return u.err }

var (
	// errTerminated says that the client took its leave.
	errTerminated = errors.New("terminated")
	// errEnded says that the other side of the session ended it.
	errEnded = errors.New("ended")
)

// requests carries the client's messages to the server until either side ends.
// It returns why, nil if the client ended the session in order.
func (s *session) requests() error {
	if err := s.up.flush(); err != nil {
		return upstreamLost{err}
	}
	err, unread := s.up.carry(s.asked)
	switch {
	case unread != nil:
		return s.unread(unread)
	case err == errTerminated:
		return s.leave()
	}
	return err
}

// asked handles the messages of one read and forwards them with one write.
func (s *session) asked() error {
	for {
		m, ok, err := s.up.next()
		if err == nil && !ok {
			break
		}
		if err == nil {
			err = s.request(m)
		}
		if err != nil {
			return err
		}
	}
	if err := s.up.flush(); err != nil {
		return upstreamLost{err}
	}
	return nil
}

// leave sends the client's Terminate. What the client asked for before it is
// still answered, if the client waits for that.
func (s *session) leave() error {
	s.mu.Lock()
	s.left.Store(true)
	s.calm(s.up)
	s.mu.Unlock()
	if err := s.up.flush(); err != nil {
		return upstreamLost{err}
	}
	s.mu.Lock()
	answering := s.queue.len() > 0 && !s.ended
	s.mu.Unlock()
	if answering {
		io.Copy(io.Discard, s.client)
	}
	return nil
}

// unread says what it means that the client cannot be read any more.
func (s *session) unread(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errEnded
	}
	if errors.Is(err, io.EOF) && s.up.w == s.up.r && s.up.left == 0 && (s.queue.len() == 0 || s.clientsTurn()) {
		return nil // clients leave when asked for a password, and come back with one
	}
	return gone{err}
}

// request handles one message of the client. The queue learns of it before the
// server does.
func (s *session) request(m message) error {
	if m.kind == 'X' {
		return errTerminated
	}
	if err := s.begun(m); err != nil {
		return err
	}
	if s.discard && m.kind != 'S' {
		s.up.cut()
		return nil
	}
	s.unsynced = m.kind != 'S' && (s.unsynced || m.kind == 'P' || m.kind == 'B' || m.kind == 'D' || m.kind == 'E' || m.kind == 'C')
	switch m.kind {
	case 'Q':
		return s.query(m)
	case 'P':
		return s.parse(m)
	case 'B':
		return s.bind(m)
	case 'F':
		s.segment.reset()
		s.footing.runs(nil, false)
		return s.expect(expected{kind: expectFunction})
	case 'E':
		return s.execute(m)
	case 'D', 'C':
		if len(m.body) < 2 || m.body[0] != 'S' && m.body[0] != 'P' || m.body[len(m.body)-1] != 0 {
			if m.kind == 'C' {
				return s.malformed(m, expectClose)
			}
			return s.malformed(m, expectDescribe)
		}
		if m.kind == 'D' {
			return s.expect(expected{kind: expectDescribe, target: m.body[0], name: objectName(m.body[1 : len(m.body)-1])})
		}
		e := expected{kind: expectClose, target: m.body[0], name: objectName(m.body[1 : len(m.body)-1])}
		if e.target == 'S' {
			s.segment.addStatement(e.name, nil)
		} else {
			s.segment.addPortal(e.name, nil)
		}
		return s.expect(e)
	case 'S':
		s.discard = false
		s.footing.open = false
		s.segment.reset()
		return s.expect(expected{kind: expectSync})
	case 'c', 'f':
		return s.expect(expected{kind: expectCopyEnd})
	}
	return nil // Flush, CopyData, passwords
}

// checkHeader looks at the header of a client's message. One that is to be gathered
// waits until the session has begun, so that only clients with a session make
// rowcap hold much.
func (s *session) checkHeader(kind byte, size int) error {
	err := checkRequest(kind, size)
	if err == nil && size > largeBuffer && gathered(kind) {
		err = s.begun(message{kind: kind})
	}
	return err
}

// checkRequest says whether a client's message may have that type and size.
func checkRequest(kind byte, size int) error {
	switch kind {
	case 'Q', 'P':
		if size > maxBuffered {
			return violation(fmt.Sprintf("message %s has %d bytes, and rowcap reads statements of at most %d", kindName(kind), size, maxBuffered))
		}
	case 'E', 'D', 'C', 'S', 'H', 'X', 'c', 'f', 'p':
		if size > smallLimit && (kind != 'p' || size > tokenLimit) {
			return violation(fmt.Sprintf("message %s has the impossible length of %d bytes", kindName(kind), size))
		}
	case 'B', 'F', 'd':
	default:
		return violation(fmt.Sprintf("a message of type %s is not of the protocol", kindName(kind)))
	}
	return nil
}

// gathered says which messages are read as a whole.
func gathered(kind byte) bool { return kind == 'Q' || kind == 'P' }

// begun waits until the session has started: before, only the messages of the
// authentication are forwarded, and after, none.
func (s *session) begun(m message) error {
	if s.running && m.kind != 'p' {
		return nil
	}
	s.up.Lock(&s.mu)
	defer s.mu.Unlock()
	if m.kind == 'p' {
		if s.started {
			return violation("an authentication message came that nobody asked for")
		}
		return s.authenticates(m)
	}
	for !s.started && !s.ended {
		s.mu.Unlock()
		err := s.up.flushBefore()
		s.up.Lock(&s.mu)
		if err != nil {
			return upstreamLost{err}
		}
		if !s.started && !s.ended {
			s.up.LeaveLoop()
			s.moved.Wait()
		}
	}
	if s.ended {
		return errEnded
	}
	s.running, s.up.eager = true, false
	return nil
}

// expect puts e into the queue.
func (s *session) expect(e expected) error {
	return s.expectWith(e, settled)
}

func settled(*expected) {
}

// expectWith puts e into the queue after settle has looked at it.
func (s *session) expectWith(e expected, settle func(*expected)) error {
	s.up.Lock(&s.mu)
	defer s.mu.Unlock()
	for s.queue.len() >= queueLimit && !s.ended {
		s.mu.Unlock()
		err := s.up.flushBefore()
		s.up.Lock(&s.mu)
		if err != nil {
			return upstreamLost{err}
		}
		if s.queue.len() >= queueLimit && !s.ended {
			s.up.LeaveLoop()
			s.moved.Wait()
		}
	}
	if s.ended {
		return errEnded
	}
	// What settle is given would be put on the heap each time, were it not s.entry.
	s.entry = e
	settle(&s.entry)
	if !s.admits(&s.entry) {
		return nil
	}
	s.queue.push(&s.entry)
	if e.kind != expectRefusal || !s.down.whole {
		return nil
	}
	if b := s.refusals(); len(b) > 0 {
		if err := s.up.Send(s.client, b); err != nil {
			s.down.whole = false
			return gone{err}
		}
	}
	return nil
}

// admits says whether the server will answer e at all. mu is held.
func (s *session) admits(e *expected) bool {
	switch {
	case s.copying && e.kind == expectCopyEnd:
		s.copying = false
		return false
	case s.copying && e.kind == expectSync:
		s.loose++ // the server ignores it
		return false
	case s.skip && e.kind == expectSync:
		s.skip = false
		s.queue.push(e)
		return false
	case s.skip:
		return false
	}
	return e.kind != expectCopyEnd || s.queue.len() > 0
}
