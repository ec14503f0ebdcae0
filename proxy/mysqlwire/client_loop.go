package mysqlwire

import (
	"errors"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// clientLoop reads what the client sends until the session ends.
func (s *session) clientLoop() {
	err := s.enter()
	for err == nil {
		var h packet.Header
		if h, err = s.client.in.header(); err != nil {
			break
		}
		switch s.begin(h) {
		case turnOver:
			return
		case turnLogin:
			err = s.passLogin(h)
		case turnInfile:
			err = s.passInfile(h)
		case turnStream:
			err = s.passStream(h)
		default:
			err = s.command(h)
		}
	}
	var lost *lostError
	var bad *packet.MalformedError
	var denied *deniedError
	c, under := s.underCut()
	switch {
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
			s.up.conn.SetReadDeadline(time.Now().Add(farewellTime))
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
	leaving := s.turn == turnLeaving
	answered := s.turn == turnCommand || s.turn == turnLogin || !s.loggedIn
	if answered {
		s.turn = turnLeaving
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
		return s.pass(h, s.relayFields)
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
		last, err := s.client.in.skip(h)
		if err != nil {
			return err
		}
		return s.reply(last, unknownCommand(c).Append(nil))
	}
}

// send sends a command that was taken from the packet with header h, and has relay
// take care of the answer.
func (s *session) send(h packet.Header, payload []byte, relay func() error) error {
	s.expect(h.Seq+1, relay)
	s.up.out.seq = 0
	if err := s.up.out.packet(payload); err != nil {
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
