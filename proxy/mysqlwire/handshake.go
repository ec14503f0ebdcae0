package mysqlwire

import (
	"context"
	"fmt"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// offered are the capabilities that a session can carry. All others are taken out
// of the server's greeting and of the client's response, so that both do
// without: compression, which would hide the packets, and what is not known yet.
// TLS is agreed on with each side by itself (secure.go).
const offered = packet.LongPassword | packet.FoundRows | packet.LongFlag | packet.ConnectWithDB |
	packet.NoSchema | packet.ODBC | packet.LocalFiles | packet.IgnoreSpace | packet.Protocol41 |
	packet.Interactive | packet.IgnoreSigpipe | packet.Transactions | packet.Reserved |
	packet.SecureConnection | packet.MultiStatements | packet.MultiResults | packet.PSMultiResults |
	packet.PluginAuth | packet.ConnectAttrs | packet.PluginAuthLenenc | packet.CanHandleExpiredPasswords |
	packet.SessionTrack | packet.DeprecateEOF | packet.OptionalResultsetMetadata | packet.QueryAttributes | packet.MultiFactorAuthentication |
	packet.MariaDBProgress | packet.MariaDBBulkOperations | packet.MariaDBExtendedMetadata |
	packet.MariaDBCacheMetadata | packet.MariaDBBulkUnitResults

// maxControl is the longest packet taken that is no row and no command.
const maxControl = packet.MaxPayload

// maxGreeting is the longest greeting taken, or error in its place.
const maxGreeting = 4 << 10

// greet relays the server's greeting. over reports that the session is at its end
// with it.
func (s *session) greet(ctx context.Context) (over bool, err error) {
	up := s.up.conn
	stop := context.AfterFunc(ctx, func() { up.SetReadDeadline(time.Now()) })
	defer stop()
	up.SetReadDeadline(time.Now().Add(s.door.ConnectTimeout))
	b, greeting, refusal, err := s.readGreeting()
	if err != nil && ctx.Err() != nil {
		refuseGreeting(s.client.conn, shutdown())
		return true, nil
	}
	if err != nil {
		err := &greetingError{addr: s.at.String(), within: s.door.ConnectTimeout, cause: err}
		refuseGreeting(s.client.conn, upstreamFailure(err))
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
	// The client's answer comes next, and ours after it.
	s.replySeq = s.client.out.seq + 1
	if !stop() && ctx.Err() != nil {
		s.client.out.seq = s.replySeq
		s.farewell(shutdown(), nil)
		return true, nil
	}
	up.SetReadDeadline(time.Time{})
	s.client.conn.SetReadDeadline(time.Now().Add(s.door.LoginTimeout))
	s.up.offersTLS = greeting.Capabilities.Has(packet.SSL)
	s.up.ready = !s.wantsUpstreamTLS()
	s.login = login{plugin: greeting.AuthPlugin, scramble: scrambleOf(greeting.AuthData), upSeq: 1}
	s.caps = greeting.Capabilities & offered
	s.rewriter = s.rewriter.With("server_version", greeting.ServerVersion)
	s.settings.begin(s.rewriter, greeting.ServerVersion)
	s.turn = turnAuth
	s.relay = s.relayLogin
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
	var add packet.Capabilities
	if s.offersTLS() {
		add = packet.SSL
	}
	return b, g, nil, packet.MaskGreeting(b, offered, add)
}
