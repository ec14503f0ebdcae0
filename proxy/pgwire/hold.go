package pgwire

import (
	"io"
	"time"

	"github.com/rowcap/rowcap/proxy/socket"
	"github.com/rowcap/rowcap/rewrite"
)

// Under the overflow policy "error" an answer with rows beyond the cap ends with an
// error, and an error undoes the transaction and makes the server skip what follows
// in the pipeline. So behind an Execute whose answer may end so, the client's further
// messages are held back until the answer is known. If rows are missing, the server is
// sent a text that no server can run: it fails as it would have by itself, and the
// client gets rowcap's error in the place of the server's.

// flushFrame makes the server send what it has to say.
var flushFrame = []byte{'H', 0, 0, 0, 4}

// syncFrame ends a segment.
var syncFrame = []byte{'S', 0, 0, 0, 4}

// watchInterval is how often it is seen to, while messages are held back, that the client
// is still there.
const watchInterval = 200 * time.Millisecond

// drain waits until the server has answered all that it was sent before the message at
// hand. It does not wait for the end of a COPY … FROM STDIN, which is the client's to
// send; drained is false then.
func (s *session) drain() (drained bool, err error) {
	s.up.Lock(&s.mu)
	defer s.mu.Unlock()
	if s.queue.front() == nil && !s.ended {
		return true, nil
	}
	s.up.put(flushFrame)
	watch := time.AfterFunc(watchInterval, s.moved.Broadcast)
	defer watch.Stop()
	for watched := time.Now(); s.queue.front() != nil && !s.copying && !s.ended; {
		s.mu.Unlock()
		err := s.up.flushBefore()
		if err != nil {
			err = upstreamLost{err}
		} else if time.Since(watched) >= watchInterval {
			if socket.Vanished(s.client) {
				err = gone{io.EOF}
			}
			watched = time.Now()
			watch.Reset(watchInterval)
		}
		s.up.Lock(&s.mu)
		if err != nil {
			return false, err
		}
		if s.queue.front() != nil && !s.copying && !s.ended {
			s.up.LeaveLoop()
			s.moved.Wait()
		}
	}
	if s.ended {
		return false, errEnded
	}
	return s.queue.front() == nil, nil
}

// skipping reports that the server drops all up to the next Sync, as a message before the
// one at hand failed. Messages of rowcap's own must not end that with a Sync.
func (s *session) skipping() (bool, error) {
	if !s.unsynced {
		return false, nil
	}
	_, err := s.drain()
	s.up.Lock(&s.mu)
	defer s.mu.Unlock()
	return s.skip, err
}

// certain waits until it is known what an Execute executes, where that makes a
// difference.
func (s *session) certain(name string) error {
	if s.rewriter.Load().Policy().Overflow != rewrite.OverflowError && !s.footing.stores {
		return nil
	}
	if p := s.segment.portals[name]; p != nil && p.from != nil {
		return nil
	}
	_, err := s.drain()
	delete(s.segment.portals, name) // the answers have told
	return err
}

// verdict waits for the answer to an Execute. If it is to end with an error, it has the
// server fail; failed says so.
func (s *session) verdict() (failed bool, err error) {
	if _, err := s.drain(); err != nil {
		return false, err
	}
	s.up.Lock(&s.mu)
	f := s.exceeded
	s.exceeded = nil
	s.mu.Unlock()
	if f == nil {
		return false, nil
	}
	return true, s.failServer(f)
}

// failServer has the server end the transaction with an error, for which the client
// gets f, and skip what follows up to the Sync.
func (s *session) failServer(f *fault) error {
	e := expected{kind: expectParse, parsed: &statement{}, fail: f}
	if err := s.expect(e); err != nil {
		return err
	}
	s.up.cut()
	s.up.put(parseFrame(nil, failingText, undeclared))
	return nil
}
