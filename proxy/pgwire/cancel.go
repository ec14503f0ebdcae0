package pgwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/rowcap/rowcap/proxy"
)

// forwardCancel sends a CancelRequest as it came and waits until the server has
// closed the connection, which says that it was acted on. The server sends no
// answer, and what it sends all the same is dropped.
func (d *Door) forwardCancel(ctx context.Context, server net.Conn, packet []byte) error {
	server.SetDeadline(time.Now().Add(d.ConnectTimeout))
	defer proxy.OnShutdown(ctx, func() {}, func() { server.Close() })()
	_, err := server.Write(packet)
	if err == nil {
		_, err = io.Copy(io.Discard, server)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return shuttingDown()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the upstream at %s did not act on the CancelRequest within %s: %w", d.Upstream, d.ConnectTimeout, err)
	}
	return fmt.Errorf("the upstream at %s did not take the CancelRequest: %w", d.Upstream, err)
}
