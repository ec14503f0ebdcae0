package pgwire_test

import (
	"crypto/tls"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
)

const validity = 3 * 24 * time.Hour

// ownAuthority skips a test that needs the private server's certificate.
func ownAuthority(t testing.TB, server *dbtest.Server) string {
	t.Helper()
	if server.CA == "" {
		t.Skip("SKIPPED, NOT PASSED: the given server's authority is not known")
	}
	return server.CA
}

// listening gives a door TLS with clients, by a certificate of a for localhost.
func listening(t testing.TB, mode proxy.ListenTLSMode, a *dbtest.Authority, clientCA string) func(*pgwire.Door) {
	t.Helper()
	cert, key := a.Issue(validity, "localhost", "127.0.0.1")
	return listeningWith(t, mode, proxy.ListenTLSFiles{Certificate: cert, Key: key, ClientCA: clientCA})
}

func listeningWith(t testing.TB, mode proxy.ListenTLSMode, files proxy.ListenTLSFiles) func(*pgwire.Door) {
	t.Helper()
	l, err := proxy.NewListenTLS(mode, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(d *pgwire.Door) { d.ListenTLS = l }
}

// reaching gives a door TLS with the upstream.
func reaching(t testing.TB, mode proxy.UpstreamTLSMode, direct bool, files proxy.UpstreamTLSFiles) func(*pgwire.Door) {
	t.Helper()
	u, err := proxy.NewUpstreamTLS(mode, direct, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(d *pgwire.Door) { d.UpstreamTLS = u }
}

// login is how a client logs in.
type login struct {
	role, sslmode, binding, ca, cert, key string
	direct                                bool
}

// dsn returns what libpq and pgx take.
func (l login) dsn(door *opened) string {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("sslmode", l.sslmode)
	set("channel_binding", l.binding)
	set("sslrootcert", l.ca)
	set("sslcert", l.cert)
	set("sslkey", l.key)
	if l.direct {
		q.Set("sslnegotiation", "direct")
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(l.role, l.role), Host: door.addr, Path: "/postgres", RawQuery: q.Encode()}
	return u.String()
}

// onServer is what the server says of the connection that it sees.
const onServer = "SELECT ssl::text || ' ' || coalesce(client_dn, '') FROM pg_stat_ssl WHERE pid = pg_backend_pid()"

// tryPgx logs in and says whether the client and the server speak TLS.
func tryPgx(t *testing.T, dsn string) (client bool, server string, err error) {
	t.Helper()
	c, err := pgx.Connect(ctx(t), dsn)
	if err != nil {
		return false, "", err
	}
	defer c.Close(ctx(t))
	_, client = c.PgConn().Conn().(*tls.Conn)
	if err := c.QueryRow(ctx(t), onServer).Scan(&server); err != nil {
		return client, "", err
	}
	rows, _ := c.Query(ctx(t), "SELECT generate_series(1, 9)")
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil || len(got) != 5 || !strings.Contains(c.PgConn().ParameterStatus("rowcap.last"), "truncated") {
		t.Errorf("%d rows, rowcap.last %s, %v", len(got), c.PgConn().ParameterStatus("rowcap.last"), err)
	}
	return client, server, nil
}

// tryPsql is tryPgx with libpq.
func tryPsql(t *testing.T, dsn string) (server string, err error) {
	t.Helper()
	path, err := exec.LookPath("psql")
	if err != nil {
		t.Skipf("SKIPPED, NOT PASSED: psql: %v", err)
	}
	cmd := exec.CommandContext(ctx(t), path, "-X", "-A", "-t", "-d", dsn, "-c", onServer)
	cmd.Env = append(os.Environ(), "PGGSSENCMODE=disable", "LC_ALL=C.UTF-8", "PGCONNECT_TIMEOUT=20")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s", out)
	}
	return strings.TrimSpace(string(out)), nil
}

// TestTLSOnEachSide logs in by each method under TLS on neither, either and both
// sides. Where a SCRAM login cannot go through, the client learns why.
func TestTLSOnEachSide(t *testing.T) {
	server := dbtest.Postgres(t)
	ca := ownAuthority(t, server)
	a := dbtest.NewAuthority(t)
	for _, c := range []struct{ client, server bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		t.Run(fmt.Sprintf("client %t server %t", c.client, c.server), func(t *testing.T) {
			change := []func(*pgwire.Door){}
			l := login{sslmode: "disable"}
			if c.client {
				change = append(change, listening(t, proxy.ListenTLSRequire, a, ""))
				l.sslmode, l.ca = "verify-full", a.CA
			}
			want := "false"
			if c.server {
				change = append(change, reaching(t, proxy.UpstreamTLSVerifyFull, false, proxy.UpstreamTLSFiles{CA: ca}))
				want = "true"
			}
			door := open(t, server.Addr(), capped(5, 0), change...)
			for _, role := range []string{server.User, dbtest.RoleSCRAM, dbtest.RoleMD5, dbtest.RoleCleartext} {
				for _, binding := range []string{"prefer", "disable"} {
					l.role, l.binding = role, binding
					impossible := role == dbtest.RoleSCRAM && binding == "prefer" && c.client && c.server
					client, seen, err := tryPgx(t, l.dsn(door))
					libpq, libpqErr := tryPsql(t, l.dsn(door))
					if impossible {
						for _, err := range []error{err, libpqErr} {
							if err == nil || !strings.Contains(err.Error(), "this login cannot pass through rowcap") {
								t.Errorf("%s, %s: %v", role, binding, err)
							}
						}
						if !strings.Contains(fmt.Sprint(libpqErr), "HINT:  connect with channel_binding=disable; or have rowcap started with the server's own certificate") {
							t.Errorf("psql says %v", libpqErr)
						}
						continue
					}
					if err != nil || client != c.client || strings.TrimSpace(seen) != want {
						t.Errorf("%s, %s: pgx has TLS %t, the server %s, %v", role, binding, client, seen, err)
					}
					if libpqErr != nil || libpq != want {
						t.Errorf("%s, %s: psql: the server has TLS %s, %v", role, binding, libpq, libpqErr)
					}
				}
			}
		})
	}
}

// TestChannelBinding is case C17: SCRAM through a door that ends TLS, for each
// wish of the client's.
func TestChannelBinding(t *testing.T) {
	server := dbtest.Postgres(t)
	ca := ownAuthority(t, server)
	a := dbtest.NewAuthority(t)
	const cannot = "this login cannot pass through rowcap: the client ties it to its connection with rowcap (SCRAM channel binding)"
	const notOffered = "channel binding"
	own := proxy.ListenTLSFiles{Certificate: filepath.Join(filepath.Dir(ca), "server.pem"), Key: filepath.Join(filepath.Dir(ca), "server.key")}
	toServer := reaching(t, proxy.UpstreamTLSVerifyCA, false, proxy.UpstreamTLSFiles{CA: ca})
	for _, c := range []struct {
		name                     string
		ca                       string
		change                   []func(*pgwire.Door)
		prefer, require, disable string // the error, "" for none
	}{
		{"TLS with the client only", a.CA, []func(*pgwire.Door){listening(t, proxy.ListenTLSAllow, a, "")}, "", notOffered, ""},
		{"two certificates", a.CA, []func(*pgwire.Door){listening(t, proxy.ListenTLSAllow, a, ""), toServer}, cannot, cannot, ""},
		{"the server's own certificate", ca, []func(*pgwire.Door){listeningWith(t, proxy.ListenTLSAllow, own), toServer}, "", "", ""},
	} {
		door := open(t, server.Addr(), capped(5, 0), c.change...)
		for binding, want := range map[string]string{"prefer": c.prefer, "require": c.require, "disable": c.disable} {
			l := login{role: dbtest.RoleSCRAM, sslmode: "verify-full", ca: c.ca, binding: binding}
			_, _, pgxErr := tryPgx(t, l.dsn(door))
			_, libpqErr := tryPsql(t, l.dsn(door))
			for client, err := range map[string]error{"pgx": pgxErr, "psql": libpqErr} {
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s, %s, %s: %v, want %q", c.name, client, binding, err, want)
				}
			}
		}
	}
	t.Run("a plain client that speaks of binding", func(t *testing.T) {
		r := dialRaw(t, open(t, server.Addr(), capped(5, 0), toServer).addr)
		r.startup(version3, "user", dbtest.RoleSCRAM, "database", "postgres")
		m, err := r.front.Receive()
		if s, ok := m.(*pgproto3.AuthenticationSASL); err != nil || !ok || fmt.Sprint(s.AuthMechanisms) != "[SCRAM-SHA-256]" {
			t.Fatalf("%+v, %v", m, err)
		}
		r.send(&pgproto3.SASLInitialResponse{AuthMechanism: "SCRAM-SHA-256", Data: []byte("y,,n=,r=abcdefgh")})
		r.fails("", "28000", cannot)
	})
	t.Run("a wrong password is still the server's to tell", func(t *testing.T) {
		door := open(t, server.Addr(), capped(5, 0), listeningWith(t, proxy.ListenTLSAllow, own), toServer)
		u, _ := url.Parse(login{role: dbtest.RoleSCRAM, sslmode: "require", binding: "require"}.dsn(door))
		u.User = url.UserPassword(dbtest.RoleSCRAM, "wrong")
		if _, err := pgx.Connect(ctx(t), u.String()); state(err) != "28P01" {
			t.Errorf("got %v", err)
		}
	})
}

