package mysqlwire

import (
	"context"
	"net"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

const (
	// DefaultConnectTimeout is how long an upstream gets to accept a connection,
	// to greet, and for its TLS handshake.
	DefaultConnectTimeout = 10 * time.Second
	// DefaultLoginTimeout is how long the upstream gets for each of its turns in
	// a login. Servers may ask elsewhere for it: a directory, a person's phone.
	DefaultLoginTimeout = 60 * time.Second
)

// Door is the proxy.Protocol of MySQL and MariaDB. Its fields are not to be changed
// once it serves.
type Door struct {
	// Upstreams are where the server is; a session goes to the first that accepts
	// it.
	Upstreams proxy.Upstreams
	// ConnectTimeout is how long each upstream gets to accept a connection, and
	// the one that did to greet, and again for its TLS handshake.
	ConnectTimeout time.Duration
	// LoginTimeout is how long the client gets for its answer to the greeting, its
	// TLS handshake included, and the upstream for each of its turns until the
	// client is logged in. What the client takes for its own turns after the first
	// does not count.
	LoginTimeout time.Duration
	// KeepAlive is how long the upstream's TCP connection may be silent before it
	// is probed, proxy.DefaultKeepAlive if it is 0. Negative never probes.
	KeepAlive time.Duration
	// ListenTLS and UpstreamTLS are TLS with the clients and with the upstream,
	// nil for none.
	ListenTLS   *proxy.ListenTLS
	UpstreamTLS *proxy.UpstreamTLS
	// Announce has connections to the upstream begin with a PROXY protocol header that
	// tells the client's address. MariaDB takes it from the networks in its
	// proxy_protocol_networks.
	Announce bool

	rewriter *rewrite.Rewriter
	observer proxy.Observer
	key      ownKey
}

// New returns a Door to upstream that plans with r and tells o of every plan and
// outcome. r's dialect is mysql or mariadb; each session settles with the
// upstream's greeting which of the two it is.
func New(upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) *Door {
	return &Door{Upstreams: proxy.Upstreams{upstream}, ConnectTimeout: DefaultConnectTimeout, LoginTimeout: DefaultLoginTimeout, rewriter: r, observer: o}
}

// Name returns mysql.
func (d *Door) Name() string { return "mysql" }

// Serve carries one session; see proxy.Protocol. When ctx is done, an idle session
// is told 1053 (Server shutdown in progress) and ends, and a busy one does so
// after the answer it is at. A session that is cut amid an answer is told 1053 too,
// unless a packet was under way.
func (d *Door) Serve(ctx context.Context, client net.Conn) error {
	defer client.Close()
	var s *session
	var err error
	proxy.Apart(func() { s, err = d.open(ctx, client) })
	if s == nil {
		return err
	}
	return s.run()
}

// open begins the session of a client, up to the client's answer to the greeting. There is
// none if that could not be, and then the client has been told why.
func (d *Door) open(ctx context.Context, client net.Conn) (*session, error) {
	up, at, err := d.Upstreams.Dial(ctx, d.ConnectTimeout, d.KeepAlive)
	if err != nil && ctx.Err() != nil {
		refuseGreeting(client, shutdown())
		return nil, nil
	}
	if err != nil {
		err := &upstreamError{addr: d.Upstreams.String(), within: d.ConnectTimeout, cause: err}
		refuseGreeting(client, upstreamFailure(err))
		return nil, err
	}
	if d.Announce {
		// An error shows where the greeting is read.
		_ = proxy.EndsOf(ctx, client).Announce(up)
	}
	s := newSession(d, client, up, at)
	if over, err := s.opens(ctx); over {
		up.Close()
		return nil, err
	}
	return s, nil
}
