package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// inLoop returns the near end of a connection in a loop of its own.
func inLoop(t *testing.T, l *Loop) (near *Looped, far net.Conn) {
	t.Helper()
	if !known {
		t.Skip("there are no loops here")
	}
	conn, far := pair(t, "tcp")
	near, ok := l.Adopt(conn).(*Looped)
	if !ok {
		t.Fatal("the socket was not adopted")
	}
	t.Cleanup(func() { near.Close() })
	return near, far
}

// within fails the test if f takes too long.
func within(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: still not so after 10 s", what)
	}
}

// TestLooped has a socket of a loop read and written as a net.Conn.
func TestLooped(t *testing.T) {
	near, far := inLoop(t, &Loop{})
	const size = 20 << 20 // more than there is room for
	sent := bytes.Repeat([]byte("rowcap"), size/6)
	within(t, "carried", func() {
		var both sync.WaitGroup
		both.Go(func() {
			if n, err := near.Write(sent); n != len(sent) || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
		})
		time.Sleep(50 * time.Millisecond)
		got := make([]byte, len(sent))
		if _, err := io.ReadFull(far, got); err != nil || !bytes.Equal(got, sent) {
			t.Errorf("other bytes came, or %v", err)
		}
		both.Wait()
		both.Go(func() { io.ReadFull(near, got[:5]) })
		time.Sleep(20 * time.Millisecond)
		far.Write([]byte("hello"))
		both.Wait()
		if string(got[:5]) != "hello" {
			t.Errorf("read %q", got[:5])
		}
	})
	near.SetReadDeadline(time.Now().Add(time.Hour))
	time.AfterFunc(20*time.Millisecond, func() { near.SetReadDeadline(time.Now().Add(20 * time.Millisecond)) })
	within(t, "a deadline that was set meanwhile", func() {
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("read with %v", err)
		}
	})
	near.SetReadDeadline(time.Time{})
	far.Write([]byte("x"))
	within(t, "no deadline any more", func() {
		if n, err := near.Read(make([]byte, 1)); n != 1 {
			t.Errorf("read with %v", err)
		}
	})
	near.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	within(t, "a deadline of a write", func() {
		if n, err := near.Write(sent); n == 0 || n == len(sent) || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("wrote %d with %v", n, err)
		}
	})
	near.SetWriteDeadline(time.Time{})
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := near.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
			t.Errorf("read with %v", err)
		}
	})
	both.Go(func() {
		if _, err := near.Write(sent); !errors.Is(err, net.ErrClosed) {
			t.Errorf("wrote with %v", err)
		}
	})
	time.Sleep(20 * time.Millisecond)
	near.Close()
	within(t, "closed", both.Wait)
	if err := near.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed twice with %v", err)
	}
}

// begin has f get what comes on c. What is returned is closed at the end, whose cause is
// in err then.
func begin(w *Work, c *Looped, f func([]byte)) (over chan struct{}, err *error) {
	over, err = make(chan struct{}), new(error)
	b := make([]byte, 100)
	w.Begin(c, func(fd uintptr) bool {
		for {
			n, e := c.ReadOnce(fd, b)
			if e == ErrWait {
				return false
			}
			if e != nil {
				*err = e
				return true
			}
			if f(b[:n]); n < len(b) && !c.Hung() {
				return false
			}
		}
	}, func() { close(over) })
	return over, err
}

// TestLoopServesOthers has one Work wait in the middle of what it does, while others of
// the same loop go on, and take up what came for it meanwhile.
func TestLoopServesOthers(t *testing.T) {
	l := &Loop{}
	near, far := inLoop(t, l)
	busy, busyFar := inLoop(t, l)
	waits, goOn := make(chan struct{}), make(chan struct{})
	var first, echo Work
	var got []byte
	once := sync.OnceFunc(func() {
		close(waits)
		first.LeaveLoop()
		<-goOn
	})
	over, ended := begin(&first, busy, func(b []byte) {
		once()
		got = append(got, b...)
	})
	busyFar.Write([]byte("one"))
	within(t, "the first waits", func() { <-waits })

	begin(&echo, near, func(b []byte) {
		if err := echo.Send(near, b); err != nil {
			t.Error(err)
		}
	})
	b := make([]byte, 2)
	within(t, "the other is served", func() {
		for range 100 {
			far.Write([]byte("hi"))
			if _, err := io.ReadFull(far, b); err != nil || string(b) != "hi" {
				t.Errorf("got %q, %v", b, err)
				return
			}
		}
	})
	busyFar.Write([]byte("two"))
	busyFar.Close() // comes with the data
	time.Sleep(20 * time.Millisecond)
	close(goOn)
	within(t, "the first ends", func() { <-over })
	if string(got) != "onetwo" || *ended != io.EOF {
		t.Errorf("read %q, and ended with %v", got, *ended)
	}
}

// TestWorkEndsByDeadline has a deadline pass, and a socket be closed, while a Work waits.
func TestWorkEndsByDeadline(t *testing.T) {
	l := &Loop{}
	for _, end := range []struct {
		what string
		how  func(*Looped)
		want error
	}{
		{"a deadline", func(c *Looped) { c.SetReadDeadline(time.Now().Add(10 * time.Millisecond)) }, os.ErrDeadlineExceeded},
		{"closed", func(c *Looped) { c.Close() }, net.ErrClosed},
	} {
		near, _ := inLoop(t, l)
		over, err := begin(new(Work), near, func([]byte) { t.Error("something came") })
		end.how(near)
		within(t, end.what, func() { <-over })
		var op *net.OpError
		if !errors.Is(*err, end.want) || !errors.As(*err, &op) || op.Op != "read" {
			t.Errorf("%s: ended with %v", end.what, *err)
		}
	}
}

// TestLoopEnds has a loop without sockets leave nothing behind, and begin anew.
func TestLoopEnds(t *testing.T) {
	l := &Loop{}
	before := runtime.NumGoroutine()
	for range 3 {
		var all []*Looped
		for range 20 {
			c, far := inLoop(t, l)
			far.Write([]byte("x"))
			all = append(all, c)
		}
		for _, c := range all {
			if n, err := c.Read(make([]byte, 1)); n != 1 {
				t.Fatal(err)
			}
			c.Close()
		}
		within(t, "the loop ends", func() {
			for running := true; running; time.Sleep(time.Millisecond) {
				l.mu.Lock()
				running = l.running
				l.mu.Unlock()
			}
		})
	}
	within(t, "no goroutine is left", func() {
		for runtime.NumGoroutine() > before+1 { // within's own
			time.Sleep(time.Millisecond)
		}
	})
}
