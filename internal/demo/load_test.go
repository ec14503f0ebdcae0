package demo_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/demo"
)

// onCreate relays connections to upstream, and calls do when the statement that makes the
// schema has been sent on; nothing of the server's comes back before do returns.
func onCreate(t *testing.T, upstream string, do func()) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	relay := func(client, server net.Conn) {
		defer client.Close()
		defer server.Close()
		var turn sync.Mutex
		all.Go(func() {
			defer client.Close()
			b := make([]byte, 64<<10)
			for {
				n, err := server.Read(b)
				turn.Lock()
				if n > 0 {
					client.Write(b[:n])
				}
				turn.Unlock()
				if err != nil {
					return
				}
			}
		})
		b := make([]byte, 64<<10)
		for {
			n, err := client.Read(b)
			creates := bytes.Contains(b[:n], []byte("CREATE SCHEMA"))
			if creates {
				turn.Lock()
			}
			server.Write(b[:n])
			if creates {
				do()
				turn.Unlock()
			}
			if err != nil {
				return
			}
		}
	}
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", upstream)
			if err != nil {
				t.Error(err)
				client.Close()
				continue
			}
			all.Go(func() { relay(client, server) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return l.Addr().String()
}

// TestLoadIsCancelled cancels amid the statement that makes the schema, which takes effect
// all the same: nothing is left of it.
func TestLoadIsCancelled(t *testing.T) {
	for flavor, get := range map[string]func(testing.TB) *dbtest.Server{"postgres": dbtest.Postgres, "mariadb": dbtest.MariaDB, "mysql": dbtest.MySQL} {
		t.Run(flavor, func(t *testing.T) {
			server := get(t)
			at := place(t, server)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			created := false
			behind, err := demo.ParsePlace(at.By(onCreate(t, server.Addr(), func() {
				for range 100 {
					if created = schemas(t, server, at) == "1"; created {
						break
					}
					time.Sleep(20 * time.Millisecond)
				}
				cancel()
				time.Sleep(100 * time.Millisecond)
			}), ""))
			if err != nil {
				t.Fatal(err)
			}
			if err := demo.Load(ctx, behind, rewriter(t, at.Dialect, demo.NoLimits())); !errors.Is(err, context.Canceled) {
				t.Errorf("Load: %v", err)
			}
			if !created {
				t.Error("the schema was not made")
			}
			if got := schemas(t, server, at); got != "0" {
				t.Errorf("%s schemas are left", got)
			}
		})
	}
}

// schemas is the number of the demo's schemas on a server.
func schemas(t *testing.T, s *dbtest.Server, at demo.Place) string {
	t.Helper()
	return s.SQL(t, strings.TrimPrefix(at.Database(), "/"), "SELECT count(*) FROM information_schema.schemata WHERE schema_name = '"+demo.Schema+"'")
}
