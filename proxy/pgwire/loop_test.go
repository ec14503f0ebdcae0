package pgwire

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/socket"
)

// TestLoopOutlivesPanic has the work for one socket panic.
func TestLoopOutlivesPanic(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	l := socket.PickLoop()
	looped := func() (near *socket.Looped, p *pipe, over chan struct{}, write func()) {
		conn, far := socketPair(t, "tcp", "127.0.0.1:0")
		near, ok := l.Adopt(conn).(*socket.Looped)
		if !ok {
			t.Skip("there are no loops here")
		}
		t.Cleanup(func() { near.Close() })
		p = newPipe(near, near)
		p.looped = near
		return near, p, make(chan struct{}), func() { far.Write([]byte("x")) }
	}
	wait := func(what string, over chan struct{}) {
		select {
		case <-over:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: still not so after 10 s", what)
		}
	}
	_, p, over, write := looped()
	p.begin(func() error { panic("at work") }, func() { close(over) })
	write()
	wait("the pipe ends", over)
	if e := (*proxy.PanicError)(nil); !errors.As(p.failed, &e) || e.Value != "at work" || len(e.Stack) == 0 {
		t.Errorf("ended with %v", p.failed)
	}
	near, _, came, write := looped()
	go func() {
		defer close(came)
		if n, err := near.Read(make([]byte, 1)); n != 1 {
			t.Errorf("read with %v", err)
		}
	}()
	write()
	wait("the loop goes on", came)
}
