package proxy

import (
	"context"
	"errors"
	"sync"
)

// Shutdown is the cause (see context.Cause) with which a Server ends the context
// of its sessions.
type Shutdown struct {
	// Over is closed when the time is over that busy sessions got to end.
	Over <-chan struct{}
}

func (*Shutdown) Error() string { return "rowcap is shutting down" }

// OnShutdown has a session follow the shutdown of its server. It calls begin when
// ctx is done: an idle session ends then, a busy one after the answer it is at. It
// calls over when the server's drain time has ended: what is still busy is told and
// ends, within a few seconds. over may be called while begin still runs, and does
// not have to wait for it. A context that is done for another reason than a
// Shutdown sets busy sessions no time, and over is not called.
//
// stop is called once, when the session has ended. After it returns, neither
// function runs or will run.
func OnShutdown(ctx context.Context, begin, over func()) (stop func()) {
	var calls sync.WaitGroup
	stopped := make(chan struct{})
	calls.Add(1)
	forget := context.AfterFunc(ctx, func() {
		defer calls.Done()
		if cause := (*Shutdown)(nil); errors.As(context.Cause(ctx), &cause) {
			calls.Go(func() {
				select {
				case <-cause.Over:
					over()
				case <-stopped:
				}
			})
		}
		begin()
	})
	return func() {
		if forget() {
			calls.Done()
		}
		close(stopped)
		calls.Wait()
	}
}

// closedError is the end of a session whose connection the server had to close.
type closedError struct{ err error }

func (*closedError) Error() string {
	return "rowcap is shutting down: the session did not end in time and its connection was closed"
}

// Unwrap returns what the Protocol made of its closed connection.
func (e *closedError) Unwrap() error { return e.err }
