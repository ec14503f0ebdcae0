package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// DefaultKeepAlive is how long a TCP connection may be silent before it is
// probed.
const DefaultKeepAlive = 30 * time.Second

// keepAliveProbes is how many probes may go unanswered. They come four times as
// often as the first, so a peer that is gone is noticed after twice the time.
const keepAliveProbes = 4

// keepAlive returns the settings for connections that are probed after idle
// silence: DefaultKeepAlive if it is 0, never if it is negative.
func keepAlive(idle time.Duration) net.KeepAliveConfig {
	if idle == 0 {
		idle = DefaultKeepAlive
	}
	return net.KeepAliveConfig{Enable: idle > 0, Idle: max(idle, time.Second), Interval: max(idle/keepAliveProbes, time.Second), Count: keepAliveProbes}
}

// Dial connects within timeout, with the usual keep-alive.
func (a Address) Dial(ctx context.Context, timeout time.Duration) (net.Conn, error) {
	return a.dial(ctx, timeout, 0)
}

// dial is Dial with a keep-alive time as keepAlive takes it.
func (a Address) dial(ctx context.Context, timeout, idle time.Duration) (net.Conn, error) {
	probe := keepAlive(idle)
	d := net.Dialer{Timeout: timeout, KeepAliveConfig: probe}
	if !probe.Enable {
		d.KeepAlive = -1
	}
	return d.DialContext(ctx, a.Network, a.Addr)
}

// Upstreams are the addresses of one upstream, in the order in which they are
// tried.
type Upstreams []Address

// String returns the addresses with commas between them.
func (u Upstreams) String() string {
	names := make([]string, len(u))
	for i, a := range u {
		names[i] = a.String()
	}
	return strings.Join(names, ",")
}

// Dial connects to the first address that accepts within timeout, which each of
// them gets, and returns which it was. Connections that are silent for idle are
// probed: 0 stands for DefaultKeepAlive, and negative for never. If none accepts,
// the error is that of the only address, or an *UnreachableError.
func (u Upstreams) Dial(ctx context.Context, timeout, idle time.Duration) (net.Conn, Address, error) {
	if len(u) == 0 {
		return nil, Address{}, errors.New("there is no upstream")
	}
	var failed UnreachableError
	for _, a := range u {
		conn, err := a.dial(ctx, timeout, idle)
		if err == nil {
			return conn, a, nil
		}
		failed.Upstreams = append(failed.Upstreams, a)
		failed.Errs = append(failed.Errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	if len(u) == 1 {
		return nil, u[0], failed.Errs[0]
	}
	return nil, Address{}, &failed
}

// UnreachableError says that none of several addresses accepts connections, and
// for each of them why.
type UnreachableError struct {
	Upstreams Upstreams
	Errs      []error
}

func (e *UnreachableError) Error() string {
	each := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		each[i] = fmt.Sprintf("%s: %s", e.Upstreams[i], Reason(err))
	}
	return strings.Join(each, "; ")
}

// Reason returns a dial's or a connection's error without the addresses that the
// net package puts before it.
func Reason(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}
