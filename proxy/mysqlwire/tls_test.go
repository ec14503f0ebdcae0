package mysqlwire_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// listenTLS has the door offer TLS, with a certificate of a's.
func listenTLS(t *testing.T, a *dbtest.Authority, mode proxy.ListenTLSMode) func(*mysqlwire.Door) {
	t.Helper()
	certificate, key := a.Issue(48*time.Hour, "localhost", "127.0.0.1")
	l, err := proxy.NewListenTLS(mode, proxy.ListenTLSFiles{Certificate: certificate, Key: key}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(d *mysqlwire.Door) { d.ListenTLS = l }
}

// upstreamTLS has the door speak TLS with the upstream.
func upstreamTLS(t *testing.T, mode proxy.UpstreamTLSMode, ca string) func(*mysqlwire.Door) {
	t.Helper()
	u, err := proxy.NewUpstreamTLS(mode, false, proxy.UpstreamTLSFiles{CA: ca}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(d *mysqlwire.Door) { d.UpstreamTLS, d.ConnectTimeout = u, 20*time.Second }
}

// roots are the authorities in a file.
func roots(t *testing.T, ca string) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(ca)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("no certificate in %s", ca)
	}
	return &tls.Config{RootCAs: pool, ServerName: "localhost"}
}

// tryDriver logs in once, and returns what the server says of the login: the user, the
// cipher on its side, and the rows of a capped query.
func tryDriver(as *dbtest.Server, database, addr, password string, config *tls.Config) (string, error) {
	cfg := driver.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName, cfg.TLS = as.User, password, "tcp", addr, database, config
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return "", err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	c, err := db.Conn(context.Background())
	if err != nil {
		return "", err
	}
	defer c.Close()
	var name, variable, cipher string
	if err := c.QueryRowContext(context.Background(), "SELECT SUBSTRING_INDEX(USER(), '@', 1)").Scan(&name); err != nil {
		return "", err
	}
	if err := c.QueryRowContext(context.Background(), "SHOW SESSION STATUS LIKE 'Ssl_cipher'").Scan(&variable, &cipher); err != nil {
		return "", err
	}
	rows, err := c.QueryContext(context.Background(), "SELECT n FROM parcels ORDER BY n")
	if err != nil {
		return "", err
	}
	text, err := readResults(rows)
	return fmt.Sprintf("%s encrypted=%v %s", name, cipher != "", strings.ReplaceAll(text, "\n", " ")), err
}

// legs are the ways in which a session's two connections can be protected.
var legs = []struct {
	name               string
	client, up, socket bool
}{
	{"plain to plain", false, false, false},
	{"TLS to plain", true, false, false},
	{"plain to TLS", false, true, false},
	{"TLS to TLS", true, true, false},
	{"plain to socket", false, false, true},
	{"TLS to socket", true, false, true},
}

func TestTLSLegs(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		authority := dbtest.NewAuthority(t)
		listen := listenTLS(t, authority, proxy.ListenTLSAllow)
		up := upstreamTLS(t, proxy.UpstreamTLSVerifyFull, s.CA)
		trust := roots(t, authority.CA)
		for plugin, identified := range plugins[s.Flavor] {
			for _, l := range legs {
				t.Run(plugin+" "+l.name, func(t *testing.T) {
					database := s.Database(t)
					s.SQL(t, database, parcels)
					as := user(t, s, database, identified)
					at, set := s.Addr(), []func(*mysqlwire.Door){listen}
					if l.up {
						set = append(set, up)
					}
					if l.socket {
						at = s.Socket
					}
					run := serve(t, at, policy(3, 10), set...)
					var config *tls.Config
					if l.client {
						config = trust
					}
					for i := range 3 {
						password := as.Password
						if i == 1 {
							password = "wrong"
						}
						got, err := tryDriver(as, database, run.addr, password, config)
						var mine *driver.MySQLError
						switch {
						case i == 1 && (!errors.As(err, &mine) || mine.Number != 1045):
							t.Errorf("a wrong password gives %q, %v", got, err)
						case i == 1:
						case err != nil:
							t.Errorf("login %d: %v", i, err)
						default:
							want(t, got, fmt.Sprintf("%s encrypted=%v 1 2 3 ", as.User, l.up))
						}
					}
				})
			}
		}
	})
}

// TestTLSLegsChangeOfUser changes to users of each plugin by COM_CHANGE_USER, under
// every combination.
func TestTLSLegsChangeOfUser(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		listen := listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow)
		up := upstreamTLS(t, proxy.UpstreamTLSVerifyCA, s.CA)
		for plugin, identified := range plugins[s.Flavor] {
			for _, l := range legs {
				t.Run(plugin+" "+l.name, func(t *testing.T) {
					database := s.Database(t)
					s.SQL(t, database, parcels)
					as := user(t, s, database, identified)
					at, set := s.Addr(), []func(*mysqlwire.Door){listen}
					if l.up {
						set = append(set, up)
					}
					if l.socket {
						at = s.Socket
					}
					run := serve(t, at, policy(3, 10), set...)
					var caps packet.Capabilities
					if l.client {
						caps = packet.SSL
					}
					for _, said := range []string{plugin, "mysql_native_password"} {
						c := newWireSide(dialRaw(t, s, run.addr, database, caps))
						for _, password := range []string{as.Password, "wrong"} {
							u := packet.ChangeUser{User: []byte(as.User), Database: []byte(database), Collation: 45, AuthPlugin: []byte(said)}
							if said == "sha256_password" {
								if u.Auth = []byte{1}; l.client {
									u.Auth = append([]byte(password), 0)
								}
							}
							c.command(u.Append(nil, c.caps))
							e := c.authenticate(password, make([]byte, 20))
							if password == "wrong" {
								if e == nil || e.Code != 1045 {
									t.Errorf("a wrong password gives %v", e)
								}
								continue
							}
							if e != nil {
								t.Fatal(e)
							}
							ask(c.rawClient, "SELECT SUBSTRING_INDEX(USER(), '@', 1) AS u")
							if got := c.answer(0); !strings.Contains(got, " row "+as.User+"\n") {
								t.Errorf("got %s", got)
							}
						}
					}
				})
			}
		}
	})
}

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
