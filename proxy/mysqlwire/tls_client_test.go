package mysqlwire_test

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// TestTLSRequire turns away a client that does not ask for TLS, but not one of a unix
// socket.
func TestTLSRequire(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10), listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSRequire))
	c := greeted(t, run)
	c.write(packet.HandshakeResponse{Capabilities: baseCaps, MaxPacketSize: 1 << 24, User: []byte(s.User), AuthPlugin: []byte("mysql_native_password")}.Append(nil))
	if e := wantErr(t, c, 3159); e.State != "HY000" || !strings.Contains(e.Message, "connect with TLS") {
		t.Errorf("error is %v", e)
	}
	wantClosed(t, c)
	if err := run.wait(t); err == nil || !strings.Contains(err.Error(), "TLS only") {
		t.Errorf("the session ended with %v", err)
	}
	dialRaw(t, s, run.addr, "", packet.SSL)
}

// TestTLSNotOffered has a client insist on TLS where there is none.
func TestTLSNotOffered(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10))
	_, err := tryDriver(s, "", run.addr, s.Password, &tls.Config{InsecureSkipVerify: true})
	if !errors.Is(err, driver.ErrNoTLS) {
		t.Errorf("error is %v", err)
	}
}

// TestTLSHandshakeOfClient has clients whose handshakes fail.
func TestTLSHandshakeOfClient(t *testing.T) {
	s := dbtest.MariaDB(t)
	for name, then := range map[string]struct {
		do   func(c *rawClient)
		want string
	}{
		"no TLS":   {func(c *rawClient) { c.conn.Write([]byte("GET / HTTP/1.1\r\n\r\n")) }, "what the client sent is no TLS"},
		"leaves":   {func(c *rawClient) { c.conn.Close() }, "the client closed the connection"},
		"stalls":   {func(c *rawClient) {}, "the client did not go on with it in time"},
		"distrust": {func(c *rawClient) { tls.Client(c.conn, &tls.Config{ServerName: "localhost"}).Handshake() }, "the client refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := serve(t, s.Addr(), policy(3, 10), listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow), func(d *mysqlwire.Door) {
				if name == "stalls" {
					quickLogin(d)
				}
			})
			c := greeted(t, run)
			c.write(packet.HandshakeResponse{Capabilities: baseCaps | packet.SSL, MaxPacketSize: 1 << 24, SSLRequest: true}.Append(nil))
			then.do(c)
			if err := run.wait(t); err == nil || !strings.Contains(err.Error(), then.want) {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

// TestTLSAtOnce sends the handshake right behind the request, as clients may.
func TestTLSAtOnce(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10), listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow))
	conn, err := net.Dial("tcp", run.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &rawClient{t: t, conn: conn, caps: baseCaps | packet.SSL}
	g, err := packet.DecodeGreeting(c.read())
	if err != nil {
		t.Fatal(err)
	}
	request := packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, SSLRequest: true}.Append(nil)
	b, _ := packet.Append(nil, 1, request)
	c.seq = 2
	secure := tls.Client(&together{Conn: conn, first: b}, &tls.Config{InsecureSkipVerify: true})
	if err := secure.Handshake(); err != nil {
		t.Fatal(err)
	}
	c.conn = secure
	c.write(packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, User: []byte(s.User), Auth: scramble(g.AuthPlugin, s.Password, g.AuthData), AuthPlugin: []byte(g.AuthPlugin)}.Append(nil))
	if e := c.authenticate(s.Password, g.AuthData); e != nil {
		t.Error(e)
	}
}

// together writes first with the first write.
type together struct {
	net.Conn
	first []byte
}

func (c *together) Write(b []byte) (int, error) {
	if len(c.first) == 0 {
		return c.Conn.Write(b)
	}
	_, err := c.Conn.Write(append(c.first, b...))
	c.first = nil
	return len(b), err
}
