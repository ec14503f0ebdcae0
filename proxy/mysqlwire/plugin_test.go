package mysqlwire_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	osuser "os/user"
	"path/filepath"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// dialogues are logins whose packets go on as they are, whatever protects the two
// connections: what the server says, and what the client answers, in turns.
var dialogues = map[string][]string{
	"ed25519":   {"\xfeclient_ed25519\x00" + strings.Repeat("n", 32), strings.Repeat("s", 64)},
	"parsec":    {"\xfeparsec\x00" + strings.Repeat("n", 32), "", "\x01P\x00saltsalt", strings.Repeat("s", 96)},
	"dialog":    {"\xfedialog\x00\x05Password: ", "secret\x00", "\x01\x04One-time code: ", "123456\x00", "\x01\x05Once more: ", "654321\x00"},
	"cleartext": {"\xfemysql_clear_password\x00", "secret\x00"},
	"three factors": {"\xfemysql_native_password\x00" + strings.Repeat("n", 20) + "\x00", strings.Repeat("s", 20),
		"\x02mysql_clear_password\x00", "second\x00", "\x02authentication_webauthn_client\x00challenge", "assertion"},
	"gssapi":        {"\xfeauth_gssapi_client\x00principal\x00mech\x00", strings.Repeat("t", 3000), "\x01" + strings.Repeat("r", 2000), "done"},
	"no password":   {"\xfecaching_sha2_password\x00" + strings.Repeat("n", 20) + "\x00", "\x00"},
	"quick":         {"\xfecaching_sha2_password\x00" + strings.Repeat("n", 20) + "\x00", strings.Repeat("s", 32), "\x01\x03"},
	"no plugin":     {},
	"older than 41": {"\xfe", "12345678\x00"},
}

func TestDialogues(t *testing.T) {
	listen := listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow)
	for name, says := range dialogues {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s TLS %v", name, secure), func(t *testing.T) {
				f := fakeLogin(t, func(c *rawClient) {
					for i := 0; i < len(says); i += 2 {
						c.write([]byte(says[i]))
						if i+1 == len(says) {
							break
						}
						if b, err := c.tryRead(); err != nil || string(b) != says[i+1] {
							t.Errorf("the server gets %q, %v; want %q", b, err, says[i+1])
						}
					}
					c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
					c.seq = 0
					c.tryRead()
				})
				run := serve(t, f.addr, policy(3, 10), listen)
				c := greeted(t, run)
				if c.caps = baseCaps & fakeCaps; secure {
					c.caps |= packet.SSL
					c.startTLS()
				}
				answerGreeting(c)
				for i := 0; i < len(says); i += 2 {
					if b := c.read(); string(b) != says[i] {
						t.Errorf("the client gets %q, want %q", b, says[i])
					}
					if i+1 < len(says) {
						c.write([]byte(says[i+1]))
					}
				}
				if b := c.read(); b[0] != packet.OKHeader {
					t.Errorf("the login gives %x", b)
				}
			})
		}
	}
}

// TestServerSpeaksTwice has a server that gives up while the client thinks.
func TestServerSpeaksTwice(t *testing.T) {
	f := fakeLogin(t, func(c *rawClient) {
		c.write([]byte("\xfedialog\x00\x04Code: "))
		c.write((&packet.Err{Code: 1045, State: "28000", Message: "too late"}).Append(nil))
	})
	run := serve(t, f.addr, policy(3, 10))
	c := greeted(t, run)
	answerGreeting(c)
	c.read()
	wantErr(t, c, 1045)
	wantClosed(t, c)
}

