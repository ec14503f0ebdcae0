package mysqlwire

import (
	"context"
	"fmt"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// offered are the capabilities that a session can carry. All others are taken out
// of the server's greeting and of the client's response, so that both do
// without: compression and TLS, which would hide the packets, metadata on
// request, and what is not known yet.
const offered = packet.LongPassword | packet.FoundRows | packet.LongFlag | packet.ConnectWithDB |
	packet.NoSchema | packet.ODBC | packet.LocalFiles | packet.IgnoreSpace | packet.Protocol41 |
	packet.Interactive | packet.IgnoreSigpipe | packet.Transactions | packet.Reserved |
	packet.SecureConnection | packet.MultiStatements | packet.MultiResults | packet.PSMultiResults |
	packet.PluginAuth | packet.ConnectAttrs | packet.PluginAuthLenenc | packet.CanHandleExpiredPasswords |
	packet.SessionTrack | packet.DeprecateEOF | packet.QueryAttributes | packet.MultiFactorAuthentication |
	packet.MariaDBProgress | packet.MariaDBBulkOperations | packet.MariaDBExtendedMetadata |
	packet.MariaDBCacheMetadata | packet.MariaDBBulkUnitResults

// maxControl is the longest packet taken that is no row and no command.
const maxControl = packet.MaxPayload

// maxGreeting is the longest greeting taken, or error in its place.
const maxGreeting = 4 << 10

// greet relays the server's greeting. over reports that the session is at its end
// with it.
func (s *session) greet(ctx context.Context) (over bool, err error) {
	up := s.up.in.conn
	stop := context.AfterFunc(ctx, func() { up.SetReadDeadline(time.Now()) })
	defer stop()
	up.SetReadDeadline(time.Now().Add(s.door.ConnectTimeout))
	b, greeting, refusal, err := s.readGreeting()
	if err != nil && ctx.Err() != nil {
		refuseGreeting(s.client.in.conn, shutdown())
		return true, nil
	}
	if err != nil {
		err := &greetingError{addr: s.door.upstream.String(), within: s.door.ConnectTimeout, cause: err}
		refuseGreeting(s.client.in.conn, err.packet())
		return true, err
	}
	if err := s.client.out.packet(b); err != nil {
		return true, err
	}
	if err := s.flushClient(); err != nil {
		return true, err
	}
	if refusal != nil {
		return true, refusal
	}
	// The greeting has number 0, and the client's answer 1.
	s.replySeq = 2
	if !stop() && ctx.Err() != nil {
		s.client.out.seq = s.replySeq
		s.farewell(shutdown(), nil)
		return true, nil
	}
	up.SetReadDeadline(time.Time{})
	s.caps = greeting.Capabilities & offered
	s.rewriter = s.rewriter.With("server_version", greeting.ServerVersion)
	s.settings.base = s.rewriter
	s.turn = turnAuth
	s.relay = s.relayAuth
	s.loggingIn = true
	return false, nil
}

// readGreeting takes the server's first packet, and masks it if it is a greeting.
// It may be an error instead: the server has no room, or does not want this host.
func (s *session) readGreeting() (b []byte, g packet.Greeting, refusal, err error) {
	h, first, err := s.up.in.head()
	switch {
	case err != nil:
		return nil, g, nil, err
	case first != packet.GreetingProtocol && first != packet.ErrHeader:
		// What follows may never be as long as the header says.
		return nil, g, nil, &packet.MalformedError{Packet: "greeting", Why: "it is not of protocol version 10"}
	case h.Length > maxGreeting:
		return nil, g, nil, &packet.MalformedError{Packet: "greeting", Why: fmt.Sprintf("it has more than %d bytes", maxGreeting)}
	}
	if b, err = s.up.in.payload(h, maxGreeting); err != nil {
		return nil, g, nil, err
	}
	s.client.out.seq = h.Seq
	if first == packet.ErrHeader {
		e, err := packet.DecodeErr(b)
		return b, g, e, err
	}
	if g, err = packet.DecodeGreeting(b); err != nil {
		return nil, g, nil, err
	}
	return b, g, nil, packet.MaskGreeting(b, offered)
}

// login edits the client's answer to the greeting and sends it on.
func (s *session) login() error {
	h, err := s.client.in.header()
	if err != nil {
		return err
	}
	s.lastSeq = h.Seq
	b, err := s.client.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if err := packet.MaskHandshakeResponse(b, s.caps); err != nil {
		return err
	}
	r, err := packet.DecodeHandshakeResponse(b)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.caps &= r.Capabilities
	s.multi = s.caps.Has(packet.MultiStatements)
	s.mu.Unlock()
	s.upstreamsTurn(h)
	s.up.out.seq = h.Seq
	if err := s.up.out.packet(b); err != nil {
		return err
	}
	return s.up.out.flush()
}

// passAuth passes a packet of the client's part of the authentication on.
func (s *session) passAuth(h packet.Header) error {
	s.upstreamsTurn(h)
	s.up.out.seq = h.Seq
	if _, err := s.up.out.forward(&s.client.in, h); err != nil {
		return err
	}
	return s.up.out.flush()
}

// upstreamsTurn bounds how long the upstream may take for its answer to the
// client's packet with header h. It is called before that packet is sent on, so that
// a quick answer is not met by the bound.
func (s *session) upstreamsTurn(h packet.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replySeq = h.Seq + 1
	s.boundLogin(time.Now().Add(s.door.LoginTimeout))
}

// boundLogin has reading from the upstream fail at by, never if that is zero, as
// long as a login is under way. s.mu is held.
func (s *session) boundLogin(by time.Time) {
	if s.loggingIn && !s.cut.under {
		s.up.in.conn.SetReadDeadline(by)
	}
}

// endLogin ends the login; the server has let the client in, or not.
func (s *session) endLogin(in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boundLogin(time.Time{})
	s.loggingIn = false
	s.loggedIn = s.loggedIn || in
}

// relayAuth relays what the server says while it authenticates the client, up to
// OK or ERR. The client loop passes the client's part on meanwhile.
func (s *session) relayAuth() error {
	for {
		h, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		b, err := s.up.in.payload(h, maxControl)
		if err != nil {
			return err
		}
		s.client.out.seq = h.Seq
		switch first {
		case packet.OKHeader:
			if err := s.observeOK(b); err != nil {
				return err
			}
			s.endLogin(true)
			return s.client.out.packet(b)
		case packet.ErrHeader:
			s.endLogin(false)
			return s.client.out.packet(b)
		}
		s.mu.Lock()
		if s.turn == turnAnswer {
			// What the client sends from here on is part of the authentication.
			s.turn = turnAuth
		}
		if last := s.up.in.lastSeq; packet.IsFastAuthOK(b) {
			// The server goes on without the client.
			s.replySeq = last + 1
			s.boundLogin(time.Now().Add(s.door.LoginTimeout))
		} else {
			s.replySeq = last + 2
			s.boundLogin(time.Time{})
		}
		s.mu.Unlock()
		s.cond.Broadcast()
		if err := s.client.out.packet(b); err != nil {
			return err
		}
	}
}
