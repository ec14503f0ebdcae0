//go:build linux

package proxy

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// closedPort is an address that refuses connections.
func closedPort(t *testing.T) Address {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return Address{Network: "tcp", Addr: l.Addr().String()}
}

func TestUpstreamsDial(t *testing.T) {
	socket := Address{Network: "unix", Addr: filepath.Join(t.TempDir(), "s")}
	l, err := Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dead, gone := closedPort(t), Address{Network: "unix", Addr: filepath.Join(t.TempDir(), "none")}
	conn, at, err := Upstreams{dead, gone, socket, dead}.Dial(t.Context(), time.Second, 0)
	if err != nil || at != socket {
		t.Fatalf("%s, %v", at, err)
	}
	conn.Close()
	_, _, err = Upstreams{dead, gone}.Dial(t.Context(), time.Second, 0)
	want := dead.Addr + ": connect: connection refused; " + gone.Addr + ": connect: no such file or directory"
	if many := (*UnreachableError)(nil); !errors.As(err, &many) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, at, err = (Upstreams{dead}).Dial(t.Context(), time.Second, 0); at != dead || !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%s, %v", at, err)
	}
	if _, _, err := (Upstreams{}).Dial(t.Context(), time.Second, 0); err == nil {
		t.Error("no error without an upstream")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (Upstreams{dead, socket}).Dial(over, time.Second, 0); err == nil || strings.Contains(err.Error(), socket.Addr) {
		t.Errorf("went on after the end: %v", err)
	}
}

// TestUpstreamsTimeout gives each address its time.
func TestUpstreamsTimeout(t *testing.T) {
	// A listener whose backlog is full leaves connections waiting.
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	full := Address{Network: "tcp", Addr: (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()}
	for range 4 {
		if c, err := full.Dial(t.Context(), 100*time.Millisecond); err == nil {
			defer c.Close()
		}
	}
	alive, err := Listen(anyPort)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	begun := time.Now()
	conn, at, err := Upstreams{full, {Network: "tcp", Addr: alive.Addr().String()}}.Dial(t.Context(), 200*time.Millisecond, 0)
	if err != nil || at.Addr != alive.Addr().String() {
		t.Fatalf("%s, %v", at, err)
	}
	conn.Close()
	if took := time.Since(begun); took < 200*time.Millisecond || took > 3*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestKeepAlive looks at the sockets of both sides.
func TestKeepAlive(t *testing.T) {
	option := func(conn net.Conn, level, name int) (value int) {
		t.Helper()
		raw, err := conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		if err := raw.Control(func(fd uintptr) { value, failed = syscall.GetsockoptInt(int(fd), level, name) }); err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		return value
	}
	for _, c := range []struct {
		idle                 time.Duration
		on, after, each, max int
	}{{0, 1, 30, 7, 4}, {20 * time.Second, 1, 20, 5, 4}, {-1, 0, 0, 0, 0}} {
		l, err := listen(anyPort, c.idle)
		if err != nil {
			t.Fatal(err)
		}
		accepted := make(chan net.Conn, 1)
		go func() {
			conn, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- conn
		}()
		up, _, err := Upstreams{{Network: "tcp", Addr: l.Addr().String()}}.Dial(t.Context(), time.Second, c.idle)
		if err != nil {
			t.Fatal(err)
		}
		down, ok := <-accepted
		if !ok {
			t.Fatal("not accepted")
		}
		for side, conn := range map[string]net.Conn{"upstream": up, "client": down} {
			if on := option(conn, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE); on != c.on {
				t.Errorf("%s, %s: keep-alive is %d", side, c.idle, on)
			}
			if c.on == 0 {
				continue
			}
			after, each, most := option(conn, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE), option(conn, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL), option(conn, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT)
			if after != c.after || each != c.each && each != c.each+1 || most != c.max {
				t.Errorf("%s, %s: after %d s, each %d s, %d times", side, c.idle, after, each, most)
			}
			conn.Close()
		}
		l.Close()
		up.Close()
		down.Close()
	}
}
