package pgwire_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
)

// TestUpstreamCertificates reaches servers whose certificate is not in order: a
// second door stands for them.
func TestUpstreamCertificates(t *testing.T) {
	server := dbtest.Postgres(t)
	ours, theirs := dbtest.NewAuthority(t), dbtest.NewAuthority(t)
	for name, c := range map[string]struct {
		signer   *dbtest.Authority
		valid    time.Duration
		host     string
		ca, full string
	}{
		"good":              {ours, validity, "127.0.0.1", "", ""},
		"another host":      {ours, validity, "db.example", "", "its certificate is not for 127.0.0.1"},
		"expired":           {ours, time.Hour, "127.0.0.1", "its certificate is not valid now", "its certificate is not valid now"},
		"another authority": {theirs, validity, "127.0.0.1", "no authority that verify-ca trusts has signed its certificate", "no authority that verify-full trusts has signed its certificate"},
	} {
		cert, key := c.signer.Issue(c.valid, c.host)
		inner := open(t, server.Addr(), capped(5, 0), listeningWith(t, proxy.ListenTLSRequire, proxy.ListenTLSFiles{Certificate: cert, Key: key}))
		for mode, want := range map[proxy.UpstreamTLSMode]string{"prefer": "", "require": "", "verify-ca": c.ca, "verify-full": c.full} {
			files := proxy.UpstreamTLSFiles{}
			if strings.HasPrefix(string(mode), "verify") {
				files.CA = ours.CA
			}
			door := open(t, inner.addr, capped(5, 0), reaching(t, mode, false, files))
			r := dialRaw(t, door.addr)
			r.startup(version3, "user", server.User, "database", "postgres")
			if want == "" {
				if got, e := r.types("Z"); got != "RZ" {
					t.Errorf("%s, %s: got %q, %+v", name, mode, got, e)
				}
				r.Close()
				continue
			}
			r.fails("", "08006", "the TLS handshake with the upstream at "+inner.addr+" failed: "+want)
			if err := door.end(t); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: Serve returned %v", name, mode, err)
			}
		}
	}
}

// heard is a server that answers a request for TLS and keeps what it is sent.
type heard struct {
	mu   sync.Mutex
	said []string
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.said...)
}

// answering returns the address of a server that answers the first packet with
// answer, reads what comes then, and says so in h.
func answering(t *testing.T, h *heard, answer string) string {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		b := make([]byte, 1000)
		n, _ := conn.Read(b)
		conn.Write([]byte(answer))
		conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		more, _ := conn.Read(b[n:])
		h.mu.Lock()
		h.said = append(h.said, string(b[:n]), string(b[n:n+more]))
		h.mu.Unlock()
		conn.Close()
	})
}

