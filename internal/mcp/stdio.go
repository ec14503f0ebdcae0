package mcp

import (
	"context"
	"errors"
	"io"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the longest message in bytes that a client may send over standard
// input.
const maxLine = 16 << 20

// ServeStreams serves one client over a pair of streams, a message a line, until
// it leaves or ctx ends. Then its calls are cancelled; a read that waits on in may
// be left behind.
func ServeStreams(ctx context.Context, server *sdk.Server, in io.ReadCloser, out io.WriteCloser) error {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	session, err := server.Connect(calls, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxLine}, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-ctx.Done():
	}
	cancel()
	go session.Close()
	select {
	case <-ended:
	case <-time.After(endPatience):
	}
	return nil
}
