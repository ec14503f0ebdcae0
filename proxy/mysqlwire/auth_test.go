package mysqlwire_test

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// user creates a user whom no server has seen before and returns the server as seen
// by that user.
func user(t *testing.T, s *dbtest.Server, database, identified string) *dbtest.Server {
	t.Helper()
	name := strings.Replace(database, "rowcap_", "u_", 1)
	s.SQL(t, "", "CREATE USER "+name+"@'%' "+identified+"; GRANT ALL ON "+database+".* TO "+name+"@'%'")
	t.Cleanup(func() { s.SQL(t, "", "DROP USER "+name+"@'%'") })
	as := *s
	as.User, as.Password = name, "secret"
	return &as
}

// plugins are the ways to log in that each server has.
var plugins = map[string]map[string]string{
	dbtest.FlavorMariaDB: {
		"mysql_native_password": "IDENTIFIED BY 'secret'",
	},
	dbtest.FlavorMySQL: {
		// The first login of a user goes all the way: the client asks for the
		// server's RSA key and sends the password under it.
		"caching_sha2_password": "IDENTIFIED WITH caching_sha2_password BY 'secret'",
		"sha256_password":       "IDENTIFIED WITH sha256_password BY 'secret'",
	},
}

func TestLogin(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		for plugin, identified := range plugins[s.Flavor] {
			t.Run(plugin, func(t *testing.T) {
				database := s.Database(t)
				as := user(t, s, database, identified)
				run := serve(t, s.Addr(), policy(3, 10))
				for range 2 {
					want(t, query(t, connect(t, as, database, run, nil), "SELECT SUBSTRING_INDEX(USER(), '@', 1), DATABASE()"), as.User+"|"+database+"\n")
				}
				cfg := driver.NewConfig()
				cfg.User, cfg.Passwd, cfg.Net, cfg.Addr = as.User, "wrong", "tcp", run.addr
				connector, err := driver.NewConnector(cfg)
				if err != nil {
					t.Fatal(err)
				}
				_, err = connector.Connect(t.Context())
				var mine *driver.MySQLError
				if !errors.As(err, &mine) || mine.Number != 1045 {
					t.Errorf("a wrong password gives %v", err)
				}
			})
		}
	})
}

func TestChangeUser(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	as := user(t, s, database, "IDENTIFIED BY 'secret'")
	run := serve(t, s.Addr(), policy(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, database, 0))
	c.command(append([]byte{byte(packet.ComStmtPrepare)}, "SELECT n FROM parcels"...))
	c.prepared()
	ask(c.rawClient, "SET SESSION sql_mode = 'ANSI_QUOTES', sql_select_limit = 1")
	want(t, c.answer(0), "1 ok rows=0 warnings=0 ansi-quotes\n")
	ask(c.rawClient, "SELECT n FROM parcels")
	want(t, c.answer(0), "1 columns 1: n\n3 eof warnings=0 ansi-quotes\n4 row 1\n5 eof warnings=0 ansi-quotes\n")

	change := append([]byte{byte(packet.ComChangeUser)}, as.User+"\x00\x00"+database+"\x00\x2d\x00mysql_native_password\x00"...)
	c.command(change)
	a, err := packet.DecodeAuthSwitch(c.read())
	if err != nil {
		t.Fatal(err)
	}
	c.write(scramble(a.Plugin, as.Password, a.Data))
	if b := c.read(); b[0] != packet.OKHeader {
		t.Fatalf("the change of user is answered by %q", b)
	}
	ask(c.rawClient, "SELECT n, 'x' FROM parcels")
	want(t, c.answer(0), "1 columns 2: n x\n4 eof warnings=0\n5 row 1 x\n6 row 2 x\n7 row 3 x\n8 eof warnings=1\n")
	if p := run.lastPlan(t); p.Method != rewrite.MethodProbe {
		t.Errorf("plan is %v: %s", p.Method, p.Why)
	}
	c.command(packet.Execute{StatementID: c.ids[0], Iterations: 1}.Append(nil, 0))
	if got := c.answer(c.ids[0]); !strings.Contains(got, "1243") {
		t.Errorf("the statement from before: %s", got)
	}
	// A failed change leaves the session to the server.
	c.command(change)
	if a, err = packet.DecodeAuthSwitch(c.read()); err != nil {
		t.Fatal(err)
	}
	c.write(scramble(a.Plugin, "wrong", a.Data))
	wantErr(t, c.rawClient, 1045)
}

func TestProcessInfo(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(1, 10))
	a, b := newWireSide(dialRaw(t, s, run.addr, "", 0)), newWireSide(dialRaw(t, s, run.addr, "", 0))
	a.command([]byte{byte(packet.ComProcessInfo)})
	if got := a.answer(0); strings.Count(got, " row ") != 1 || !strings.Contains(got, "eof warnings=1") {
		t.Errorf("got %s", got)
	}
	ask(b.rawClient, "SELECT 7")
	want(t, b.answer(0), "1 columns 1: 7\n3 eof warnings=0\n4 row 7\n5 eof warnings=0\n")
}
