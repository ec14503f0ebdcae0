// Package pgwire carries sessions of the PostgreSQL wire protocol between a
// client and an upstream server, unchanged except where a plan or an outcome
// says so.
//
// A session has two goroutines. One reads the client's messages, plans the
// statements in them and forwards them (requests.go); the other reads the
// server's answers, counts their rows and forwards those that are within the
// cap (replies.go). Between them stands a queue of what the server still has to
// answer (expect.go). Messages are framed by their five-byte headers and
// forwarded as bytes; rows are never decoded.
//
// The protocol: https://www.postgresql.org/docs/current/protocol.html.
package pgwire

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// Door carries PostgreSQL sessions to one upstream. It implements
// proxy.Protocol and is safe for concurrent use.
type Door struct {
	// Upstream is where the server is. A unix address is the socket file or
	// the folder that holds .s.PGSQL.5432.
	Upstream proxy.Address
	// Rewriter plans the statements.
	Rewriter *rewrite.Rewriter
	// Observer is told of plans and answers.
	Observer proxy.Observer
	// ConnectTimeout bounds connecting to the upstream, and each silence of the
	// upstream's during the start-up.
	ConnectTimeout time.Duration
	// StartupTimeout bounds the wait for a client's startup packet, and the
	// wait for the upstream's verdict on what a client has authenticated with.
	StartupTimeout time.Duration
}

var _ proxy.Protocol = (*Door)(nil)

// New returns a Door with the usual time limits. A nil observer is told nothing.
func New(upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) *Door {
	if o == nil {
		o = proxy.NoObserver{}
	}
	return &Door{
		Upstream:       upstream,
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
	s := newSession(d, client)
	defer s.up.release()
	defer s.down.release()
	defer proxy.OnShutdown(ctx, s.shutdown, s.cutShort)()

	packet, cancels, err := s.admit()
	if err != nil || packet == nil {
		return s.refuse(err)
	}
	server, err := d.dial(ctx)
	if ctx.Err() != nil {
		s.shutdown() // it may be on its way only, and is why the dial failed
	}
	if err != nil {
		return s.refuse(unreachable(d.Upstream, err))
	}
	defer server.Close()
	if cancels {
		return d.forwardCancel(ctx, server, packet)
	}
	if !s.connect(server) {
		return s.refuse(nil)
	}
	return s.run(packet)
}

// dial connects to the upstream.
func (d *Door) dial(ctx context.Context) (net.Conn, error) {
	at := d.Upstream
	if at.Network == "unix" {
		if info, err := os.Stat(at.Addr); err == nil && info.IsDir() {
			at.Addr = filepath.Join(at.Addr, ".s.PGSQL.5432")
		}
	}
	return at.Dial(ctx, d.ConnectTimeout)
}
