package mysqlwire

import (
	"context"
	"net"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// DefaultConnectTimeout is how long the upstream gets to accept a connection and
// to greet.
const DefaultConnectTimeout = 10 * time.Second

// Door is the proxy.Protocol of MySQL and MariaDB.
type Door struct {
	// ConnectTimeout is how long the upstream gets to accept a connection and
	// to greet. It is not to be changed while sessions run.
	ConnectTimeout time.Duration

	upstream proxy.Address
	rewriter *rewrite.Rewriter
	observer proxy.Observer
}

// New returns a Door to upstream that plans with r and tells o of every plan and
// outcome. r's dialect is mysql or mariadb; each session settles with the
// upstream's greeting which of the two it is.
func New(upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) *Door {
	return &Door{ConnectTimeout: DefaultConnectTimeout, upstream: upstream, rewriter: r, observer: o}
}

// Name returns mysql.
func (d *Door) Name() string { return "mysql" }

// Serve carries one session; see proxy.Protocol. When ctx is done, an idle session
// is told 1053 (Server shutdown in progress) and ends, and a busy one does so
// after the answer it is at.
func (d *Door) Serve(ctx context.Context, client net.Conn) error {
	defer client.Close()
	up, err := d.upstream.Dial(ctx, d.ConnectTimeout)
	if err != nil {
		err = &upstreamError{addr: d.upstream.String(), cause: err}
		refuseGreeting(client, unreachable(err))
		return err
	}
	defer up.Close()
	s := newSession(d, client, up)
	return s.run(ctx)
}
