package pgwire

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/proxy"
)

// alpn is the name of the protocol in a TLS handshake
// (PG_ALPN_PROTOCOL in src/include/libpq/pqcomm.h).
const alpn = "postgresql"

// entry is a client until its session begins: it agrees on encryption and reads
// the first packet.
type entry struct {
	door *Door
	// conn is the client: as accepted, or TLS over that.
	conn, accepted net.Conn
	// read is what was read of conn and not taken yet.
	read []byte
	// secure says that conn speaks TLS, and certificate is what it was shown.
	secure      bool
	certificate []byte
	// same says that the client runs as rowcap's own user of the operating system.
	same bool
	// deaf says that what is written would not be read as a message: a handshake
	// is under way.
	deaf bool
}

// enter admits a client and returns its first packet, nil if it left before it
// sent one. The error has been told to the client where it is a fault.
func (d *Door) enter(ctx context.Context, client net.Conn) (*entry, *startup, error) {
	e := &entry{door: d, conn: client, accepted: client, same: proxy.SameOSUser(client)}
	client.SetDeadline(time.Now().Add(d.StartupTimeout))
	stop := proxy.OnShutdown(ctx, func() { client.SetReadDeadline(time.Unix(1, 0)) }, func() {})
	first, err := e.admit(ctx)
	stop()
	if ctx.Err() != nil {
		e.tell(shuttingDown())
		return e, nil, nil
	}
	if f := (*fault)(nil); errors.As(err, &f) {
		e.tell(f)
	}
	client.SetDeadline(time.Time{})
	return e, first, err
}

// admit answers the requests for encryption up to the first packet that is none.
func (e *entry) admit(ctx context.Context) (*startup, error) {
	asked := map[uint32]bool{}
	for {
		packet, err := e.packet()
		switch {
		case err == errTLS && len(asked) == 0 && e.offersTLS():
			if err := e.direct(ctx); err != nil {
				return nil, err
			}
			asked[codeSSL], asked[codeGSS] = true, true
			continue
		case err == errTLS:
			return nil, violation("the first packet is a TLS handshake, and this listener does not speak TLS")
		case (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) && len(e.read) == 0:
			// A balancer's health check; haproxy's ends with a reset.
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("wait for the startup packet: %w", err)
		}
		code := binary.BigEndian.Uint32(packet[4:])
		name, ok := encryptions[code]
		if !ok || asked[code] {
			return e.first(packet, code)
		}
		asked[code] = true
		if len(e.read) > 0 {
			// It may have been put there by somebody on the way, to be taken for
			// what the client said under TLS.
			return nil, violation(fmt.Sprintf("data was sent after the %s and before its answer", name))
		}
		answer := byte('N')
		if code == codeSSL && e.offersTLS() {
			answer = 'S'
		}
		if _, err := e.conn.Write([]byte{answer}); err != nil {
			return nil, gone{err}
		}
		if answer == 'S' {
			if err := e.handshake(ctx); err != nil {
				return nil, err
			}
			asked[codeGSS] = true
		}
	}
}

// first looks at the packet that begins a session or cancels a statement.
func (e *entry) first(packet []byte, code uint32) (*startup, error) {
	if code == codeCancel {
		// Clients send it without TLS whatever their session has (PQcancel).
		if len(packet) < cancelMinimum {
			return nil, violation("the CancelRequest is too short")
		}
		return &startup{packet: packet, cancels: true}, nil
	}
	if !e.secure && e.offersTLS() && e.door.ListenTLS.Mode() == proxy.ListenTLSRequire {
		return nil, &fault{severity: severityFatal, code: codeAuthorization,
			message: "this listener takes connections with TLS only",
			hint:    "connect with sslmode=require or higher"}
	}
	return readParameters(packet)
}

// offersTLS says whether this client may have TLS. As with the server, those of a
// unix socket have none.
func (e *entry) offersTLS() bool {
	return e.door.ListenTLS.Mode() != proxy.ListenTLSOff && e.accepted.LocalAddr().Network() != "unix"
}

// direct does the handshake of a client that began with it. As the server does,
// it insists on ALPN, so that no other protocol's client is mistaken for one.
func (e *entry) direct(ctx context.Context) error {
	if err := e.handshake(ctx); err != nil {
		return err
	}
	if c := e.conn.(*tls.Conn); c.ConnectionState().NegotiatedProtocol != alpn {
		return violation("TLS was begun without a request, and ALPN did not name the protocol " + alpn)
	}
	return nil
}

// handshake goes on with TLS. What was read beforehand is its first part.
func (e *entry) handshake(ctx context.Context) error {
	e.deaf = true
	c, certificate, err := e.door.ListenTLS.Handshake(ctx, primed(e.conn, e.read), alpn)
	if err != nil {
		return err
	}
	e.conn, e.read, e.deaf = c, nil, false
	e.secure, e.certificate = true, certificate
	return nil
}

// client returns the connection for the session, from which nothing is missing.
func (e *entry) client() net.Conn { return primed(e.conn, e.read) }

// tell writes rowcap's last word, and lets the client read it.
func (e *entry) tell(f *fault) {
	if e.deaf {
		return
	}
	e.conn.SetWriteDeadline(time.Now().Add(farewellTimeout))
	e.conn.Write(f.appendTo(nil, func(text string) string { return text }))
	linger(e.conn)
}

// linger lets the client read the last word: closing at once, with unread bytes of
// the client's waiting, would destroy it.
func linger(client net.Conn) {
	if c, ok := client.(interface{ CloseWrite() error }); ok {
		c.CloseWrite()
	}
	client.SetReadDeadline(time.Now().Add(lingerTimeout))
	io.Copy(io.Discard, client)
}

// errTLS says that what came is a TLS handshake.
var errTLS = errors.New("a TLS handshake")

// packet takes one packet without a type byte.
func (e *entry) packet() ([]byte, error) {
	for {
		if len(e.read) > 0 && e.read[0] == tlsHandshake && !e.secure {
			return nil, errTLS
		}
		if len(e.read) >= 4 {
			n := binary.BigEndian.Uint32(e.read)
			switch {
			case n < startupMinimum || n > smallLimit:
				return nil, violation(fmt.Sprintf("invalid length of startup packet: %d bytes, where 8 to %d are possible", n, smallLimit))
			case len(e.read) >= int(n):
				packet := e.read[:n:n]
				e.read = e.read[n:]
				return packet, nil
			}
		}
		var b [1024]byte
		n, err := e.conn.Read(b[:])
		e.read = append(e.read, b[:n]...)
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// primed returns conn with read before what is still to come of it.
func primed(conn net.Conn, read []byte) net.Conn {
	if len(read) == 0 {
		return conn
	}
	return &primedConn{Conn: conn, read: read}
}

type primedConn struct {
	net.Conn
	read []byte
}

// Read gives what was read beforehand first.
func (c *primedConn) Read(b []byte) (int, error) {
	if len(c.read) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.read)
	c.read = c.read[n:]
	return n, nil
}

// NetConn returns the connection below.
func (c *primedConn) NetConn() net.Conn { return c.Conn }

// CloseWrite ends what is sent.
func (c *primedConn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}
