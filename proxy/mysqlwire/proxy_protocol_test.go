package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
)

// TestAnnounce has MariaDB know a client by its own address, as an account that is bound
// to it needs; by TLS with the server too.
func TestAnnounce(t *testing.T) {
	s := dbtest.MariaDB(t)
	const home = "127.0.0.9"
	s.SQL(t, "", "CREATE USER bound@'"+home+"' IDENTIFIED BY 'secret'; SET GLOBAL proxy_protocol_networks = '127.0.0.1'")
	t.Cleanup(func() {
		s.SQL(t, "", "DROP USER bound@'"+home+"'; SET GLOBAL proxy_protocol_networks = ''")
	})
	announces := func(d *mysqlwire.Door) { d.Announce = true }
	for _, c := range []struct {
		name, addr, from string
		err              bool
	}{
		{name: "straight", addr: s.Addr(), from: home},
		{name: "not told", addr: serve(t, s.Addr(), policy(5, 5)).addr, from: home, err: true},
		{name: "told", addr: serve(t, s.Addr(), policy(5, 5), announces).addr, from: home},
		{name: "told of another", addr: serve(t, s.Addr(), policy(5, 5), announces).addr, from: "127.0.0.8", err: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := driver.NewConfig()
			config.User, config.Passwd, config.Net, config.Addr = "bound", "secret", "tcp", c.addr
			config.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
				d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(c.from)}}
				return d.DialContext(ctx, network, addr)
			}
			connector, err := driver.NewConnector(config)
			if err != nil {
				t.Fatal(err)
			}
			db := sql.OpenDB(connector)
			defer db.Close()
			var user string
			if err = db.QueryRow("SELECT user()").Scan(&user); (err != nil) != c.err {
				t.Fatalf("got %v", err)
			}
			if want := fmt.Sprintf("bound@%s", home); err == nil && user != want {
				t.Errorf("the server has %s, want %s", user, want)
			}
		})
	}
	l := serveOn(t, "unix", t.TempDir()+"/s", s.Addr(), policy(5, 5), announces)
	config := driver.NewConfig()
	config.User, config.Passwd, config.Net, config.Addr = s.User, s.Password, "unix", l.addr
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var user string
	if err := db.QueryRow("SELECT user()").Scan(&user); err != nil {
		t.Errorf("by a unix socket: %v", err)
	}
}
