package pgwire_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
)

// listen is a server that accepts connections, serves them, and keeps them open
// until the test is over.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				serve(c)
				<-over
			})
		}
	})
	t.Cleanup(func() { l.Close(); close(over); all.Wait() })
	return l.Addr().String()
}

// patience sets the time limits of a door.
func patience(connect, startup time.Duration) func(*pgwire.Door) {
	return func(d *pgwire.Door) { d.ConnectTimeout, d.StartupTimeout = connect, startup }
}

const (
	askPassword = "R\x00\x00\x00\x08\x00\x00\x00\x03"
	askSASL     = "R\x00\x00\x00\x17\x00\x00\x00\x0aSCRAM-SHA-256\x00\x00"
	letIn       = "R\x00\x00\x00\x08\x00\x00\x00\x00"
	parameter   = "S\x00\x00\x00\x08a\x00b\x00"
	cancelIt    = "\x00\x00\x00\x10\x04\xd2\x16\x2e\x00\x00\x00\x01\x00\x00\x00\x02"
)

// TestSilentUpstream has the server fall silent at each place of the start-up at
// which it is its turn.
func TestSilentUpstream(t *testing.T) {
	const connect, startup = 300 * time.Millisecond, 900 * time.Millisecond
	for name, c := range map[string]struct {
		says     string // to the startup packet
		password bool   // the client sends one
		then     string // to that
		before   string // what the client gets
		message  string
		limit    time.Duration
	}{
		"at once":            {"", false, "", "", "accepted the connection but did not answer within 300ms; check that it is a PostgreSQL server and alive", connect},
		"amid a message":     {letIn[:7], false, "", "", "stopped answering in the middle of the start-up, for 300ms", connect},
		"in the start-up":    {letIn + parameter, false, "", "R", "stopped answering in the middle of the start-up, for 300ms", connect},
		"after the password": {askPassword, true, "", "?", "made no progress within 900ms", startup},
		"amid the exchange":  {askSASL, true, "R\x00\x00\x00\x09\x00\x00\x00\x0cv", "??", "made no progress within 900ms", startup},
		"in a GSS exchange":  {"R\x00\x00\x00\x08\x00\x00\x00\x07", true, "R\x00\x00\x00\x09\x00\x00\x00\x08x", "??", "made no progress within 900ms", startup},
		"after the verdict":  {askPassword, true, letIn, "?R", "stopped answering in the middle of the start-up, for 300ms", connect},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := listen(t, func(conn net.Conn) {
				b := make([]byte, 1000)
				conn.Read(b)
				conn.Write([]byte(c.says))
				if c.password {
					conn.Read(b)
					conn.Write([]byte(c.then))
				}
			})
			door := open(t, at, capped(5, 0), patience(connect, startup))
			r := dialRaw(t, door.addr)
			begun := time.Now()
			r.startup(version3, "user", "a")
			if c.password {
				// As long as it is the client's turn, it has its time.
				time.Sleep(2 * connect)
				begun = time.Now()
				r.send(&pgproto3.PasswordMessage{Password: "secret"})
			}
			r.fails(c.before, "08006", "the upstream at "+at+" ")
			if took := time.Since(begun); took < c.limit || took > c.limit+5*time.Second {
				t.Errorf("took %s", took)
			}
			err := door.end(t)
			if err == nil || !strings.Contains(err.Error(), at) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), "client") {
				t.Errorf("Serve returned %v", err)
			}
		})
	}
}

// TestSlowUpstream has the server take its time with each message of the start-up
// and the client with its password: none of it is silence, nor is a long query.
func TestSlowUpstream(t *testing.T) {
	const connect = 600 * time.Millisecond
	at := listen(t, func(conn net.Conn) {
		b := make([]byte, 1000)
		for _, say := range []string{"", askPassword, "", letIn, parameter, "Z\x00\x00\x00\x05I", "", "I\x00\x00\x00\x04Z\x00\x00\x00\x05I"} {
			if say == "" {
				conn.Read(b)
				continue
			}
			time.Sleep(connect * 2 / 3)
			conn.Write([]byte(say))
		}
	})
	door := open(t, at, capped(5, 0), patience(connect, 10*time.Second))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", "a")
	time.Sleep(3 * connect)
	r.send(&pgproto3.PasswordMessage{Password: "secret"})
	r.types("Z")
	time.Sleep(2 * connect)
	r.send(&pgproto3.Query{String: ""})
	if got, _ := r.types("Z"); got != "?Z" {
		t.Errorf("got %q", got)
	}
}

// TestSilentClient has the client leave where the server waits for its password.
func TestSilentClient(t *testing.T) {
	left := make(chan string, 1)
	at := listen(t, func(conn net.Conn) {
		b := make([]byte, 1000)
		conn.Read(b)
		conn.Write([]byte(askPassword))
		n, err := conn.Read(b)
		left <- fmt.Sprint(n, " ", err)
	})
	door := open(t, at, capped(5, 0), patience(100*time.Millisecond, 100*time.Millisecond))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", "a")
	r.types("?")
	time.Sleep(500 * time.Millisecond)
	r.Close()
	if err := door.end(t); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	if got := <-left; got != "0 EOF" {
		t.Errorf("the server got %s, where the protocol has no Terminate", got)
	}
	r = dialRaw(t, door.addr)
	if got, _ := r.types("-"); got != "-" {
		t.Errorf("got %q", got)
	}
	if err := door.end(t); !errors.Is(err, os.ErrDeadlineExceeded) || !strings.Contains(err.Error(), "wait for the startup packet") {
		t.Errorf("Serve returned %v", err)
	}
}