// TestUpstreamAnswersTLS has servers answer the request in each way. None of them
// is sent the client's startup packet in the clear, unless that is what prefer
// stands for and the server says that it has no TLS.
func TestUpstreamAnswersTLS(t *testing.T) {
	const serverError = "E\x00\x00\x00\x22SFATAL\x00C53300\x00Mtoo many\x00\x00"
	plain := "\x00\x03\x00\x00user\x00a\x00"
	for _, c := range []struct {
		name          string
		mode          proxy.UpstreamTLSMode
		answer        string
		code, message string
		plain         bool
	}{
		{"no TLS, required", "require", "N", "08006", " does not offer TLS, which rowcap is to insist on", false},
		{"no TLS, preferred", "prefer", "N", "08006", " closed the connection during the start-up", true},
		{"an error", "prefer", serverError, "08006", " answered the request for TLS with an error", false},
		{"an error, required", "require", serverError, "08006", " answered the request for TLS with an error", false},
		{"another protocol", "prefer", "220 mail", "08P01", " does not speak the PostgreSQL protocol: it answered the request for TLS with '2'", false},
		{"a handshake that fails", "prefer", "Snonsense", "08006", " failed: what it sent is no TLS", false},
		{"words before TLS", "require", "S" + letIn + "Z\x00\x00\x00\x05I", "08006", " failed: what it sent is no TLS", false},
		{"gone", "prefer", "S", "08006", " failed: it closed the connection", false},
		{"silence", "require", "", "08006", " did not answer the request for TLS", false},
	} {
		var h heard
		at := answering(t, &h, c.answer)
		door := open(t, at, capped(5, 0), reaching(t, c.mode, false, proxy.UpstreamTLSFiles{}))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.fails("", c.code, c.message)
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: Serve returned %v", c.name, err)
		}
		// The server may still be at its last read.
		for until := time.Now().Add(10 * time.Second); len(h.all()) == 0 && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond)
		}
		said := strings.Join(h.all(), "|")
		if !strings.HasPrefix(said, askTLS) || strings.Contains(said, plain) != c.plain {
			t.Errorf("%s: the server was sent %q", c.name, said)
		}
	}
	t.Run("no answer at all", func(t *testing.T) {
		at := listen(t, func(net.Conn) {})
		door := open(t, at, capped(5, 0), patience(300*time.Millisecond, time.Minute), reaching(t, "prefer", false, proxy.UpstreamTLSFiles{}))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.fails("", "08006", "accepted the connection but did not answer within 300ms")
	})
	t.Run("no handshake", func(t *testing.T) {
		at := listen(t, func(c net.Conn) { c.Write([]byte("S")) })
		door := open(t, at, capped(5, 0), patience(300*time.Millisecond, time.Minute), reaching(t, "require", false, proxy.UpstreamTLSFiles{}))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.fails("", "08006", "failed: it did not go on with it in time")
	})
	t.Run("shutdown meanwhile", func(t *testing.T) {
		at := listen(t, func(c net.Conn) { c.Write([]byte("S")) })
		door := open(t, at, capped(5, 0), reaching(t, "require", false, proxy.UpstreamTLSFiles{}))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		time.Sleep(200 * time.Millisecond)
		door.cancel()
		r.fails("", "57P01", "rowcap is shutting down")
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
}

// TestUpstreamAsksForCertificate shows the server rowcap's certificate, or none.
func TestUpstreamAsksForCertificate(t *testing.T) {
	server := dbtest.Postgres(t)
	a := dbtest.NewAuthority(t)
	inner := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSRequire, a, a.CA))
	cert, key := a.Issue(validity, "rowcap")
	good := open(t, inner.addr, capped(5, 0), reaching(t, "verify-full", false, proxy.UpstreamTLSFiles{CA: a.CA, Certificate: cert, Key: key}))
	if _, _, err := tryPgx(t, login{role: server.User, sslmode: "disable"}.dsn(good)); err != nil {
		t.Error(err)
	}
	none := open(t, inner.addr, capped(5, 0), reaching(t, "require", false, proxy.UpstreamTLSFiles{}))
	r := dialRaw(t, none.addr)
	r.startup(version3, "user", server.User)
	got, e := r.types("-")
	r.Close()
	if got != "E-" || e.Code != "08006" || !strings.Contains(e.Message, "certificate required") || !strings.Contains(e.Hint, "--upstream-tls-cert") {
		t.Errorf("got %q, %+v", got, e)
	}
}

// TestTLSCarriesMuch sends and receives large messages by TLS on both sides, and
// ends sessions amid them.
func TestTLSCarriesMuch(t *testing.T) {
	server := dbtest.Postgres(t)
	a := dbtest.NewAuthority(t)
	door := open(t, server.Addr(), capped(0, 0), listening(t, proxy.ListenTLSRequire, a, ""),
		reaching(t, "verify-full", false, proxy.UpstreamTLSFiles{CA: ownAuthority(t, server)}))
	l := login{role: server.User, sslmode: "verify-full", ca: a.CA}
	c := dial(t, l.dsn(door))
	for _, size := range []int{1, 16 << 10, 70 << 10, 3 << 20} {
		text := strings.Repeat("x", size)
		var got string
		if err := c.QueryRow(ctx(t), "SELECT $1::text", text).Scan(&got); err != nil || got != text {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	if got, _ := c.numbers("SELECT generate_series(1, 200000)"); len(got) != 200000 {
		t.Errorf("got %d rows", len(got))
	}
	// A client that vanishes amid an answer, and one whose statement is cancelled.
	r := dialRaw(t, door.addr)
	over := r.secure()
	over.startup(version3, "user", server.User, "database", "postgres")
	over.types("Z")
	over.send(&pgproto3.Query{String: "SELECT repeat('x', 1000), generate_series(1, 1000000)"})
	io.ReadFull(over, make([]byte, 100000))
	r.Conn.(*net.TCPConn).SetLinger(0)
	r.Close()
	if err := door.end(t); err == nil {
		t.Error("Serve returned no error")
	}
	canceled, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := dial(t, l.dsn(door)).Exec(canceled, "SELECT pg_sleep(20)"); err == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(begun), err)
	}
}