// TestPasswordUnderForeignKey has a client with a copy of the server's key, where the
// server gets passwords under TLS.
func TestPasswordUnderForeignKey(t *testing.T) {
	s := dbtest.MySQL(t)
	database := s.Database(t)
	as := user(t, s, database, "IDENTIFIED WITH caching_sha2_password BY 'secret'")
	run := serve(t, s.Addr(), policy(3, 10), upstreamTLS(t, proxy.UpstreamTLSRequire, ""))
	c := greeted(t, run)
	c.caps = baseCaps
	c.write(packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, User: []byte(as.User), Auth: make([]byte, 32), AuthPlugin: []byte("caching_sha2_password")}.Append(nil))
	if b := c.read(); !bytes.Equal(b, []byte{1, 4}) {
		t.Fatalf("got %x", b)
	}
	c.write(bytes.Repeat([]byte{7}, 256))
	if e := wantErr(t, c, 1045); !strings.Contains(e.Message, "has a copy of the server's public key") {
		t.Errorf("error is %v", e)
	}
	wantClosed(t, c)

	// Under rowcap's own key it must be a password.
	c = greeted(t, run)
	c.write(packet.HandshakeResponse{Capabilities: baseCaps, MaxPacketSize: 1 << 24, User: []byte(as.User), Auth: make([]byte, 32), AuthPlugin: []byte("caching_sha2_password")}.Append(nil))
	c.read()
	c.write([]byte{2})
	if b := c.read(); !bytes.Contains(b, []byte("BEGIN PUBLIC KEY")) {
		t.Fatalf("got %q", b)
	}
	c.write(bytes.Repeat([]byte{7}, 256))
	if e := wantErr(t, c, 1045); !strings.Contains(e.Message, "did not come under the key") {
		t.Errorf("error is %v", e)
	}
}

// TestSocketIdentity logs in by the operating system's user on the server's socket:
// nobody may do so by rowcap's.
func TestSocketIdentity(t *testing.T) {
	s := dbtest.MariaDB(t)
	if s.Socket == "" {
		t.Skip("the given server is not reached by a socket")
	}
	me, err := osUser(t)
	if err != nil {
		t.Fatal(err)
	}
	s.SQL(t, "", "CREATE USER IF NOT EXISTS "+me+"@localhost; ALTER USER "+me+"@localhost IDENTIFIED VIA unix_socket")
	t.Cleanup(func() { s.SQL(t, "", "ALTER USER "+me+"@localhost IDENTIFIED BY ''") })
	as := *s
	as.User, as.Password = me, ""
	run := serve(t, s.Socket, policy(3, 10))
	_, err = tryDriver(&as, "", run.addr, "", nil)
	var mine *driver.MySQLError
	if !errors.As(err, &mine) || mine.Number != 1045 || !strings.Contains(mine.Message, "rowcap itself would be taken for this user") {
		t.Errorf("a login as %s gives %v", me, err)
	}
	// Nor by a change of user.
	c := dialRaw(t, s, run.addr, "", 0)
	c.command(packet.ChangeUser{User: []byte(me), Collation: 45, AuthPlugin: []byte("mysql_native_password")}.Append(nil, c.caps))
	wantErr(t, c, 1045)
	wantClosed(t, c)
	// By TCP the server does not take it for anybody.
	byTCP := serve(t, s.Addr(), policy(3, 10))
	if _, err = tryDriver(&as, "", byTCP.addr, "", nil); err == nil || strings.Contains(err.Error(), "rowcap itself") {
		t.Errorf("by TCP a login as %s gives %v", me, err)
	}
	// Who is that user already may be.
	listen := filepath.Join(t.TempDir(), "door")
	local := serveOn(t, "unix", listen, s.Socket, policy(3, 10))
	cfg := driver.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = me, "unix", local.addr
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connector.Connect(t.Context())
	if err != nil {
		t.Fatalf("by a socket a login as %s gives %v", me, err)
	}
	conn.Close()
}

// osUser is the operating system's user of this test.
func osUser(t *testing.T) (string, error) {
	t.Helper()
	u, err := osuser.Current()
	if err != nil {
		return "", err
	}
	return u.Username, nil
}

