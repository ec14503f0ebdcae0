package mysqlwire_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

func TestUpstreamBySocket(t *testing.T) {
	s := dbtest.MariaDB(t)
	if s.Socket == "" {
		t.Skip("the given server is not reached by a socket")
	}
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Socket, policy(3, 10))
	c := connect(t, s, database, run, nil)
	want(t, query(t, c, "SELECT n FROM parcels ORDER BY n"), "1\n2\n3\n")
}

// TestKilledSession kills an idle session at the server: the client is told, or at
// least finds its connection closed, without asking for anything.
func TestKilledSession(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		run := serve(t, s.Addr(), policy(3, 10))
		c := newWireSide(dialRaw(t, s, run.addr, "", 0))
		ask(c.rawClient, "SELECT CONNECTION_ID()")
		id := strings.Fields(strings.Split(c.answer(0), "\n")[2])[2]
		s.SQL(t, "", "KILL "+id)
		c.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		c.seq = 0
		if b, err := c.tryRead(); err == nil && b[0] != packet.ErrHeader {
			t.Errorf("got %x", b)
		} else if err == nil {
			wantClosed(t, c.rawClient)
		}
		if err := run.wait(t); err != nil && !strings.Contains(err.Error(), "the client") {
			t.Errorf("the session ended with %v", err)
		}
	})
}

// TestManySessions has many clients at once, each of which must see its own rows
// only.
func TestManySessions(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), policy(3, 10))
	var all sync.WaitGroup
	for i := range 20 {
		c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = i%2 == 0 })
		all.Go(func() {
			for j := range 30 {
				n := i%9 + 1
				rows, err := c.QueryContext(context.Background(), "SELECT n FROM parcels WHERE n >= ? ORDER BY n", n)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := readResults(rows)
				if want := fmt.Sprintf("%d\n%d\n%d\n", n, n+1, n+2); got != want || err != nil {
					t.Errorf("session %d, query %d: %q, %v", i, j, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}
