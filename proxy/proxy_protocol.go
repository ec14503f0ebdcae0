package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"

	"github.com/pires/go-proxyproto"
)

// Balancers are the networks of balancers that begin every connection with a header of
// the PROXY protocol, which says who their client is (haproxy's proxy-protocol.txt,
// versions 1 and 2). Connections from elsewhere have none, and may not invent one.
type Balancers []netip.Prefix

// ParseBalancers reads networks and single addresses, such as 10.0.0.0/8 and ::1.
func ParseBalancers(networks []string) (Balancers, error) {
	var b Balancers
	for _, text := range networks {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			var addr netip.Addr
			if addr, err = netip.ParseAddr(text); err == nil {
				network = netip.PrefixFrom(addr, addr.BitLen())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no network: use an address such as 10.0.0.7, or a network such as 10.0.0.0/8", text)
		}
		b = append(b, network)
	}
	return b, nil
}

func (b Balancers) have(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return false
	}
	addr := tcp.AddrPort().Addr().Unmap()
	return slices.ContainsFunc(b, func(n netip.Prefix) bool { return n.Contains(addr) })
}

// The first bytes of version 2 (section 2.2), and the longest line of version 1 (section
// 2.1) with its end.
const (
	signature = "\r\n\r\n\x00\r\nQUIT\n"
	lineStart = "PROXY "
	maxLine   = 107
)

// headerPatience is how long a balancer gets for its header.
const headerPatience = 5 * time.Second

// errNoHeader says that a connection ended without a byte, as those do by which a
// balancer sees whether a port is open.
var errNoHeader = errors.New("the balancer sent nothing")

// announced reads the header at the beginning of conn and not a byte more, until ctx is
// done. A balancer that speaks for itself has no ends to tell.
func announced(ctx context.Context, conn net.Conn) (Ends, error) {
	conn.SetReadDeadline(time.Now().Add(headerPatience))
	defer context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })()
	raw, err := readHeader(conn)
	if err == nil {
		err = conn.SetReadDeadline(time.Time{})
	}
	if err != nil {
		return Ends{}, err
	}
	header, err := proxyproto.Read(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return Ends{}, err
	}
	if header.Command.IsLocal() || header.TransportProtocol.IsUnspec() {
		return Ends{}, nil
	}
	return Ends{Client: header.SourceAddr, Called: header.DestinationAddr}, nil
}

func readHeader(conn io.Reader) ([]byte, error) {
	b := make([]byte, len(lineStart), maxLine)
	n, err := io.ReadFull(conn, b)
	if n == 0 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
		return nil, errNoHeader
	}
	if err != nil {
		return nil, err
	}
	more := func(n int) error {
		at := len(b)
		b = append(b, make([]byte, n)...)
		_, err := io.ReadFull(conn, b[at:])
		return err
	}
	if string(b) == lineStart {
		for b[len(b)-1] != '\n' && len(b) < maxLine && err == nil {
			err = more(1)
		}
		return b, err
	}
	if string(b) != signature[:len(b)] {
		return nil, proxyproto.ErrNoProxyProtocol
	}
	// The signature is followed by two bytes, and by the length of the rest.
	if err := more(len(signature) + 4 - len(b)); err != nil {
		return nil, err
	}
	if string(b[:len(signature)]) != signature {
		return nil, proxyproto.ErrNoProxyProtocol
	}
	return b, more(int(b[len(b)-2])<<8 | int(b[len(b)-1]))
}

// explainHeader puts into words why a balancer's header cannot be used.
func explainHeader(err error) error {
	cause := "sent one that cannot be read: " + Reason(err)
	switch timeout := net.Error(nil); {
	case errors.As(err, &timeout) && timeout.Timeout():
		cause = fmt.Sprintf("sent none within %s", headerPatience)
	case errors.Is(err, proxyproto.ErrNoProxyProtocol):
		cause = "began with something else"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		cause = "closed the connection amid it"
	}
	return fmt.Errorf("a connection of a balancer must begin with a PROXY protocol header, but it %s; turn it on there (haproxy: send-proxy-v2), or take its address out of --proxy-protocol", cause)
}

// Ends are the two ends of a client's connection: its own address, and the one that it
// called. They are nil if they are not known.
type Ends struct{ Client, Called net.Addr }

type endsKey struct{}

// EndsOf returns the ends of a session's connection as the balancer before it has told
// them, and those of the connection itself where there is none. ctx is that of
// Protocol.Serve.
func EndsOf(ctx context.Context, client net.Conn) Ends {
	if e, ok := ctx.Value(endsKey{}).(Ends); ok {
		return e
	}
	return Ends{Client: client.RemoteAddr(), Called: client.LocalAddr()}
}

// Announce writes a header of version 2 with e to conn, which is to be its first bytes. A
// client that has no address, as on a unix socket, has one that says no more than that.
func (e Ends) Announce(conn net.Conn) error {
	_, err := proxyproto.HeaderProxyFromAddrs(2, e.Client, e.Called).WriteTo(conn)
	return err
}
