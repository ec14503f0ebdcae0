package pgwire_test

import (
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
)

const (
	askTLS = "\x00\x00\x00\x08\x04\xd2\x16\x2f"
	askGSS = "\x00\x00\x00\x08\x04\xd2\x16\x30"
)

// overTLS is a raw client that speaks TLS.
func overTLS(r *raw, c *tls.Conn) *raw {
	return &raw{Conn: c, t: r.t, front: pgproto3.NewFrontend(c, c)}
}

// asks sends a request for encryption and expects the answer.
func (r *raw) asks(request string, want byte) {
	r.t.Helper()
	r.write([]byte(request))
	var answer [1]byte
	if _, err := io.ReadFull(r, answer[:]); err != nil || answer[0] != want {
		r.t.Fatalf("got %q, %v, want %q", answer, err, want)
	}
}

// secure asks for TLS and does the handshake.
func (r *raw) secure() *raw {
	r.t.Helper()
	r.asks(askTLS, 'S')
	c := tls.Client(r.Conn, &tls.Config{InsecureSkipVerify: true})
	if err := c.Handshake(); err != nil {
		r.t.Fatal(err)
	}
	return overTLS(r, c)
}

// TestTLSGarbage has clients break the rules of the way to TLS.
func TestTLSGarbage(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSAllow, dbtest.NewAuthority(t), ""))
	startup := "\x00\x00\x00\x0f\x00\x03\x00\x00user\x00a\x00\x00"
	for name, bytes := range map[string]string{"with the request": askTLS + startup, "with GSSAPI's": askGSS + startup, "one byte": askTLS + "\x00"} {
		t.Run("bytes before TLS/"+name, func(t *testing.T) {
			r := dialRaw(t, door.addr)
			r.write([]byte(bytes))
			r.fails("", "08P01", "data was sent after the ")
			if err := door.end(t); err == nil {
				t.Error("Serve returned no error")
			}
		})
	}
	t.Run("bytes before TLS/in a packet of their own", func(t *testing.T) {
		r := dialRaw(t, door.addr)
		r.asks(askTLS, 'S')
		r.write([]byte(startup))
		all, _ := io.ReadAll(r) // an alert, and nothing of the protocol's
		if len(all) > 7 {
			t.Errorf("got %q", all)
		}
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), "the TLS handshake with the client failed: what the client sent is no TLS") {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("garbage for a handshake", func(t *testing.T) {
		r := dialRaw(t, door.addr)
		r.write([]byte{0x16, 3, 1, 0, 4, 1, 2, 3, 4})
		io.Copy(io.Discard, r)
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), "the TLS handshake with the client failed") {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("gone amid the handshake", func(t *testing.T) {
		r := dialRaw(t, door.addr)
		r.asks(askTLS, 'S')
		r.Close()
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), "the client closed the connection") {
			t.Errorf("Serve returned %v", err)
		}
	})
	for name, request := range map[string]string{"TLS": askTLS, "GSSAPI": askGSS} {
		t.Run("a request under TLS/"+name, func(t *testing.T) {
			r := dialRaw(t, door.addr).secure()
			r.write([]byte(request))
			r.fails("", "0A000", "unsupported frontend protocol 1234.")
			door.end(t)
		})
	}
	t.Run("TLS in TLS", func(t *testing.T) {
		r := dialRaw(t, door.addr).secure()
		r.write([]byte{0x16, 3, 1, 2, 0})
		r.fails("", "08P01", "invalid length of startup packet")
		door.end(t)
	})
	t.Run("all in order", func(t *testing.T) {
		r := dialRaw(t, door.addr)
		r.asks(askGSS, 'N')
		over := r.secure()
		over.startup(version3, "user", server.User, "database", "postgres")
		over.types("Z")
		over.send(&pgproto3.Query{String: "SELECT generate_series(1, 9)"}, &pgproto3.Terminate{})
		if got, _ := over.types("-"); !strings.HasPrefix(got, "TDDDDDNCZ") {
			t.Errorf("got %q", got)
		}
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("a session that begins in one write", func(t *testing.T) {
		r := dialRaw(t, door.addr).secure()
		first := startupPacket(version3, "user", server.User, "database", "postgres")
		query, _ := (&pgproto3.Query{String: "SELECT 1"}).Encode(first)
		r.write(query)
		r.types("Z")
		if got, _ := r.types("Z"); got != "TDCZ" {
			t.Errorf("got %q", got)
		}
	})
}

// TestSlowHandshake gives a client no more time for TLS than for its first packet.
func TestSlowHandshake(t *testing.T) {
	door := open(t, "127.0.0.1:1", capped(5, 0), patience(time.Second, 300*time.Millisecond), listening(t, proxy.ListenTLSAllow, dbtest.NewAuthority(t), ""))
	for name, begin := range map[string]func(*raw){
		"nothing":           func(*raw) {},
		"half a request":    func(r *raw) { r.write([]byte(askTLS[:5])) },
		"no handshake":      func(r *raw) { r.asks(askTLS, 'S') },
		"half a handshake":  func(r *raw) { r.asks(askTLS, 'S'); r.write([]byte{0x16, 3, 1, 2, 0, 1}) },
		"one byte of it":    func(r *raw) { r.write([]byte{0x16}) },
		"nothing under TLS": func(r *raw) { r.secure() },
	} {
		r := dialRaw(t, door.addr)
		begun := time.Now()
		begin(r)
		err := door.end(t)
		if took := time.Since(begun); err == nil || took < 250*time.Millisecond || took > 5*time.Second {
			t.Errorf("%s: took %s, Serve returned %v", name, took, err)
		}
	}
}

// TestShutdownAmidHandshake ends sessions that are on their way to TLS.
func TestShutdownAmidHandshake(t *testing.T) {
	for name, under := range map[string]bool{"handshake": false, "startup": true} {
		door := open(t, "127.0.0.1:1", capped(5, 0), listening(t, proxy.ListenTLSAllow, dbtest.NewAuthority(t), ""))
		r := dialRaw(t, door.addr)
		if under {
			r = r.secure()
			time.Sleep(300 * time.Millisecond) // until both sides are through with it
		} else {
			r.asks(askTLS, 'S')
		}
		door.cancel()
		if under {
			r.fails("", "57P01", "rowcap is shutting down")
		} else if rest, _ := io.ReadAll(r); len(rest) > 7 {
			t.Errorf("got %q in a handshake", rest)
		}
		if err := door.end(t); err != nil {
			t.Errorf("%s: Serve returned %v", name, err)
		}
	}
}

// TestUnixListener offers no TLS by a socket, and asks for none.
func TestUnixListener(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSRequire, dbtest.NewAuthority(t), ""))
	client, carried := socketPair(t)
	done := make(chan error, 1)
	go func() { done <- door.door.Serve(t.Context(), carried) }()
	r := &raw{Conn: client, t: t, front: pgproto3.NewFrontend(client, client)}
	r.asks(askTLS, 'N')
	r.startup(version3, "user", server.User, "database", "postgres")
	if got, _ := r.types("Z"); got != "RZ" {
		t.Errorf("got %q", got)
	}
	r.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// socketPair returns both ends of a connection by a unix socket.
func socketPair(t *testing.T) (client, accepted net.Conn) {
	t.Helper()
	l, err := proxy.Listen(proxy.Address{Network: "unix", Addr: t.TempDir() + "/s"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("unix", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	client.SetDeadline(time.Now().Add(20 * time.Second))
	if accepted, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, accepted
}