// TestUpstreamGoesAtStart has the server close the connection at each place of the
// start-up.
func TestUpstreamGoesAtStart(t *testing.T) {
	for name, c := range map[string]struct{ says, before, hint string }{
		"at once":         {"", "", "that the route names its address"},
		"amid a message":  {letIn[:7], "", "that the route names its address"},
		"in the start-up": {letIn + parameter, "R", "its log"},
		"at the password": {askPassword, "?", "its log"},
	} {
		at := listen(t, func(conn net.Conn) {
			conn.Read(make([]byte, 1000))
			conn.Write([]byte(c.says))
			conn.Close()
		})
		door := open(t, at, capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		got, e := r.types("-")
		r.Close()
		want := "the upstream at " + at + " closed the connection during the start-up"
		if got != c.before+"E-" || e.Code != "08006" || e.Message != want || e.Detail != "" || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: got %q, %+v", name, got, e)
		}
		if err := door.end(t); err == nil || err.Error() != want {
			t.Errorf("%s: Serve returned %v", name, err)
		}
	}
}

// TestForeignUpstream has another protocol spoken where the upstream should be.
func TestForeignUpstream(t *testing.T) {
	greeting := "\x00\x00\x00\x0a5.5.5-10.11.6-MariaDB\x00" + strings.Repeat("x", 60)
	answers := map[string]string{
		"SMTP":      "220 mail.example.com ESMTP ready\r\n",
		"HTTP":      "HTTP/1.1 400 Bad Request\r\n\r\n",
		"SSH":       "SSH-2.0-OpenSSH_9.2\r\n",
		"Redis":     "-ERR unknown command\r\n",
		"TLS alert": "\x15\x03\x01\x00\x02\x02\x46",
		"no let-in": "Z\x00\x00\x00\x05I",
		"huge":      "R\x00\x10\x00\x00\x00\x00\x00\x00",
		"unknown":   "R\x00\x00\x00\x08\x00\x00\x00\x0d",
		"short":     "R\x00\x00\x00\x05\x00",
	}
	for _, length := range "JERNSKZvAnD" { // the first byte of MySQL's greeting is a length
		answers["MySQL "+string(length)] = string(length) + greeting
	}
	for name, says := range answers {
		at := listen(t, func(conn net.Conn) { conn.Write([]byte(says)) })
		door := open(t, at, capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		t.Log(name)
		r.fails("", "08P01", "the upstream at "+at+" does not speak the PostgreSQL protocol")
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), at) {
			t.Errorf("%s: Serve returned %v", name, err)
		}
	}
	t.Run("MariaDB itself", func(t *testing.T) {
		server := dbtest.MariaDB(t)
		door := open(t, server.Addr(), capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.fails("", "08P01", "the upstream at "+server.Addr()+" does not speak the PostgreSQL protocol")
	})
	t.Run("a server that cannot fork", func(t *testing.T) {
		at := listen(t, func(conn net.Conn) {
			conn.Write([]byte("Ecould not fork new process for connection: Resource temporarily unavailable\n\x00"))
		})
		r := dialRaw(t, open(t, at, capped(5, 0)).addr)
		r.startup(version3, "user", "a")
		r.fails("", "08006", "refused the connection: could not fork new process for connection: Resource temporarily unavailable")
	})
}

// TestRefusedByUpstream expects the server's own words of a login that it refuses,
// and no others after them.
func TestRefusedByUpstream(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", server.User, "database", "nowhere")
	r.fails("R", "3D000", "nowhere")
	if err := door.end(t); err != nil {
		t.Errorf("Serve returned %v", err)
	}
	// Servers before 9.6 have no severity that is not translated.
	at := listen(t, func(conn net.Conn) {
		conn.Read(make([]byte, 1000))
		conn.Write([]byte("E\x00\x00\x00\x1aSFATAL\x00C28P01\x00Mwrong\x00\x00"))
		conn.Close()
	})
	r = dialRaw(t, open(t, at, capped(5, 0)).addr)
	r.startup(version3, "user", "a")
	if got, e := r.types("-"); got != "E-" || e.Code != "28P01" {
		t.Errorf("got %q, %+v", got, e)
	}
}

func TestCancelOfSilentUpstream(t *testing.T) {
	at := listen(t, func(net.Conn) {})
	door := open(t, at, capped(5, 0), patience(300*time.Millisecond, time.Minute))
	r := dialRaw(t, door.addr)
	r.write([]byte(cancelIt))
	if got, _ := r.types("-"); got != "-" {
		t.Errorf("got %q", got)
	}
	if err := door.end(t); err == nil || !strings.Contains(err.Error(), "the upstream at "+at+" did not act on the CancelRequest within 300ms") {
		t.Errorf("Serve returned %v", err)
	}
}

// TestSilentSocket goes through a unix socket whose server only accepts.
func TestSilentSocket(t *testing.T) {
	at := filepath.Join(t.TempDir(), "silent")
	l, err := proxy.Listen(proxy.Address{Network: "unix", Addr: at})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	door := open(t, at, capped(5, 0), patience(200*time.Millisecond, time.Minute))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", "a")
	r.fails("", "08006", "the upstream at "+at+" accepted the connection but did not answer within 200ms")
}
