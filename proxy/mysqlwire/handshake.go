package mysqlwire

import (
	"context"
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

// greet relays the server's greeting. over reports that the session is at its end
// with it.
func (s *session) greet(ctx context.Context) (over bool, err error) {
	up := s.up.in.conn
	stop := context.AfterFunc(ctx, func() { up.SetReadDeadline(time.Now()) })
	defer stop()
	up.SetReadDeadline(time.Now().Add(s.door.ConnectTimeout))
	h, first, err := s.up.in.head()
	var b []byte
	if err == nil {
		b, err = s.up.in.payload(h, maxControl)
	}
	var greeting packet.Greeting
	if err == nil && first != packet.ErrHeader {
		greeting, err = packet.DecodeGreeting(b)
	}
	if err == nil && first != packet.ErrHeader {
		err = packet.MaskGreeting(b, offered)
	}
	if err != nil {
		err = &upstreamError{addr: s.door.upstream.String(), cause: err}
		refuseGreeting(s.client.in.conn, unreachable(err))
		return true, err
	}
	s.client.out.seq = h.Seq
	if err := s.client.out.packet(b); err != nil {
		return true, err
	}
	if err := s.flushClient(); err != nil {
		return true, err
	}
	if first == packet.ErrHeader {
		// The server has no room, or does not want this host.
		e, err := packet.DecodeErr(b)
		if err != nil {
			return true, err
		}
		return true, e
	}
	if !stop() && ctx.Err() != nil {
		return true, nil
	}
	up.SetReadDeadline(time.Time{})
	s.caps = greeting.Capabilities & offered
	s.rewriter = s.rewriter.With("server_version", greeting.ServerVersion)
	s.settings.base = s.rewriter
	s.turn = turnAuth
	s.relay = s.relayAuth
	s.replySeq = 2
	return false, nil
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
	s.replySeq = h.Seq + 1
	s.mu.Unlock()
	s.up.out.seq = h.Seq
	if err := s.up.out.packet(b); err != nil {
		return err
	}
	return s.up.out.flush()
}

// relayAuth relays what the server says while it authenticates the client, up to
// OK or ERR. The client loop passes the client's part on meanwhile.
func (s *session) relayAuth() error {
	for {
		h, first, err := s.up.in.head()
		if err != nil {
			return err
		}
		s.client.out.seq = h.Seq
		switch first {
		case packet.OKHeader:
			b, err := s.up.in.payload(h, maxControl)
			if err != nil {
				return err
			}
			if err := s.observeOK(b); err != nil {
				return err
			}
			s.mu.Lock()
			s.loggedIn = true
			s.mu.Unlock()
			return s.client.out.packet(b)
		case packet.ErrHeader:
			_, err := s.client.out.forward(&s.up.in, h)
			return err
		}
		// What the client sends from here on is part of the authentication.
		s.hand(turnAuth)
		if _, err := s.client.out.forward(&s.up.in, h); err != nil {
			return err
		}
	}
}
