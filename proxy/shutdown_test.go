package proxy

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// calls records the calls of a session's functions.
type calls struct {
	mu   sync.Mutex
	made []string
}

func (c *calls) call(name string) func() {
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.made = append(c.made, name)
	}
}

func (c *calls) want(t *testing.T, names ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.made, names) {
		t.Errorf("called %q, want %q", c.made, names)
	}
}

func TestOnShutdown(t *testing.T) {
	run := func(name string, f func(t *testing.T, c *calls, end context.CancelCauseFunc, over chan struct{}, stop func())) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				var c calls
				f(t, &c, end, make(chan struct{}), OnShutdown(ctx, c.call("begin"), c.call("over")))
			})
		})
	}
	run("to its end", func(t *testing.T, c *calls, end context.CancelCauseFunc, over chan struct{}, stop func()) {
		c.want(t)
		end(&Shutdown{Over: over})
		c.want(t, "begin")
		close(over)
		c.want(t, "begin", "over")
		stop()
		c.want(t, "begin", "over")
	})
	run("ended before", func(t *testing.T, c *calls, end context.CancelCauseFunc, over chan struct{}, stop func()) {
		stop()
		end(&Shutdown{Over: over})
		close(over)
		c.want(t)
	})
	run("ended in time", func(t *testing.T, c *calls, end context.CancelCauseFunc, over chan struct{}, stop func()) {
		end(&Shutdown{Over: over})
		c.want(t, "begin")
		stop()
		close(over)
		c.want(t, "begin")
	})
	run("another cause", func(t *testing.T, c *calls, end context.CancelCauseFunc, over chan struct{}, stop func()) {
		end(nil)
		c.want(t, "begin")
		stop()
	})
}

// TestOnShutdownWhileBeginBlocks has over free what begin waits for, and stop wait
// for both.
func TestOnShutdownWhileBeginBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancelCause(t.Context())
		over, free := make(chan struct{}), make(chan struct{})
		var c calls
		stop := OnShutdown(ctx, func() { <-free; c.call("begin")() }, func() { close(free) })
		end(&Shutdown{Over: over})
		c.want(t)
		close(over)
		synctest.Wait()
		stop()
		c.want(t, "begin")
	})
}
