package mysqlwire

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// leg is what is known of one of a session's two connections.
type leg struct {
	// conn is the connection: as it was made, or TLS over that. It belongs to
	// session.mu.
	conn net.Conn
	// tls and unix say whether it speaks TLS and whether it is a unix socket.
	tls, unix bool
	// same says that the process at the other end runs as rowcap's own user of the
	// operating system.
	same bool
	// offersTLS is the upstream's word for it.
	offersTLS bool
	// ready is set when answers may be read from the upstream: where TLS is to be
	// begun, that is not so before.
	ready bool
}

func legOf(conn net.Conn) leg {
	return leg{conn: conn, unix: conn.LocalAddr().Network() == "unix", same: proxy.SameOSUser(conn)}
}

// offersTLS reports whether the client may have TLS. As with the servers, those of a
// unix socket have none.
func (s *session) offersTLS() bool {
	return s.door.ListenTLS.Mode() != proxy.ListenTLSOff && !s.client.unix
}

// wantsUpstreamTLS reports whether TLS is to be begun with the upstream, or to be
// insisted on.
func (s *session) wantsUpstreamTLS() bool {
	switch s.door.UpstreamTLS.Mode() {
	case proxy.UpstreamTLSDisable:
		return false
	case proxy.UpstreamTLSPrefer:
		return s.up.offersTLS && !s.up.unix
	}
	return !s.up.unix
}

// untilReady waits until the upstream's answers may be read. It reports false if the
// session ended before.
func (s *session) untilReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.up.ready && s.turn != turnOver {
		s.cond.Wait()
	}
	return s.up.ready
}

// secureClient does the handshake that the client has asked for. What it sent behind
// its request is the handshake's first part.
func (s *session) secureClient() error {
	in := &s.client.in
	read := append([]byte(nil), in.buf[in.r:in.w]...)
	in.r, in.w = 0, 0
	in.give()
	// What is written meanwhile would not be read as a packet.
	s.client.out.torn = true
	c, _, err := s.door.ListenTLS.Handshake(context.Background(), &primed{Conn: s.client.conn, read: read})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client.out.torn = false
	s.client.conn, s.client.tls = c, true
	s.client.in.layer(&s.client.out, c)
	return nil
}

// primed is a connection of which something was read beforehand.
type primed struct {
	net.Conn
	read []byte
}

// Read gives what was read beforehand first.
func (c *primed) Read(b []byte) (int, error) {
	if len(c.read) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.read)
	c.read = c.read[n:]
	return n, nil
}

// secureUpstream begins TLS with the upstream, to which the client's capabilities,
// packet size and character set have to be told in the clear: they are the
// beginning of response. Nothing else of the client's is sent before.
func (s *session) secureUpstream(response []byte) error {
	if !s.up.offersTLS {
		return noTLS(s.at, nil, "does not offer TLS, which rowcap is to insist on; "+
			"give the server a certificate, or start rowcap with --upstream-tls=prefer or disable")
	}
	if s.up.in.r != s.up.in.w {
		// It may have been put there by somebody on the way.
		return noTLS(s.at, nil, "sent something in the clear behind its greeting, before TLS; check what stands between rowcap and it")
	}
	s.boundUpstream(time.Now().Add(s.door.ConnectTimeout))
	s.up.out.seq = s.login.upSeq
	if err := s.up.out.packet(response[:packet.HandshakeFixed]); err != nil {
		return err
	}
	if err := s.up.out.flush(); err != nil {
		return noTLS(s.at, err, "closed the connection before TLS was begun; its log may say why")
	}
	s.login.upSeq = s.up.out.seq
	c, err := s.door.UpstreamTLS.Handshake(context.Background(), s.up.conn, s.at)
	if failed := (*proxy.HandshakeError)(nil); errors.As(err, &failed) {
		return &deniedError{code: CodeUpstream, state: stateCommunication, cause: err,
			text: failed.Error() + "; tell whoever runs rowcap, nothing of the login was sent to the server"}
	}
	if err != nil {
		return err
	}
	s.boundUpstream(time.Time{})
	s.mu.Lock()
	s.up.conn, s.up.tls, s.up.ready = c, true, true
	s.up.in.layer(&s.up.out, c)
	s.mu.Unlock()
	s.cond.Broadcast()
	return nil
}

// boundUpstream has the upstream's connection fail at by, never if that is zero.
func (s *session) boundUpstream(by time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.cut.under {
		s.up.conn.SetDeadline(by)
	}
}

func noTLS(at proxy.Address, cause error, what string) error {
	return &deniedError{code: CodeUpstream, state: stateCommunication, cause: cause,
		text: "the upstream at " + at.String() + " " + what}
}
