package mysqlwire_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"errors"
	"fmt"
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

// protection is how a session's two connections are protected.
type protection struct {
	name               string
	client, up, socket bool
}

// serve starts a door to s that offers its clients TLS by listen, and has TLS with the
// upstream by up, or its socket, where that is wanted.
func (p protection) serve(t *testing.T, s *dbtest.Server, listen, up func(*mysqlwire.Door)) *running {
	t.Helper()
	switch {
	case p.socket:
		return serve(t, s.Socket, policy(3, 10), listen)
	case p.up:
		return serve(t, s.Addr(), policy(3, 10), listen, up)
	}
	return serve(t, s.Addr(), policy(3, 10), listen)
}

// legs are the ways in which a session's two connections can be protected.
var legs = []protection{
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
					run := l.serve(t, s, listen, up)
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
					run := l.serve(t, s, listen, up)
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