// TestListenTLSModes has clients of each kind meet listeners of each kind.
func TestListenTLSModes(t *testing.T) {
	server := dbtest.Postgres(t)
	a, other := dbtest.NewAuthority(t), dbtest.NewAuthority(t)
	cert, key := a.Issue(validity, "client")
	foreign, foreignKey := other.Issue(validity, "client")
	none := func(*pgwire.Door) {}
	for _, c := range []struct {
		name   string
		change func(*pgwire.Door)
		login  login
		tls    bool
		pgx    string
		psql   string
	}{
		{"plain to allow", listening(t, proxy.ListenTLSAllow, a, ""), login{sslmode: "disable"}, false, "", ""},
		{"prefer to allow", listening(t, proxy.ListenTLSAllow, a, ""), login{sslmode: "prefer"}, true, "", ""},
		{"plain to require", listening(t, proxy.ListenTLSRequire, a, ""), login{sslmode: "disable"}, false, "this listener takes connections with TLS only", "HINT:  connect with sslmode=require or higher"},
		{"TLS to off", none, login{sslmode: "require"}, false, "server refused TLS connection", "server does not support SSL, but SSL was required"},
		{"prefer to off", none, login{sslmode: "prefer"}, false, "", ""},
		{"another host", listeningFor(t, a, "db.example"), login{sslmode: "verify-full", ca: a.CA}, false, "failed to verify certificate", "does not match host name"},
		{"another authority", listening(t, proxy.ListenTLSRequire, other, ""), login{sslmode: "verify-ca", ca: a.CA}, false, "unknown authority", "certificate verify failed"},
		{"no client certificate", listening(t, proxy.ListenTLSRequire, a, a.CA), login{sslmode: "require"}, false, "certificate required", "certificate required"},
		{"client certificate", listening(t, proxy.ListenTLSRequire, a, a.CA), login{sslmode: "verify-full", ca: a.CA, cert: cert, key: key}, true, "", ""},
		{"foreign client certificate", listening(t, proxy.ListenTLSRequire, a, a.CA), login{sslmode: "require", cert: foreign, key: foreignKey}, false, "certificate required", "unknown ca"},
	} {
		t.Run(c.name, func(t *testing.T) {
			door := open(t, server.Addr(), capped(5, 0), c.change)
			c.login.role = server.User
			client, _, err := tryPgx(t, c.login.dsn(door))
			if c.pgx == "" && (err != nil || client != c.tls) || c.pgx != "" && (err == nil || !strings.Contains(err.Error(), c.pgx)) {
				t.Errorf("pgx: TLS %t, %v, want %q", client, err, c.pgx)
			}
			_, err = tryPsql(t, c.login.dsn(door))
			if c.psql == "" && err != nil || c.psql != "" && (err == nil || !strings.Contains(err.Error(), c.psql)) {
				t.Errorf("psql: %v, want %q", err, c.psql)
			}
		})
	}
}

