package proxy

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("keep me"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		address Address
		want    string
	}{
		{"port in use", Address{"tcp", taken.Addr().String()}, "the port is in use; stop the program that listens there or choose another port"},
		{"foreign address", Address{"tcp", "203.0.113.7:6432"}, "no interface of this machine has the address 203.0.113.7; use an address of this machine"},
		{"unknown host", Address{"tcp", "no-such-host.invalid:6432"}, "the host name \"no-such-host.invalid\" is not known"},
		{"no socket", Address{"unix", file}, "the file exists and is no socket; move it away or choose another path"},
		{"no folder", Address{"unix", filepath.Join(dir, "none", "s")}, "its folder does not exist; create the folder"},
		{"long path", Address{"unix", filepath.Join(dir, strings.Repeat("s", 200))}, "the path is too long for a unix socket"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := Listen(c.address)
			if err == nil {
				l.Close()
				t.Fatal("no error")
			}
			var e *ListenError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.address.Addr) {
				t.Errorf("err = %v", err)
			}
		})
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != "keep me" {
		t.Errorf("the file in the way now holds %q, %v", kept, err)
	}
}

func TestListenUnix(t *testing.T) {
	a := Address{"unix", filepath.Join(t.TempDir(), "s")}
	first, err := Listen(a)
	if err != nil {
		t.Fatal(err)
	}
	accepted := make(chan struct{})
	go func() {
		defer close(accepted)
		if conn, err := first.Accept(); err == nil {
			conn.Close()
		}
	}()
	if _, err := Listen(a); err == nil || !strings.Contains(err.Error(), "another program answers on the socket") {
		t.Errorf("a live socket: err = %v", err)
	}
	<-accepted
	first.Close()
	if _, err := os.Lstat(a.Addr); !os.IsNotExist(err) {
		t.Errorf("the socket file is still there: %v", err)
	}

	// A program that died leaves its socket file behind.
	dead, err := net.Listen("unix", a.Addr)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	second, err := Listen(a)
	if err != nil {
		t.Fatalf("a stale socket: %v", err)
	}

	// Another program has replaced the file: closing leaves that one alone.
	if err := os.Remove(a.Addr); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", a.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	second.Close()
	if _, err := os.Lstat(a.Addr); err != nil {
		t.Errorf("the other program's socket file is gone: %v", err)
	}
}

func TestServerOnUnixSocket(t *testing.T) {
	r := serve(t, Address{"unix", filepath.Join(t.TempDir(), "s")}, lines{}, 0)
	if got := say(t, dial(t, r.addr), "hello"); got != "hello" {
		t.Errorf("got %q", got)
	}
}

func TestParseRoute(t *testing.T) {
	for _, c := range []struct{ in, listen, upstream, err string }{
		{in: "127.0.0.1:6432=127.0.0.1:5432", listen: "127.0.0.1:6432", upstream: "127.0.0.1:5432"},
		{in: ":6432=/run/postgresql/.s.PGSQL.5432", listen: ":6432", upstream: "/run/postgresql/.s.PGSQL.5432"},
		{in: "/tmp/a/=[::1]:3306", listen: "/tmp/a", upstream: "[::1]:3306"},
		{in: "127.0.0.1:6432", err: "use LISTEN=UPSTREAM"},
		{in: "6432=127.0.0.1:5432", err: "use host:port"},
		{in: "127.0.0.1:6432=127.0.0.1:99999", err: "is not a port"},
		{in: ":6432=a:5432,[::1]:5433,/run/p", listen: ":6432", upstream: "a:5432,[::1]:5433,/run/p"},
		{in: "127.0.0.1:1=127.0.0.1:1", err: "the same address"},
		{in: "127.0.0.1:1=127.0.0.1:2,127.0.0.1:1", err: "the same address"},
		{in: "127.0.0.1:1=127.0.0.1:2,127.0.0.1:2", err: "the upstream 127.0.0.1:2 is named twice"},
		{in: "127.0.0.1:1=127.0.0.1:2,", err: "use host:port"},
	} {
		r, err := ParseRoute(c.in)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: err = %v", c.in, err)
			}
			continue
		}
		if err != nil || r.Listen.String() != c.listen || r.Upstreams.String() != c.upstream {
			t.Errorf("%s: %v, %v", c.in, r, err)
		}
	}
}
