package socket

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// pair is the two ends of a connection.
func pair(t *testing.T, network string) (near, far net.Conn) {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/s"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if far, err = net.Dial(network, l.Addr().String()); err == nil {
		near, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { near.Close(); far.Close() })
	return near, far
}

// each runs f with the two ends of a connection of each kind, the near one as a
// Socket.
func each(t *testing.T, f func(t *testing.T, s *Socket, near, far net.Conn)) {
	if !known {
		t.Skip("sockets are read by the net package here")
	}
	for _, network := range []string{"tcp", "unix"} {
		t.Run(network, func(t *testing.T) {
			near, far := pair(t, network)
			f(t, Of(near), near, far)
		})
	}
}

// next reads what comes next.
func next(s *Socket, b []byte) (n int, err error) {
	waited := s.Wait(func(fd uintptr) bool {
		n, err = s.ReadOnce(fd, b)
		return err != ErrWait
	})
	return n, errors.Join(waited, err)
}

func TestReadAndEnd(t *testing.T) {
	each(t, func(t *testing.T, s *Socket, near, far net.Conn) {
		b := make([]byte, 10)
		go func() {
			time.Sleep(20 * time.Millisecond)
			far.Write([]byte("one"))
		}()
		if n, err := next(s, b); err != nil || string(b[:n]) != "one" {
			t.Errorf("read %q, %v", b[:n], err)
		}
		if s.Pending() {
			t.Error("something is pending where nothing is")
		}
		far.Close()
		for by := time.Now().Add(5 * time.Second); !s.Pending() && time.Now().Before(by); {
			time.Sleep(time.Millisecond)
		}
		if !s.Pending() {
			t.Error("the end is not pending")
		}
		if _, err := next(s, b); !errors.Is(err, io.EOF) {
			t.Errorf("at the end: %v", err)
		}
	})
}

// TestWriteToSlow writes more than the kernel has room for.
func TestWriteToSlow(t *testing.T) {
	each(t, func(t *testing.T, s *Socket, near, far net.Conn) {
		want := bytes.Repeat([]byte("0123456789abcdef"), 1<<20)
		done := make(chan error, 1)
		go func() {
			n, err := s.Write(want)
			if n != len(want) && err == nil {
				err = io.ErrShortWrite
			}
			done <- err
		}()
		time.Sleep(20 * time.Millisecond)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(far, got); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || !bytes.Equal(got, want) {
			t.Errorf("wrote with %v, and the other side has the same: %v", err, bytes.Equal(got, want))
		}
	})
}

func TestDeadlinesAndClose(t *testing.T) {
	each(t, func(t *testing.T, s *Socket, near, far net.Conn) {
		near.SetDeadline(time.Now().Add(20 * time.Millisecond))
		if _, err := next(s, make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("reading gives %v", err)
		}
		if _, err := s.Write(make([]byte, 32<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("writing gives %v", err)
		}
		near.SetDeadline(time.Time{})
		go func() {
			time.Sleep(20 * time.Millisecond)
			near.Close()
		}()
		var op *net.OpError
		if _, err := next(s, make([]byte, 1)); !errors.Is(err, net.ErrClosed) || !errors.As(err, &op) || op.Op != "read" {
			t.Errorf("a closed connection gives %v", err)
		}
		if _, err := s.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
			t.Errorf("writing to it gives %v", err)
		}
	})
}

// TestLayersAreNoSockets has a connection with a layer above it.
func TestLayersAreNoSockets(t *testing.T) {
	near, _ := pair(t, "tcp")
	if Of(struct{ net.Conn }{near}) != nil {
		t.Error("a connection with a layer is taken for a socket")
	}
}

type looked chan struct{}

func (l looked) Look() {
	select {
	case l <- struct{}{}:
	default:
	}
}

func TestWatch(t *testing.T) {
	one, two := make(looked), make(looked)
	for range 2 { // the second time begins anew
		Watch(one)
		Watch(two)
		for _, l := range []looked{one, two, one} {
			select {
			case <-l:
			case <-time.After(5 * time.Second):
				t.Fatal("not looked at")
			}
		}
		Unwatch(one)
		Unwatch(two)
	}
	select {
	case <-one:
		t.Error("looked at after Unwatch")
	case <-time.After(lookEvery + 100*time.Millisecond):
	}
}
