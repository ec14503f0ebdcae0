package mysqlwire

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// maxLogin is the longest packet taken of a login, on either side.
const maxLogin = 1 << 20

// The servers' own codes for logins that rowcap does not let pass (share/errmsg.txt).
const (
	codeDenied     = 1045 // ER_ACCESS_DENIED_ERROR
	codeTimeout    = 1159 // ER_NET_READ_INTERRUPTED
	codeSecureOnly = 3159 // ER_SECURE_TRANSPORT_REQUIRED
	stateDenied    = "28000"
)

// deniedError says why rowcap itself does not carry a login.
type deniedError struct {
	code        uint16
	state, text string
	cause       error
}

func (e *deniedError) Error() string { return e.text }

func (e *deniedError) Unwrap() error { return e.cause }

func (e *deniedError) packet() *packet.Err {
	return &packet.Err{Code: e.code, State: e.state, Message: e.text}
}

// enter takes the client's answer to the greeting, agrees with both sides on TLS, and
// sends the answer on.
func (s *session) enter() error {
	h, err := s.client.in.header()
	if err != nil {
		return s.silent(err)
	}
	if !s.takeLogin() {
		return errOver
	}
	b, err := s.answerOfClient(h)
	if err != nil {
		return s.silent(err)
	}
	if err := packet.MaskHandshakeResponse(b, s.caps, 0); err != nil {
		return err
	}
	r, err := packet.DecodeHandshakeResponse(b)
	if err != nil {
		return err
	}
	if s.door.ListenTLS.Mode() == proxy.ListenTLSRequire && s.offersTLS() && !s.client.tls {
		return &deniedError{code: codeSecureOnly, state: stateGeneral,
			text: "rowcap takes connections with TLS only here; connect with TLS (--ssl-mode=REQUIRED, or --ssl for MariaDB's clients)"}
	}
	if err := s.checkUser(string(r.User)); err != nil {
		return err
	}
	if err := s.dumps(r.Attribute(programName)); err != nil {
		return err
	}
	s.mu.Lock()
	s.caps &= r.Capabilities
	s.multi = s.caps.Has(packet.MultiStatements)
	if !s.cut.under {
		s.client.conn.SetReadDeadline(time.Time{})
		s.adoptClient()
	}
	s.mu.Unlock()
	if !s.up.ready {
		if err := packet.MaskHandshakeResponse(b, ^packet.Capabilities(0), packet.SSL); err != nil {
			return err
		}
		if err := s.secureUpstream(b); err != nil {
			return err
		}
	}
	if s.caps.Has(packet.PluginAuth) {
		s.login.plugin = string(r.AuthPlugin)
		if s.asksAgain(s.login.plugin) {
			b = r.ReplaceAuth(b, askAgain, nil)
		}
	}
	return s.sendLogin(b)
}

// answerOfClient takes the client's answer to the greeting, which begins with header
// h, after its TLS handshake if it asks for one.
func (s *session) answerOfClient(h packet.Header) ([]byte, error) {
	for {
		s.lastSeq = h.Seq
		b, err := s.client.in.payload(h, maxLogin)
		if err != nil {
			return nil, err
		}
		asks := len(b) == packet.HandshakeFixed && packet.AsksForTLS(b)
		if !asks || !s.offersTLS() || s.client.tls {
			return b, nil
		}
		if err := s.secureClient(); err != nil {
			return nil, err
		}
		if h, err = s.client.in.header(); err != nil {
			return nil, err
		}
	}
}

// silent puts it into words that a client has not answered the greeting in time.
func (s *session) silent(err error) error {
	if !errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, new(*proxy.HandshakeError)) {
		return err
	}
	if _, under := s.underCut(); under {
		return err
	}
	s.lastSeq = max(s.lastSeq, 1)
	return &deniedError{code: codeTimeout, state: stateCommunication, cause: err,
		text: fmt.Sprintf("the client did not answer the greeting within %v; connect again", s.door.LoginTimeout)}
}

// takeLogin waits until the client's packet may be acted on. It reports false if the
// server has ended the session before.
func (s *session) takeLogin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.turn != turnAuth && s.turn != turnOver {
		s.cond.Wait()
	}
	if s.turn == turnOver {
		return false
	}
	s.clientTakes(turnLogin)
	return true
}

// passLogin takes a packet of the client's part of a login, which begins with header
// h.
func (s *session) passLogin(h packet.Header) error {
	s.client.in.LeaveLoop() // keys may have to be made
	if h.Seq == 0 {
		return s.outOfOrder(s.client.out.seq) // it is a command
	}
	b, err := s.client.in.payload(h, maxLogin)
	if err != nil {
		return err
	}
	s.lastSeq = s.client.in.lastSeq
	send, reply, err := s.said(b)
	if err != nil {
		return err
	}
	if reply == nil {
		return s.sendLogin(send)
	}
	s.client.out.seq = s.lastSeq + 1
	if err := s.client.out.packet(reply); err != nil {
		return err
	}
	if err := s.flushClient(); err != nil {
		return err
	}
	s.mu.Lock()
	s.replySeq = s.client.out.seq + 1
	s.mu.Unlock()
	s.hand(turnAuth)
	return nil
}

