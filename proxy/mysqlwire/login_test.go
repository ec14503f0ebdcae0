package mysqlwire_test

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// fakeLogin starts a fakeServer that greets, takes the client's answer, and then does
// as login says.
func fakeLogin(t *testing.T, login func(c *rawClient)) *fakeServer {
	t.Helper()
	return fakeRaw(t, func(conn net.Conn) {
		c := &rawClient{t: t, conn: conn}
		c.write(packet.Greeting{ServerVersion: "8.0.1-fake", Capabilities: fakeCaps, AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
		if _, err := c.tryRead(); err == nil {
			login(c)
		}
	})
}

// stall waits until the door goes away.
func stall(c *rawClient) { c.conn.Read(make([]byte, 1)) }

// greeted connects to run and takes the greeting.
func greeted(t *testing.T, run *running) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", run.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &rawClient{t: t, conn: conn}
	if _, err := packet.DecodeGreeting(c.read()); err != nil {
		t.Fatal(err)
	}
	return c
}

// answerGreeting sends what a client sends first.
func answerGreeting(c *rawClient) {
	c.write(packet.HandshakeResponse{Capabilities: baseCaps & fakeCaps, MaxPacketSize: 1 << 24, Collation: 45, User: []byte("u"),
		Auth: make([]byte, 20), AuthPlugin: []byte("mysql_native_password")}.Append(nil))
}

func quickLogin(d *mysqlwire.Door) { d.LoginTimeout = time.Second }

// loginFailures are upstreams that fail amid a login. exchanges is the number of
// packets that the client gets and answers before.
var loginFailures = []struct {
	name      string
	login     func(c *rawClient)
	exchanges int
	want      string
}{
	{"stalls", stall, 0, "did not go on with the login within 1s"},
	{"stalls amid a packet", func(c *rawClient) { c.conn.Write([]byte{7, 0, 0, 2, 0, 0}); stall(c) }, 0, "did not go on with the login within 1s"},
	{"stalls after an exchange", func(c *rawClient) {
		c.write(packet.AuthSwitch{Plugin: "mysql_native_password", Data: make([]byte, 21)}.Append(nil))
		c.read()
		stall(c)
	}, 1, "did not go on with the login within 1s"},
	{"stalls after two", func(c *rawClient) {
		c.write(packet.AuthSwitch{Plugin: "caching_sha2_password", Data: make([]byte, 21)}.Append(nil))
		c.read()
		c.write([]byte{packet.AuthMoreHeader, 4})
		c.read()
		stall(c)
	}, 2, "did not go on with the login within 1s"},
	{"closes", func(c *rawClient) {}, 0, "closed the connection before the login was complete"},
	{"closes after an exchange", func(c *rawClient) {
		c.write(packet.AuthSwitch{Plugin: "mysql_native_password", Data: make([]byte, 21)}.Append(nil))
		c.read()
	}, 1, "closed the connection before the login was complete"},
	{"is no MySQL", func(c *rawClient) { c.write([]byte{0, 0xfd, 1}); stall(c) }, 0, "went on with the login in a way that is not MySQL's: malformed OK packet"},
	{"sends an empty packet", func(c *rawClient) { c.write(nil); stall(c) }, 0, "went on with the login in a way that is not MySQL's"},
}

func TestUpstreamFailsAmidTheLogin(t *testing.T) {
	for _, test := range loginFailures {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := fakeLogin(t, test.login)
			run := serve(t, f.addr, policy(3, 10), quickLogin)
			c := greeted(t, run)
			answerGreeting(c)
			for range test.exchanges {
				c.read()
				c.write(make([]byte, 20))
			}
			e := wantErr(t, c, 61003)
			if want := "the upstream at " + f.addr + " " + test.want; e.State != "08S01" || !strings.HasPrefix(e.Message, want) {
				t.Errorf("error is %v, want %q", e, want)
			}
			wantClosed(t, c)
			if err := run.wait(t); err == nil || err.Error() != e.Message {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

// TestFastLoginThatStalls has a server that says that the proof was good, after which
// the client waits for OK.
func TestFastLoginThatStalls(t *testing.T) {
	f := fakeLogin(t, func(c *rawClient) {
		c.write([]byte{packet.AuthMoreHeader, 3})
		stall(c)
	})
	run := serve(t, f.addr, policy(3, 10), quickLogin)
	c := greeted(t, run)
	answerGreeting(c)
	if b := c.read(); len(b) != 2 {
		t.Errorf("got %x", b)
	}
	wantErr(t, c, 61003)
	wantClosed(t, c)
	if err := run.wait(t); err == nil || !strings.Contains(err.Error(), "did not go on with the login within 1s") {
		t.Errorf("the session ended with %v", err)
	}
}

// TestClientThinksAmidTheLogin takes longer for the client's turns after the first, and
// for the first command, than the upstream gets for its own.
func TestClientThinksAmidTheLogin(t *testing.T) {
	f := fakeLogin(t, func(c *rawClient) {
		c.write(packet.AuthSwitch{Plugin: "mysql_native_password", Data: make([]byte, 21)}.Append(nil))
		c.read()
		c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
		c.seq = 0
		c.read()
		time.Sleep(500 * time.Millisecond)
		c.write(packet.OK{}.Append(nil, 0))
		stall(c)
	})
	run := serve(t, f.addr, policy(3, 10), func(d *mysqlwire.Door) { d.LoginTimeout = 300 * time.Millisecond })
	c := greeted(t, run)
	think := func() { time.Sleep(500 * time.Millisecond) }
	answerGreeting(c)
	c.read()
	think()
	c.write(make([]byte, 20))
	if b := c.read(); b[0] != packet.OKHeader {
		t.Fatalf("the login gives %x", b)
	}
	think()
	c.command([]byte{byte(packet.ComPing)})
	if b := c.read(); b[0] != packet.OKHeader {
		t.Fatalf("the ping gives %x", b)
	}
}

func TestChangeOfUserStalls(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		if command[0] == byte(packet.ComChangeUser) {
			stall(c)
			return false
		}
		c.write(packet.OK{}.Append(nil, 0))
		return true
	})
	run := serve(t, f.addr, policy(3, 10), quickLogin)
	c := dialFake(t, run)
	c.command(append([]byte{byte(packet.ComChangeUser)}, "u\x00\x00\x00\x2d\x00mysql_native_password\x00"...))
	if e := wantErr(t, c, 61003); !strings.Contains(e.Message, "did not go on with the login") {
		t.Errorf("error is %v", e)
	}
	wantFailed(t, c, run)
}

func TestMalformedLogin(t *testing.T) {
	for name, b := range map[string][]byte{
		"short":       {3, 0, 0, 1, 1, 2, 3},
		"old client":  append([]byte{40, 0, 0, 1}, make([]byte, 40)...),
		"no user":     append([]byte{36, 0, 0, 1, 0, 2}, bytes.Repeat([]byte{1}, 34)...),
		"no mysql":    []byte("GET / HTTP/1.1\r\nHost: somewhere.example.com\r\n\r\n"),
		"TLS anyhow ": append([]byte{32, 0, 0, 1, 0, 0x0a}, make([]byte, 30)...),
	} {
		t.Run(name, func(t *testing.T) {
			f := fake(t, func(c *rawClient, command []byte) bool { return true })
			run := serve(t, f.addr, policy(3, 10))
			conn, err := net.Dial("tcp", run.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(10 * time.Second))
			c := &rawClient{t: t, conn: conn}
			g, err := packet.DecodeGreeting(c.read())
			if err != nil {
				t.Fatal(err)
			}
			if g.Capabilities&(packet.SSL|packet.Compress) != 0 || !g.Capabilities.Has(packet.Protocol41|packet.PluginAuth) {
				t.Errorf("the greeting offers %x", g.Capabilities)
			}
			conn.Write(b)
			if name == "no mysql" {
				conn.(*net.TCPConn).CloseWrite()
			} else {
				c.seq = 2
				wantErr(t, c, 1835)
				wantClosed(t, c)
			}
			run.wait(t)
		})
	}
}
