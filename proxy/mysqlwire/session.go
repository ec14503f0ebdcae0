package mysqlwire

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/proxy/socket"
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
		// ready and failed are those of carry.
		ready  func(fd uintptr) bool
		failed error
	}
	up struct {
		leg
		in  reader // upstream loop only
		out writer // client loop only
		// finished is why the session is to end after its last answer; upstream
		// loop only.
		finished error
	}

	// loop waits for both connections once the client logs in, if neither has layers;
	// nil if there is none.
	loop *socket.Loop
	// carrying is whoever relays answers.
	carrying sync.WaitGroup
	// forget has the end of the context concern the session no more.
	forget func()

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
	// dumping reports a session of a program that writes dumps, whose answers must be
	// whole or errors.
	dumping bool
	// lastSeq is the number of the last packet of the command at hand.
	lastSeq byte // client loop only
	// carries is set while what the client sends is read by carry.
	carries bool // client loop only
	// infileSeq is the number of the next packet of a file to the upstream.
	infileSeq byte
}

func newSession(d *Door, client, up net.Conn, at proxy.Address) *session {
	s := &session{door: d, at: at, rewriter: d.rewriter, prepared: newStatements()}
	s.cond.L = &s.mu
	s.client.leg, s.up.leg = legOf(client), legOf(up)
	s.client.in.who, s.client.in.conn, s.client.in.wait = "client", client, s.flushUpstream
	s.client.out = writer{who: "client", conn: client}
	s.up.in.who, s.up.in.conn = "upstream", up
	s.up.out = writer{who: "upstream", conn: up, work: &s.client.in.Work}
	s.client.ready = s.carryReady
	s.plainLeg(&s.client.in, &s.client.out)
	s.plainLeg(&s.up.in, &s.up.out)
	return s
}

// plainLeg has a leg whose connection is a socket read and written as such.
func (s *session) plainLeg(in *reader, out *writer) {
	if plain := socket.Of(in.conn); plain != nil {
		in.socket, out.socket = plain, plain
		in.ready, in.resumes = in.isReady, s.resumes
	}
}

func (s *session) flushUpstream() error { return s.up.out.flush() }
func (s *session) flushClient() error   { return s.client.out.flush() }

// opens carries the session up to the client's answer to the greeting. over reports that
// it has ended.
func (s *session) opens(ctx context.Context) (over bool, err error) {
	if over, err := s.greet(ctx); over {
		return true, err
	}
	s.carrying.Add(1)
	go func() {
		if !s.untilReady() || !s.upstreamLoop() {
			s.carrying.Done()
		}
	}()
	s.forget = proxy.OnShutdown(ctx, s.drain, s.cutOff)
	s.client.failed = s.enter()
	return false, nil
}

// run carries the session to its end, after it was opened.
func (s *session) run() error {
	defer socket.Unwatch(s)
	s.clientLoop()
	s.carrying.Wait()
	s.forget()
	return s.err
}

// end ends the session. The first call's err is what Serve returns, or that of a
// farewell before it.
func (s *session) end(err error) {
	s.mu.Lock()
	if s.turn != turnOver {
		s.turn = turnOver
		if s.err == nil {
			s.err = err
		}
	}
	client, up := s.client.conn, s.up.conn
	// Closing a socket waits for whoever is within a call of its Wait, who may be
	// writing to the other one.
	if s.client.in.socket != nil {
		client.SetWriteDeadline(time.Unix(1, 0))
	}
	if s.up.in.socket != nil {
		up.SetWriteDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	s.cond.Broadcast()
	client.Close()
	up.Close()
}

// farewell sends e as the last packet and ends the session. err is kept first, as a
// client that was told may end its side before.
func (s *session) farewell(e *packet.Err, err error) {
	s.mu.Lock()
	if s.turn != turnOver && s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
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

// begin waits until the client's next packet may be acted on, and returns
// whose turn it is: turnCommand for a command, turnLogin or turnInfile for a packet
// to pass on, as turnStream does, turnOver when the session has ended.
func (s *session) begin() turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.turn == turnIdle:
			return s.clientTakes(turnCommand)
		case s.turn == turnOver, s.turn == turnInfile, s.turn == turnStream:
			return s.turn
		case s.turn == turnAuth:
			return s.clientTakes(turnLogin)
		}
		s.client.in.LeaveLoop()
		s.cond.Wait()
	}
}

// clientTakes gives the client loop the turn, which it returns. mu is held.
func (s *session) clientTakes(t turn) turn {
	s.turn, s.client.out.work = t, &s.client.in.Work
	return t
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

// idle gives the turn back at the end of a command or an answer. The error is
// errLast if the session is to end with it.
func (s *session) idle() error {
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
		return errLast
	}
	s.cond.Broadcast()
	return nil
}

// errLast says that the session is to end now that it is idle.
var errLast = errors.New("the session was at its last answer")

// leaveLast says farewell after errLast.
func (s *session) leaveLast() {
	s.client.out.seq = 0
	s.farewell(shutdown(), nil)
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
	return s.idle()
}
