package mysqlwire

import (
	"errors"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/proxy/socket"
)

// clientLoop reads what the client sends until the session ends, after its answer to the
// greeting.
func (s *session) clientLoop() {
	s.clientEnds(s.clientReads())
}

// clientReads acts on what the client sends until that ends.
func (s *session) clientReads() error {
	err := s.client.failed
	if s.client.in.looped == nil {
		socket.Watch(s)
	}
	for err == nil {
		switch {
		case s.client.in.looped != nil:
			err = s.carryLooped()
			continue
		case s.carries:
			err = s.carry()
			continue
		}
		var h packet.Header
		if h, err = s.client.in.header(); err == nil {
			err = s.act(h)
			s.carries = s.carriable()
		}
	}
	return err
}

// clientEnds ends the session after the client's side of it ended with err.
func (s *session) clientEnds(err error) {
	var lost *lostError
	var bad *packet.MalformedError
	var denied *deniedError
	c, under := s.underCut()
	switch {
	case err == errLast:
		s.leaveLast()
	case errors.Is(err, errOver):
		s.end(nil)
	case under:
		s.leave(c)
	case errors.As(err, &bad), errors.As(err, &denied):
		s.reject(err)
	case errors.As(err, &lost) && lost.who == "upstream":
		// The upstream loop reads what the server had to say, and tells the
		// client. It would wait for ever only if the connection were half dead.
		s.mu.Lock()
		if !s.cut.under {
			s.up.in.bound(time.Now().Add(farewellTime))
		}
		switch s.turn {
		case turnCommand:
			s.turn, s.relay, s.replySeq = turnAnswer, s.relayOne, 1
		case turnLogin:
			s.turn, s.up.ready = turnAnswer, true
		}
		s.mu.Unlock()
		s.cond.Broadcast()
	default:
		s.end(s.vanished(err))
	}
}

// act acts on the client's packet with header h.
func (s *session) act(h packet.Header) error {
	switch s.begin() {
	case turnOver:
		return errOver
	case turnLogin:
		return s.passLogin(h)
	case turnInfile:
		return s.passInfile(h)
	case turnStream:
		return s.passStream(h)
	}
	return s.command(h)
}

// vanished is nil where err is a client that left between two commands.
func (s *session) vanished(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == turnIdle || s.turn == turnLeaving || !s.loggedIn {
		return orderly(err)
	}
	return err
}

// reject tells the client that what it sent is no packet, or why it is not let in,
// and ends the session.
func (s *session) reject(err error) {
	s.mu.Lock()
	for s.turn == turnAnswer {
		s.cond.Wait()
	}
	leaving := s.turn == turnLeaving || s.turn == turnOver
	answered := s.turn == turnCommand || s.turn == turnLogin || !s.loggedIn
	if answered && !leaving {
		s.clientTakes(turnLeaving)
	}
	s.mu.Unlock()
	if leaving {
		return
	}
	if answered {
		s.client.out.seq = s.lastSeq + 1
		s.farewell(s.sayFailure(err), err)
		return
	}
	s.end(err)
}

// command acts on the command whose first packet has header h.
func (s *session) command(h packet.Header) error {
	s.lastSeq = h.Seq
	switch {
	case h.Seq != 0:
		return s.outOfOrder(0)
	case h.Length == 0:
		return s.unknown(h, packet.ComSleep)
	}
	_, first, err := s.client.in.head()
	if err != nil {
		return err
	}
	switch c := packet.Command(first); c {
	case packet.ComQuit:
		return s.quit(h)
	case packet.ComQuery:
		return s.query(h)
	case packet.ComStmtPrepare:
		return s.prepare(h)
	case packet.ComStmtExecute:
		return s.execute(h)
	case packet.ComStmtBulkExecute:
		return s.bulkExecute(h)
	case packet.ComStmtFetch:
		return s.fetch(h)
	case packet.ComStmtSendLong:
		return s.longData(h)
	case packet.ComStmtClose:
		return s.closeStatement(h)
	case packet.ComStmtReset:
		return s.resetStatement(h)
	case packet.ComInitDB:
		return s.initDB(h)
	case packet.ComSetOption:
		return s.setOption(h)
	case packet.ComFieldList:
		return s.fieldList(h)
	case packet.ComProcessInfo:
		return s.pass(h, s.newAnswer(s.guarded("the answer is that of COM_PROCESS_INFO")).results)
	case packet.ComRegisterReplica:
		return s.replicates(h, c, s.relayOne)
	case packet.ComBinlogDump, packet.ComBinlogDumpGTID:
		return s.replicates(h, c, s.relayBinlog)
	case packet.ComChangeUser:
		return s.changeUser(h)
	case packet.ComResetConnection:
		return s.resetConnection(h)
	case packet.ComPing, packet.ComStatistics, packet.ComProcessKill, packet.ComDebug, packet.ComRefresh,
		packet.ComCreateDB, packet.ComDropDB, packet.ComShutdown:
		return s.pass(h, s.relayOne)
	default:
		return s.unknown(h, c)
	}
}

// send sends a command that was taken from the packet with header h, and has relay
// take care of the answer.
func (s *session) send(h packet.Header, payload []byte, relay func() error) error {
	s.expect(h.Seq+1, relay)
	s.up.out.seq = 0
	if err := s.up.out.taken(&s.client.in, payload); err != nil {
		return err
	}
	return s.up.out.flush()
}

// pass sends the command on as it is, however long, and has relay take care of the
// answer.
func (s *session) pass(h packet.Header, relay func() error) error {
	s.up.out.seq = 0
	if h.Length < packet.MaxPayload {
		s.expect(h.Seq+1, relay)
		if _, err := s.up.out.forward(&s.client.in, h); err != nil {
			return err
		}
		return s.up.out.flush()
	}
	// The answer comes after the last part, or early if the server does not
	// want that much; its number then is of no importance, as the client
	// gives up as well.
	parts := byte(1)
	s.expect(h.Seq+parts, relay)
	for {
		if err := s.up.out.forwardOne(&s.client.in, h); err != nil {
			return err
		}
		if h.Length < packet.MaxPayload {
			return s.up.out.flush()
		}
		var err error
		if h, err = s.client.in.header(); err != nil {
			return err
		}
		s.mu.Lock()
		s.replySeq = h.Seq + 1
		s.mu.Unlock()
	}
}

// quit sends COM_QUIT on and ends the session.
func (s *session) quit(h packet.Header) error {
	s.up.out.seq = 0
	if _, err := s.up.out.forward(&s.client.in, h); err == nil {
		// The server closes the connection whether it got this or not.
		_ = s.up.out.flush()
	}
	return errOver
}
