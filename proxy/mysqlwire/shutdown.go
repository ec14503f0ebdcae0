package mysqlwire

import (
	"errors"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// errCut is the end of a session that was busy when the time was over.
var errCut = errors.New("rowcap is shutting down: the session was still busy when its time was over, and was cut")

// cut says that a session is to end now, whatever it is at. Only the first one
// counts.
type cut struct {
	under bool
	// by is when the last packet must have been written.
	by time.Time
	// farewell and err are what the client is told and what Serve returns.
	farewell *packet.Err
	err      error
}

// drain ends an idle session, one that is not logged in yet and one that reads the
// binary log, and has a busy one end after its answer.
func (s *session) drain() {
	if s.leaveIdle() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.loggedIn || s.turn == turnStream {
		s.interrupt()
	}
}

// cutOff ends a session whose time is over. It does not wait for what the session
// is at: that fails soon, and whose turn it is says farewell.
func (s *session) cutOff() {
	if s.leaveIdle() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt()
}

// leaveIdle has the session end when it is idle next, which may be now.
func (s *session) leaveIdle() (now bool) {
	s.mu.Lock()
	s.draining = true
	if now = s.turn == turnIdle; now {
		s.turn, s.client.out.work = turnLeaving, nil
	}
	s.mu.Unlock()
	if now {
		s.client.out.seq = 0
		s.farewell(shutdown(), nil)
	}
	return now
}

// interrupt has everything that the session waits for fail: reading at once, and
// writing to the client in time, as a packet that is under way is best brought to
// its end. s.mu is held.
func (s *session) interrupt() {
	if s.cut.under {
		return
	}
	now := time.Now()
	s.cut = cut{under: true, by: now.Add(farewellTime), farewell: shutdown()}
	if s.loggedIn {
		s.cut.farewell, s.cut.err = shutdownAmid(), errCut
	}
	s.up.conn.SetDeadline(now)
	s.client.conn.SetReadDeadline(now)
	s.client.conn.SetWriteDeadline(s.cut.by)
}

// underCut returns what the session was told, if it was to end at once.
func (s *session) underCut() (cut, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cut, s.cut.under
}

// leave says farewell in the client loop, unless the upstream loop has its turn and
// does so.
func (s *session) leave(c cut) {
	s.mu.Lock()
	for s.turn == turnAnswer || s.turn == turnAuth && s.up.ready || s.turn == turnInfile {
		if s.turn == turnInfile {
			// The file is not to come.
			s.turn = turnAnswer
			s.cond.Broadcast()
		}
		s.cond.Wait()
	}
	mine := s.turn == turnCommand || s.turn == turnLogin || s.turn == turnAuth
	if mine {
		s.clientTakes(turnLeaving)
	}
	s.mu.Unlock()
	if mine {
		// Nothing of the command was sent.
		s.client.out.seq = s.lastSeq + 1
		s.farewell(shutdown(), c.err)
	}
}