// TestCancelByTLS sends a CancelRequest with and without TLS to a listener that
// requires it of sessions, as libpq's two ways do.
func TestCancelByTLS(t *testing.T) {
	server := dbtest.Postgres(t)
	a := dbtest.NewAuthority(t)
	door := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSRequire, a, ""),
		reaching(t, "verify-full", false, proxy.UpstreamTLSFiles{CA: ownAuthority(t, server)}))
	for _, secure := range []bool{true, false} {
		c := dial(t, login{role: server.User, sslmode: "require"}.dsn(door))
		failed := make(chan error, 1)
		go func() {
			_, err := c.Exec(ctx(t), "SELECT pg_sleep(20)")
			failed <- err
		}()
		waitForSleep(t, server, "20")
		r := dialRaw(t, door.addr)
		if secure {
			r = r.secure()
		}
		packet, err := (&pgproto3.CancelRequest{ProcessID: c.PgConn().PID(), SecretKey: c.PgConn().SecretKey()}).Encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		r.write(packet)
		if got, _ := r.types("-"); got != "-" {
			t.Errorf("got %q", got)
		}
		if err := <-failed; state(err) != "57014" {
			t.Errorf("TLS %t: %v", secure, err)
		}
	}
}

// waitForSleep waits until the server is at a SELECT pg_sleep of so many seconds.
func waitForSleep(t *testing.T, server *dbtest.Server, seconds string) {
	t.Helper()
	for range 200 {
		if server.SQL(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND query LIKE 'SELECT pg_sleep("+seconds+")%'") != "0" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("no statement sleeps")
}

// fakeServer is an upstream that takes sessions, gives them key, and says which
// CancelRequests it got.
func fakeServer(t *testing.T, key string, cancels chan<- string) string {
	t.Helper()
	return listen(t, func(conn net.Conn) {
		b := make([]byte, 2000)
		n, _ := conn.Read(b)
		if n >= 8 && string(b[4:8]) == "\x04\xd2\x16\x2e" {
			cancels <- string(b[8:n])
			conn.Close()
			return
		}
		data := append(binary.BigEndian.AppendUint32([]byte(letIn+"K"), uint32(len(key)+4)), key...)
		conn.Write(append(data, "Z\x00\x00\x00\x05I"...))
	})
}

// TestCancelFindsUpstream sends CancelRequests with keys of several lengths to the
// one of several upstreams that the session is with.
func TestCancelFindsUpstream(t *testing.T) {
	for _, size := range []int{4, 8, 32, 256, 1000} {
		key := "\x00\x00\x04\xd2" + strings.Repeat("k", size)
		first, second := make(chan string, 9), make(chan string, 9)
		gone := upstreamThatLeaves(t)
		one, two := fakeServer(t, key, first), fakeServer(t, key+"2", second)
		door := open(t, gone, capped(5, 0), among(t, gone, two, one))
		r := dialRaw(t, door.addr)
		r.startup(version3|2, "user", "a")
		r.types("Z")
		cancel := func(key string) {
			t.Helper()
			c := dialRaw(t, door.addr)
			packet := binary.BigEndian.AppendUint32(nil, uint32(len(key)+8))
			c.write(append(append(packet, "\x04\xd2\x16\x2e"...), key...))
			c.types("-")
		}
		cancel(key + "2")
		if len(first) != 0 || len(second) != 1 || <-second != key+"2" {
			t.Errorf("%d bytes: the second got %d, the first %d", size, len(second), len(first))
		}
		// A session that this door does not know may be another's, with any of them.
		cancel(key + "?")
		if len(first) != 1 || len(second) != 1 {
			t.Errorf("%d bytes: of an unknown session, %d and %d were told", size, len(first), len(second))
		}
		for len(first)+len(second) > 0 {
			select {
			case <-first:
			case <-second:
			}
		}
		r.Close()
		door.wait()
	}
}

// upstreamThatLeaves is an address that refuses connections.
func upstreamThatLeaves(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
