package pgwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/rowcap/rowcap/proxy"
)

// cancelKeys remembers which of several upstreams a session went to, by the
// number and the key that a CancelRequest for it brings, of any length.
type cancelKeys struct {
	mu sync.Mutex
	at map[string]proxy.Address
}

// add remembers a session by the body of its BackendKeyData.
func (k *cancelKeys) add(key []byte, at proxy.Address) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at == nil {
		k.at = map[string]proxy.Address{}
	}
	k.at[string(key)] = at
}

func (k *cancelKeys) remove(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.at, key)
}

// find returns where the session of a CancelRequest is.
func (k *cancelKeys) find(packet []byte) (proxy.Address, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	at, ok := k.at[string(packet[startupMinimum:])]
	return at, ok
}

// keyed handles BackendKeyData. Where there is but one upstream, nothing has to be
// remembered. mu is held.
func (s *session) keyed(m message) {
	if len(s.door.Upstreams) > 1 && len(m.body) > 4 {
		s.start.key = string(m.body)
		s.door.keys.add(m.body, s.start.link.at)
	}
}

// cancel forwards a CancelRequest to the upstream that its session is with. If that
// is not known, as another rowcap may carry the session, each upstream gets it: a
// server takes no notice of keys that it did not give out.
func (d *Door) cancel(ctx context.Context, packet []byte) error {
	at := d.Upstreams
	if one, ok := d.keys.find(packet); ok {
		at = proxy.Upstreams{one}
	}
	var errs []error
	for i := range at {
		errs = append(errs, d.cancelAt(ctx, at[i:i+1], packet))
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// cancelAt sends a CancelRequest as it came and waits until the server has closed
// the connection, which says that it was acted on. The server sends no answer, and
// what it sends all the same is dropped.
func (d *Door) cancelAt(ctx context.Context, upstream proxy.Upstreams, packet []byte) error {
	conn, at, err := resolveSockets(upstream).Dial(ctx, d.ConnectTimeout, d.KeepAlive)
	if err != nil {
		return unreachable(upstream, err)
	}
	defer conn.Close()
	server, err := d.secure(ctx, conn, at)
	if err != nil {
		return err
	}
	server.SetDeadline(time.Now().Add(d.ConnectTimeout))
	defer proxy.OnShutdown(ctx, func() {}, func() { conn.Close() })()
	_, err = server.Write(packet)
	if err == nil {
		_, err = io.Copy(io.Discard, server)
	}
	switch {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF): // TLS that was not ended in order
		return nil
	case errors.Is(err, net.ErrClosed):
		return shuttingDown()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("the upstream at %s did not act on the CancelRequest within %s: %w", at, d.ConnectTimeout, err)
	}
	return fmt.Errorf("the upstream at %s did not take the CancelRequest: %w", at, err)
}
