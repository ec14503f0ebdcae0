package mysqlwire_test

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// TestUpstreamTLSFails has upstreams with which TLS cannot be agreed on. The client is
// told, and nothing of its login was sent.
func TestUpstreamTLSFails(t *testing.T) {
	s := dbtest.MariaDB(t)
	other := dbtest.NewAuthority(t)
	greeting := func(caps packet.Capabilities) []byte {
		b, _ := packet.Append(nil, 0, packet.Greeting{ServerVersion: "8.0.1-fake", Capabilities: caps, AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
		return b
	}
	read := func(t *testing.T, conn net.Conn) {
		var all []byte
		b := make([]byte, 1024)
		for {
			n, err := conn.Read(b)
			all = append(all, b[:n]...)
			if err != nil {
				break
			}
		}
		if strings.Contains(string(all), "someone") {
			t.Errorf("the login was sent in the clear: %q", all)
		}
	}
	for _, test := range []struct {
		name string
		at   func(t *testing.T) string
		mode proxy.UpstreamTLSMode
		ca   string
		want string
	}{
		{"another authority", func(*testing.T) string { return s.Addr() }, proxy.UpstreamTLSVerifyFull, other.CA, "no authority that verify-full trusts has signed its certificate"},
		{"no TLS", func(t *testing.T) string {
			return fakeRaw(t, func(conn net.Conn) { conn.Write(greeting(fakeCaps &^ packet.SSL)); read(t, conn) }).addr
		}, proxy.UpstreamTLSRequire, "", "does not offer TLS"},
		{"more than a greeting", func(t *testing.T) string {
			return fakeRaw(t, func(conn net.Conn) { conn.Write(append(greeting(fakeCaps), 7, 0, 0, 2, 0, 0)); read(t, conn) }).addr
		}, proxy.UpstreamTLSRequire, "", "sent something in the clear behind its greeting"},
		{"closes", func(t *testing.T) string {
			return fakeRaw(t, func(conn net.Conn) {
				conn.Write(greeting(fakeCaps))
				b := make([]byte, packet.HeaderSize+packet.HandshakeFixed)
				if _, err := io.ReadFull(conn, b); err != nil || b[3] != 1 || !packet.AsksForTLS(b[packet.HeaderSize:]) {
					t.Errorf("TLS was not asked for: %x, %v", b, err)
				}
			}).addr
		}, proxy.UpstreamTLSRequire, "", "it closed the connection"},
		{"no TLS after all", func(t *testing.T) string {
			return fakeRaw(t, func(conn net.Conn) {
				conn.Write(greeting(fakeCaps))
				conn.Read(make([]byte, 100))
				conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
				read(t, conn)
			}).addr
		}, proxy.UpstreamTLSPrefer, "", "what it sent is no TLS"},
		{"stalls", func(t *testing.T) string {
			return fakeRaw(t, func(conn net.Conn) { conn.Write(greeting(fakeCaps)); read(t, conn) }).addr
		}, proxy.UpstreamTLSRequire, "", "it did not go on with it in time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			run := serve(t, test.at(t), policy(3, 10), upstreamTLS(t, test.mode, test.ca), func(d *mysqlwire.Door) { d.ConnectTimeout = time.Second })
			c := greeted(t, run)
			c.write(packet.HandshakeResponse{Capabilities: baseCaps, MaxPacketSize: 1 << 24, User: []byte("someone"), AuthPlugin: []byte("mysql_native_password")}.Append(nil))
			if e := wantErr(t, c, 61003); e.State != "08S01" || !strings.Contains(e.Message, test.want) {
				t.Errorf("error is %v", e)
			}
			wantClosed(t, c)
			if err := run.wait(t); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

// TestShutdownBeforeTLS ends sessions that are waiting for the client, or at their TLS
// handshakes.
func TestShutdownBeforeTLS(t *testing.T) {
	s := dbtest.MariaDB(t)
	listen, up := listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow), upstreamTLS(t, proxy.UpstreamTLSRequire, "")
	for _, asks := range []bool{false, true} {
		run := serve(t, s.Addr(), policy(3, 10), listen, up)
		c := greeted(t, run)
		if asks {
			c.write(packet.HandshakeResponse{Capabilities: baseCaps | packet.SSL, MaxPacketSize: 1 << 24, SSLRequest: true}.Append(nil))
			time.Sleep(100 * time.Millisecond)
		}
		run.stop()
		if !asks {
			c.seq = 2
			if b, err := c.tryRead(); err == nil && b[0] != packet.ErrHeader {
				t.Errorf("got %x", b)
			}
		}
		run.wait(t)
	}
}
