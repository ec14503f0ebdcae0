package pgwire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rowcap/rowcap/proxy"
)

// link says what a session's connections are.
type link struct {
	// at is the address of the server.
	at proxy.Address
	// secureClient and secureServer say which of them speak TLS.
	secureClient, secureServer bool
	// bound says that the client was shown the server's own certificate, so that
	// what a login is bound to is the same on both sides.
	bound bool
	// borrows says that the client may be let in as rowcap's own user; see
	// entry.borrows.
	borrows bool
}

// reach connects to the first upstream that accepts, and agrees with it on TLS.
// The error is a fault.
func (d *Door) reach(ctx context.Context) (server net.Conn, at proxy.Address, err error) {
	conn, at, err := resolveSockets(d.Upstreams).Dial(ctx, d.ConnectTimeout, d.KeepAlive)
	if err != nil {
		return nil, at, unreachable(d.Upstreams, err)
	}
	server, err = d.secure(ctx, conn, at)
	if err != nil {
		conn.Close()
		return nil, at, err
	}
	return server, at, nil
}

// resolveSockets returns the addresses with the socket file for each folder.
func resolveSockets(upstreams proxy.Upstreams) proxy.Upstreams {
	resolved := make(proxy.Upstreams, len(upstreams))
	for i, at := range upstreams {
		if at.Network == "unix" {
			if info, err := os.Stat(at.Addr); err == nil && info.IsDir() {
				at.Addr = filepath.Join(at.Addr, ".s.PGSQL.5432")
			}
		}
		resolved[i] = at
	}
	return resolved
}

// secure begins TLS with a server if it is to have it. Until that is settled, the
// server is sent nothing of the client's. As with libpq, unix sockets have no TLS.
func (d *Door) secure(ctx context.Context, conn net.Conn, at proxy.Address) (net.Conn, error) {
	if d.UpstreamTLS.Mode() == proxy.UpstreamTLSDisable || at.Network == "unix" {
		return conn, nil
	}
	conn.SetDeadline(time.Now().Add(d.ConnectTimeout))
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	server, err := d.encrypt(ctx, conn, at)
	if !stop() || ctx.Err() != nil {
		return nil, shuttingDown()
	}
	conn.SetDeadline(time.Time{})
	return server, err
}

// encrypt asks for TLS, unless it is to begin at once, and does the handshake.
func (d *Door) encrypt(ctx context.Context, conn net.Conn, at proxy.Address) (net.Conn, error) {
	if !d.UpstreamTLS.Direct() {
		answer, err := askForTLS(conn)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, noTLS(at, err, fmt.Sprintf("accepted the connection but did not answer within %s; check that it is a PostgreSQL server and alive", d.ConnectTimeout),
				"check that a PostgreSQL server listens there and that the route names its address")
		case err != nil:
			return nil, noTLS(at, err, "did not answer the request for TLS: "+plainCause(err), "its log may say more")
		case answer == 'N' && d.UpstreamTLS.Mode() == proxy.UpstreamTLSPrefer:
			return conn, nil
		case answer == 'N':
			return nil, noTLS(at, nil, "does not offer TLS, which rowcap is to insist on",
				"turn on ssl at the server, or start rowcap with --upstream-tls=prefer or disable")
		case answer == 'E':
			// What it says is not known to come from the server, so it is not told.
			return nil, noTLS(at, nil, "answered the request for TLS with an error", "its log says which")
		case answer != 'S':
			return nil, &fault{severity: severityFatal, code: codeProtocol,
				message: fmt.Sprintf("the upstream at %s does not speak the PostgreSQL protocol: it answered the request for TLS with %s", at, kindName(answer)),
				hint:    "check that a PostgreSQL server listens there and that the route names its address"}
		}
	}
	c, err := d.UpstreamTLS.Handshake(ctx, conn, at, alpn)
	if failed := (*proxy.HandshakeError)(nil); errors.As(err, &failed) {
		return nil, &fault{severity: severityFatal, code: codeConnection, cause: err, message: failed.Error(),
			hint: "tell whoever runs rowcap; nothing was sent to the server"}
	}
	if err != nil {
		return nil, err
	}
	if d.UpstreamTLS.Direct() && c.ConnectionState().NegotiatedProtocol != alpn {
		return nil, noTLS(at, nil, "speaks TLS but did not name the protocol "+alpn+" by ALPN",
			"check that it is PostgreSQL 17 or later, or start rowcap without --upstream-tls-direct")
	}
	return c, nil
}

// askForTLS sends an SSLRequest and reads the answer, and not a byte more: what
// was sent in the clear after it must not pass for the server's words under TLS.
func askForTLS(conn net.Conn) (byte, error) {
	request := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 8}, codeSSL)
	if _, err := conn.Write(request); err != nil {
		return 0, err
	}
	var answer [1]byte
	_, err := conn.Read(answer[:])
	return answer[0], err
}

func noTLS(at proxy.Address, cause error, what, hint string) *fault {
	return &fault{severity: severityFatal, code: codeConnection, cause: cause,
		message: fmt.Sprintf("the upstream at %s %s", at, what), hint: hint}
}

// linkOf says what a session's connections are.
func linkOf(e *entry, user string, server net.Conn, at proxy.Address) link {
	l := link{at: at, secureClient: e.secure, borrows: e.borrows(user, at)}
	if c, ok := server.(*tls.Conn); ok {
		l.secureServer = true
		shown := c.ConnectionState().PeerCertificates
		l.bound = e.secure && len(shown) > 0 && string(shown[0].Raw) == string(e.certificate)
	}
	return l
}
