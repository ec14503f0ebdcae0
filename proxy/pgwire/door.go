// Package pgwire carries sessions of the PostgreSQL wire protocol between a
// client and an upstream server, unchanged except where a plan or an outcome
// says so.
//
// A session has two pipes. One reads the client's messages, plans the
// statements in them and forwards them (requests.go); the other reads the
// server's answers, counts their rows and forwards those that are within the
// cap (replies.go). Between them stands a queue of what the server still has to
// answer (expect.go). Each pipe is carried by a goroutine of its own, or, over
// sockets without TLS on Linux, by one that serves many (loop.go). Messages are framed by their five-byte headers and
// forwarded as bytes; rows are never decoded.
//
// The protocol: https://www.postgresql.org/docs/current/protocol.html.
package pgwire

import (
	"context"
	"net"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// Door carries PostgreSQL sessions to one upstream. It implements
// proxy.Protocol and is safe for concurrent use. Its fields are not to be changed
// once it serves.
type Door struct {
	// Upstreams are where the server is; a session goes to the first that accepts
	// it. A unix address is the socket file or the folder that holds
	// .s.PGSQL.5432.
	Upstreams proxy.Upstreams
	// Rewriter plans the statements.
	Rewriter *rewrite.Rewriter
	// Observer is told of plans and answers.
	Observer proxy.Observer
	// ConnectTimeout bounds connecting to each upstream, the TLS handshake with
	// it, and each silence of the upstream's during the start-up.
	ConnectTimeout time.Duration
	// StartupTimeout bounds the wait for a client's startup packet, its TLS
	// handshake included, and the wait for the upstream's verdict on what a
	// client has authenticated with.
	StartupTimeout time.Duration
	// KeepAlive is how long the upstream's TCP connection may be silent before it
	// is probed, proxy.DefaultKeepAlive if it is 0. Negative never probes.
	KeepAlive time.Duration
	// ListenTLS and UpstreamTLS are TLS with the clients and with the upstream,
	// nil for none.
	ListenTLS   *proxy.ListenTLS
	UpstreamTLS *proxy.UpstreamTLS

	keys cancelKeys
}

var _ proxy.Protocol = (*Door)(nil)

// New returns a Door with the usual time limits and without TLS. A nil observer is
// told nothing.
func New(upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) *Door {
	if o == nil {
		o = proxy.NoObserver{}
	}
	return &Door{
		Upstreams:      proxy.Upstreams{upstream},
		Rewriter:       r,
		Observer:       o,
		ConnectTimeout: 10 * time.Second,
		StartupTimeout: 60 * time.Second,
	}
}

// Name returns postgres.
func (d *Door) Name() string { return "postgres" }

// Serve carries one session; see proxy.Protocol.
func (d *Door) Serve(ctx context.Context, client net.Conn) error {
	defer client.Close()
	var s *session
	var packet []byte
	var err error
	proxy.Apart(func() { s, packet, err = d.session(ctx, client) })
	if s == nil {
		return err
	}
	defer s.close()
	if packet == nil {
		return s.refuse(err)
	}
	return s.run(packet)
}

// session opens the session that a client asks for, and returns the packet that begins
// it, nil if it cannot begin. There is no session if the client asked for something
// else, which is done by then.
func (d *Door) session(ctx context.Context, client net.Conn) (s *session, packet []byte, err error) {
	e, first, err := d.enter(ctx, client)
	switch {
	case err != nil || first == nil:
		return nil, nil, err
	case first.cancels:
		return nil, nil, d.cancel(ctx, first.packet)
	case first.replicates:
		return nil, nil, d.replicate(ctx, e, first)
	}
	s = newSession(d, e.client())
	if first.defaultLimit > 0 {
		s.rewriter.Store(d.Rewriter.WithDefault(first.defaultLimit))
	}
	s.forget = proxy.OnShutdown(ctx, s.shutdown, s.cutShort)

	server, at, err := d.reach(ctx)
	if ctx.Err() != nil {
		s.shutdown() // it may be on its way only, and is why the dial failed
	}
	if err != nil {
		return s, nil, err
	}
	s.start.link = linkOf(e, first.user, server, at)
	if !s.connect(server) {
		return s, nil, nil
	}
	return s, first.packet, nil
}

// close gives back what the session holds.
func (s *session) close() {
	s.door.keys.remove(s.start.key)
	s.client.Close()
	if s.server != nil {
		s.server.Close()
	}
	s.forget()
	s.down.release()
	s.up.release()
}