// TestSeveralUpstreams goes to the first server that accepts, TLS and all.
func TestSeveralUpstreams(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	dead := proxy.Address{Network: "unix", Addr: filepath.Join(t.TempDir(), "nobody")}
	alive := proxy.Address{Network: "tcp", Addr: s.Addr()}
	run := serve(t, s.Addr(), policy(3, 10), upstreamTLS(t, proxy.UpstreamTLSVerifyFull, s.CA),
		func(d *mysqlwire.Door) { d.Upstreams = proxy.Upstreams{dead, alive} })
	got, err := tryDriver(s, database, run.addr, s.Password, nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, got, s.User+" encrypted=true 1 2 3 ")

	none := serve(t, s.Addr(), policy(3, 10), func(d *mysqlwire.Door) {
		d.Upstreams = proxy.Upstreams{dead, {Network: "unix", Addr: dead.Addr + "2"}}
	})
	_, err = tryDriver(s, database, none.addr, s.Password, nil)
	var mine *driver.MySQLError
	if !errors.As(err, &mine) || mine.Number != 61003 || strings.Count(mine.Message, "no such file") != 2 {
		t.Errorf("without a server: %v", err)
	}
}

// TestOwnCertificate shows the server's own certificate to clients that trust its
// authority.
func TestOwnCertificate(t *testing.T) {
	s := dbtest.MariaDB(t)
	if s.CA == "" {
		t.Skip("the given server's certificate is not known")
	}
	database := s.Database(t)
	s.SQL(t, database, parcels)
	folder := filepath.Dir(s.CA)
	if _, err := os.Stat(filepath.Join(folder, "server.key")); err != nil {
		t.Fatal(err)
	}
	l, err := proxy.NewListenTLS(proxy.ListenTLSRequire, proxy.ListenTLSFiles{Certificate: filepath.Join(folder, "server.pem"), Key: filepath.Join(folder, "server.key")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := serve(t, s.Addr(), policy(3, 10), func(d *mysqlwire.Door) { d.ListenTLS = l }, upstreamTLS(t, proxy.UpstreamTLSVerifyFull, s.CA))
	config := roots(t, s.CA)
	got, err := tryDriver(s, database, run.addr, s.Password, config)
	if err != nil {
		t.Fatal(err)
	}
	want(t, got, s.User+" encrypted=true 1 2 3 ")
}

// TestEd25519 logs in by MariaDB's plugin of that name, where it is installed;
// TestDialogues has its packets.
func TestEd25519(t *testing.T) {
	s := dbtest.MariaDB(t)
	folder := strings.TrimSpace(s.SQL(t, "", "SELECT @@plugin_dir"))
	if _, err := os.Stat(filepath.Join(folder, "auth_ed25519.so")); err != nil {
		t.Skip("the plugin comes with the package mariadb-server, which is not installed")
	}
	s.SQL(t, "", "INSTALL SONAME 'auth_ed25519'")
	t.Cleanup(func() { s.SQL(t, "", "UNINSTALL SONAME 'auth_ed25519'") })
	database := s.Database(t)
	s.SQL(t, database, parcels)
	as := user(t, s, database, "IDENTIFIED VIA ed25519 USING PASSWORD('secret')")
	authority := dbtest.NewAuthority(t)
	run := serve(t, s.Addr(), policy(3, 10), listenTLS(t, authority, proxy.ListenTLSAllow), upstreamTLS(t, proxy.UpstreamTLSRequire, ""))
	for _, config := range []*tls.Config{nil, roots(t, authority.CA)} {
		got, err := tryDriver(as, database, run.addr, as.Password, config)
		if err != nil {
			t.Fatal(err)
		}
		want(t, got, as.User+" encrypted=true 1 2 3 ")
		var mine *driver.MySQLError
		if _, err := tryDriver(as, database, run.addr, "wrong", config); !errors.As(err, &mine) || mine.Number != 1045 {
			t.Errorf("a wrong password gives %v", err)
		}
	}
}