func listeningFor(t testing.TB, a *dbtest.Authority, host string) func(*pgwire.Door) {
	cert, key := a.Issue(validity, host)
	return listeningWith(t, proxy.ListenTLSRequire, proxy.ListenTLSFiles{Certificate: cert, Key: key})
}

// TestPostgres18 speaks protocol 3.2 with its long keys, by TLS that begins at once
// on both sides.
func TestPostgres18(t *testing.T) {
	server := dbtest.PostgresVersion(t, 18)
	a := dbtest.NewAuthority(t)
	door := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSRequire, a, ""),
		reaching(t, proxy.UpstreamTLSVerifyFull, true, proxy.UpstreamTLSFiles{CA: ownAuthority(t, server)}))
	l := login{role: server.User, sslmode: "verify-full", ca: a.CA, direct: true}
	if client, seen, err := tryPgx(t, l.dsn(door)); err != nil || !client || strings.TrimSpace(seen) != "true" {
		t.Errorf("TLS with the client %t, with the server %s, %v", client, seen, err)
	}
	l.role, l.binding = dbtest.RoleSCRAM, "disable"
	if _, _, err := tryPgx(t, l.dsn(door)); err != nil {
		t.Error(err)
	}
	c := dial(t, login{role: server.User, sslmode: "require"}.dsn(door)+"&max_protocol_version=3.2")
	if n := len(c.PgConn().SecretKey()); n != 32 {
		t.Errorf("the key has %d bytes", n)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := c.Exec(ctx(t), "SELECT pg_sleep(20)")
		failed <- err
	}()
	waitForSleep(t, server, "20")
	if err := c.PgConn().CancelRequest(ctx(t)); err != nil {
		t.Error(err)
	}
	if err := <-failed; state(err) != "57014" {
		t.Errorf("got %v", err)
	}
	r := dialRaw(t, door.addr).secure()
	r.startup(version3|9999, "user", server.User, "database", "postgres", "_pq_.unheard_of", "1")
	if got, e := r.types("Z"); got != "vRZ" {
		t.Errorf("got %q, %+v", got, e)
	}
}

