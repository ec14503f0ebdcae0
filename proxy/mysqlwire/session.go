package mysqlwire

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// turn says who acts on a session's state.
type turn uint8

const (
	// turnIdle: nobody; the client has yet to send a command.
	turnIdle turn = iota
	// turnCommand: the client loop is at a command.
	turnCommand
	// turnAnswer: the upstream loop relays an answer.
	turnAnswer
	// turnAuth: nobody; the client has yet to go on with its login.
	turnAuth
	// turnLogin: the client loop is at a packet of the client's login.
	turnLogin
	// turnInfile: as turnAnswer, while the client loop passes the contents of
	// a file on unseen.
	turnInfile
	// turnStream: as turnAnswer, while the client loop passes on what a replica says.
	turnStream
	// turnLeaving: whoever says farewell to the client.
	turnLeaving
	// turnOver: the session has ended.
	turnOver
)

// session is one client's connection and the upstream's.
type session struct {
	door *Door
	// at is the upstream's address.
	at     proxy.Address
	client struct {
		leg
		in  reader // client loop only
		out writer // whose turn it is
	}
	up struct {
		leg
		in  reader // upstream loop only
		out writer // client loop only
	}

	mu   sync.Mutex
	cond sync.Cond // the turn has changed
	turn turn
	// relay is what the upstream loop is to do with the next answer.
	relay func() error
	// replySeq is the number of the next answer's first packet to the client.
	replySeq byte
	// amid is set while an answer is relayed behind which the client's command goes
	// on: that to a question of rowcap's own, or to one of several statements.
	amid bool
	// loggedIn is set when the server has let the client in.
	loggedIn bool
	// loggingIn is set while the server logs the client in.
	loggingIn bool
	// draining is set when the session is to end as soon as it is idle.
	draining bool
	// cut is set when the session is to end at once.
	cut cut
	// err is what ended the session.
	err error

	// All below belongs to whose turn it is.
	caps  packet.Capabilities
	login login
	// multi reports that a text may have several statements.
	multi    bool
	settings settings
	rewriter *rewrite.Rewriter
	prepared statements
	notes    notes
	// lastSeq is the number of the last packet of the command at hand.
	lastSeq byte // client loop only
	// infileSeq is the number of the next packet of a file to the upstream.
	infileSeq byte
}

func newSession(d *Door, client, up net.Conn, at proxy.Address) *session {
	s := &session{door: d, at: at, rewriter: d.rewriter, prepared: newStatements()}
	s.cond.L = &s.mu
	s.client.leg, s.up.leg = legOf(client), legOf(up)
	s.client.in = reader{who: "client", conn: client, buf: make([]byte, readSize), wait: s.flushUpstream}
	s.client.out = writer{who: "client", conn: client}
	s.up.in = reader{who: "upstream", conn: up, buf: make([]byte, readSize)}
	s.up.out = writer{who: "upstream", conn: up}
	return s
}

func (s *session) flushUpstream() error { return s.up.out.flush() }
func (s *session) flushClient() error   { return s.client.out.flush() }

// run carries the session to its end.
func (s *session) run(ctx context.Context) error {
	if over, err := s.greet(ctx); over {
		return err
	}
	var upstream sync.WaitGroup
	upstream.Go(func() {
		if s.untilReady() {
			s.upstreamLoop()
		}
	})
	stop := proxy.OnShutdown(ctx, s.drain, s.cutOff)
	s.clientLoop()
	upstream.Wait()
	stop()
	return s.err
}

// end ends the session. The first call's err is what Serve returns.
func (s *session) end(err error) {
	s.mu.Lock()
	if s.turn != turnOver {
		s.turn = turnOver
		s.err = err
	}
	client, up := s.client.conn, s.up.conn
	s.mu.Unlock()
	s.cond.Broadcast()
	client.Close()
	up.Close()
}

// farewell sends e as the last packet and ends the session.
func (s *session) farewell(e *packet.Err, err error) {
	if !s.client.out.torn {
		by := time.Now().Add(farewellTime)
		if c, under := s.underCut(); under && c.by.Before(by) {
			by = c.by
		}
		s.client.out.conn.SetWriteDeadline(by)
		if s.client.out.packet(e.Append(nil)) == nil {
			// A client that is gone needs no farewell.
			_ = s.client.out.flush()
		}
	}
	s.end(err)
}

// begin waits until the client's packet with header h may be acted on, and returns
// whose turn it is: turnCommand for a command, turnLogin or turnInfile for a packet
// to pass on, as turnStream does, turnOver when the session has ended.
func (s *session) begin(h packet.Header) turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.turn == turnIdle:
			s.turn = turnCommand
			return turnCommand
		case s.turn == turnOver, s.turn == turnInfile, s.turn == turnStream:
			return s.turn
		case s.turn == turnAuth && h.Seq != 0:
			// Commands begin at number 0, so this one goes on with the login.
			s.turn = turnLogin
			return turnLogin
		}
		s.cond.Wait()
	}
}

// expect has the upstream loop relay the next answer, whose first packet to the
// client has number seq. It is called before the command is sent.
func (s *session) expect(seq byte, relay func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == turnCommand {
		s.turn, s.relay, s.replySeq = turnAnswer, relay, seq
	}
	s.cond.Broadcast()
}

// idle gives the turn back at the end of a command or an answer.
func (s *session) idle() {
	s.mu.Lock()
	last := false
	switch {
	case s.turn == turnLeaving || s.turn == turnOver:
	case s.amid:
		s.turn, s.amid = turnCommand, false
	case s.draining:
		s.turn, last = turnLeaving, true
	default:
		s.turn = turnIdle
	}
	s.relay = nil
	s.mu.Unlock()
	if last {
		s.client.out.seq = 0
		s.farewell(shutdown(), nil)
		return
	}
	s.cond.Broadcast()
}

// hand sets the turn amid an answer.
func (s *session) hand(t turn) {
	s.mu.Lock()
	if s.turn != turnOver {
		s.turn = t
	}
	s.mu.Unlock()
	s.cond.Broadcast()
}

// reply answers the command that ended with header h in rowcap's own words.
func (s *session) reply(h packet.Header, payload []byte) error {
	s.client.out.seq = h.Seq + 1
	if err := s.client.out.packet(payload); err != nil {
		return err
	}
	if err := s.client.out.flush(); err != nil {
		return err
	}
	s.idle()
	return nil
}

// upstreamLoop relays answers until the session ends.
func (s *session) upstreamLoop() {
	for {
		// Between two answers the client's leg is not this loop's to flush.
		s.up.in.wait = nil
		h, err := s.up.in.header()
		t, relay := s.takeAnswer()
		s.up.in.wait = s.flushClient
		switch {
		case t == turnOver:
			return
		case t == turnIdle && err != nil:
			s.end(orderly(err))
			return
		case t == turnIdle:
			// The server speaks unasked: it is about to close (4031, 1927, 1053).
			s.client.out.seq = h.Seq
			_, err = s.client.out.forward(&s.up.in, h)
		case err == nil:
			err = relay()
		}
		if err == nil {
			err = s.flushClient()
		}
		if err != nil {
			s.lose(err)
			return
		}
		s.idle()
	}
}

// takeAnswer says whose turn it was when the upstream spoke or went away. An idle
// session's turn is taken. What comes while a command is still being read is the
// answer to it.
func (s *session) takeAnswer() (turn, func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.turn == turnCommand || s.turn == turnLogin || s.turn == turnLeaving {
		s.cond.Wait()
	}
	t := s.turn
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
