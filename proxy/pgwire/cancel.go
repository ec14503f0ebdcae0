package pgwire

import (
	"fmt"
	"io"
	"net"
	"time"
)

// forwardCancel sends a CancelRequest as it came and waits until the server has
// closed the connection, which says that it was acted on. The server sends no
// answer.
func forwardCancel(server net.Conn, packet []byte, timeout time.Duration) error {
	server.SetDeadline(time.Now().Add(timeout))
	if _, err := server.Write(packet); err != nil {
		return fmt.Errorf("forward the CancelRequest: %w", err)
	}
	if _, err := io.Copy(io.Discard, server); err != nil {
		return fmt.Errorf("wait for the end of the CancelRequest: %w", err)
	}
	return nil
}