// TestDirectTLS begins with TLS, without a request: on the client's side with pgx,
// and on the server's through a second door, as servers before 17 do not have it.
func TestDirectTLS(t *testing.T) {
	server := dbtest.Postgres(t)
	a := dbtest.NewAuthority(t)
	inner := open(t, server.Addr(), capped(5, 0), listening(t, proxy.ListenTLSRequire, a, ""))
	outer := open(t, inner.addr, capped(5, 0), listening(t, proxy.ListenTLSRequire, a, ""),
		reaching(t, proxy.UpstreamTLSVerifyFull, true, proxy.UpstreamTLSFiles{CA: a.CA}))
	for name, door := range map[string]*opened{"to rowcap": inner, "from rowcap": outer} {
		l := login{role: server.User, sslmode: "verify-full", ca: a.CA, direct: true}
		if client, _, err := tryPgx(t, l.dsn(door)); err != nil || !client {
			t.Errorf("%s: TLS %t, %v", name, client, err)
		}
	}
	t.Run("without ALPN", func(t *testing.T) {
		r := dialRaw(t, inner.addr)
		c := tls.Client(r.Conn, &tls.Config{InsecureSkipVerify: true})
		if err := c.Handshake(); err != nil {
			t.Fatal(err)
		}
		over := overTLS(r, c)
		over.fails("", "08P01", "ALPN did not name the protocol postgresql")
	})
	t.Run("another protocol", func(t *testing.T) {
		r := dialRaw(t, inner.addr)
		c := tls.Client(r.Conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"imap"}})
		if err := c.Handshake(); err == nil || !strings.Contains(err.Error(), "no application protocol") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("from a door before 17", func(t *testing.T) {
		if server.Version[:2] >= "17" {
			t.Skip("the server has direct TLS")
		}
		door := open(t, server.Addr(), capped(5, 0), reaching(t, proxy.UpstreamTLSRequire, true, proxy.UpstreamTLSFiles{}))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User)
		r.fails("", "08006", "the TLS handshake with the upstream at "+server.Addr()+" failed: ")
	})
}