// sendLogin sends the upstream a packet of the client's part of a login.
func (s *session) sendLogin(b []byte) error {
	s.upstreamsTurn(s.lastSeq)
	s.up.out.seq = s.login.upSeq
	if err := s.up.out.packet(b); err != nil {
		return err
	}
	if err := s.up.out.flush(); err != nil {
		return err
	}
	s.hand(turnAnswer)
	return nil
}

// upstreamsTurn bounds how long the upstream may take for its answer to the
// client's packet with number seq. It is called before that packet is sent on, so that
// a quick answer is not met by the bound.
func (s *session) upstreamsTurn(seq byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replySeq = seq + 1
	s.boundLogin(time.Now().Add(s.door.LoginTimeout))
}

// boundLogin has reading from the upstream fail at by, never if that is zero, as
// long as a login is under way. s.mu is held.
func (s *session) boundLogin(by time.Time) {
	if s.loggingIn && !s.cut.under {
		s.up.in.bound(by)
	}
}

// endLogin ends the login; the server has let the client in, or not.
func (s *session) endLogin(in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boundLogin(time.Time{})
	s.loggingIn = false
	s.loggedIn = s.loggedIn || in
	clear(s.login.password)
	s.login = login{scramble: s.login.scramble}
}

// relayLogin relays what the server says while it authenticates the client, up to
// OK or ERR. The client loop passes the client's part on, in turns with this.
func (s *session) relayLogin() error {
	s.up.in.LeaveLoop() // people may have to be asked
	// While the client speaks, its leg is not this loop's to flush.
	s.up.in.wait = nil
	for {
		h, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		b, err := s.up.in.payload(h, maxLogin)
		if err != nil {
			return err
		}
		s.login.upSeq = s.up.in.lastSeq + 1
		switch {
		case first == packet.OKHeader:
			if err := s.observeOK(b); err != nil {
				return err
			}
			s.endLogin(true)
			return s.client.out.packet(b)
		case first == packet.ErrHeader:
			s.endLogin(false)
			return s.client.out.packet(b)
		case s.login.password != nil && first == packet.AuthMoreHeader:
			err = s.sendUnderKey(b[1:])
		default:
			s.login.hear(b)
			err = s.relayQuestion(b)
		}
		if err != nil {
			return err
		}
		_, _, err = s.up.in.head()
		if !s.serverSpeaks() {
			return errOver
		}
		if err != nil {
			return err
		}
	}
}

// relayQuestion relays a packet to which the client has to say something, unless
// the server goes on by itself.
func (s *session) relayQuestion(b []byte) error {
	if err := s.client.out.packet(b); err != nil {
		return err
	}
	if err := s.flushClient(); err != nil {
		return err
	}
	s.mu.Lock()
	if packet.IsFastAuthOK(b) {
		s.replySeq = s.client.out.seq
		s.boundLogin(time.Now().Add(s.door.LoginTimeout))
	} else {
		s.replySeq = s.client.out.seq + 1
		s.boundLogin(time.Time{})
		if s.turn == turnAnswer {
			s.turn = turnAuth
		}
	}
	s.mu.Unlock()
	s.cond.Broadcast()
	return nil
}

// serverSpeaks takes the turn for what the server says next. It reports false if the
// session has ended.
func (s *session) serverSpeaks() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.turn == turnLogin || s.turn == turnLeaving {
		s.cond.Wait()
	}
	if s.turn != turnOver {
		s.client.out.work = &s.up.in.Work
	}
	switch s.turn {
	case turnAuth:
		s.turn = turnAnswer // it speaks before the client has done so
	case turnAnswer:
		s.client.out.seq = s.replySeq
	}
	return s.turn != turnOver
}

// changeUser passes COM_CHANGE_USER on. The login that follows is as at the session's
// start, and whatever comes of it, nothing known before holds.
func (s *session) changeUser(h packet.Header) error {
	b, err := s.client.in.payload(h, maxLogin)
	if err != nil {
		return err
	}
	u, err := packet.DecodeChangeUser(b, s.caps)
	if err != nil {
		return err
	}
	if err := s.checkUser(string(u.User)); err != nil {
		return err
	}
	s.login = login{plugin: string(u.AuthPlugin), scramble: s.login.scramble}
	if s.asksAgain(s.login.plugin) {
		u.AuthPlugin, u.Auth = []byte(askAgain), nil
		b = u.Append(nil, s.caps)
	}
	s.mu.Lock()
	s.loggingIn = true
	s.mu.Unlock()
	s.upstreamsTurn(h.Seq)
	return s.send(h, b, func() error {
		s.reset()
		return s.relayLogin()
	})
}
