package pgwire_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

func strict() rewrite.Policy {
	p := capped(5, 0)
	p.Overflow = rewrite.OverflowError
	return p
}

// TestOverflowPgx is the overflow policy error as a driver sees it in each of its
// modes.
func TestOverflowPgx(t *testing.T) {
	server := dbtest.Postgres(t)
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			database := server.Database(t)
			server.SQL(t, database, parcels)
			c := dial(t, open(t, server.Addr(), strict()).through(server, database), func(f *pgx.ConnConfig) { f.DefaultQueryExecMode = mode })
			for range 7 {
				rows, err := c.Query(ctx(t), "SELECT n FROM parcels WHERE n > $1 ORDER BY n", 2)
				if err == nil {
					_, err = pgx.CollectRows(rows, pgx.RowTo[int])
				}
				if state(err) != "RC002" || !strings.Contains(err.Error(), "cap 5 from the default limit; at least 6 rows were found") {
					t.Fatalf("got %v", err)
				}
				if got, _ := c.numbers("SELECT n FROM parcels WHERE n > $1 ORDER BY n", 9); fmt.Sprint(got) != "[10 11 12]" {
					t.Fatalf("got %v", got)
				}
			}
			tx, err := c.Begin(ctx(t))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(ctx(t), "INSERT INTO parcels VALUES (50, 'x')"); err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(ctx(t), "SELECT n FROM parcels"); state(err) != "RC002" {
				t.Errorf("got %v", err)
			}
			if err := tx.Commit(ctx(t)); err == nil {
				t.Error("the transaction was committed behind the error")
			}
			var b pgx.Batch
			b.Queue("INSERT INTO parcels VALUES (51, 'x')")
			b.Queue("SELECT n FROM parcels ORDER BY n")
			b.Queue("INSERT INTO parcels VALUES (52, 'x')")
			if err := c.SendBatch(ctx(t), &b).Close(); state(err) != "RC002" {
				t.Errorf("got %v", err)
			}
			if got, _ := c.numbers("SELECT count(*)::int FROM parcels"); fmt.Sprint(got) != "[12]" {
				t.Errorf("%v rows are left", got)
			}
			if len(c.notices) > 0 {
				t.Errorf("got notices %+v", c.notices)
			}
		})
	}
}

// TestOverflowDeepPipeline holds messages back while much is sent and received.
func TestOverflowDeepPipeline(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	c := dial(t, open(t, server.Addr(), strict()).through(server, database))
	pad := strings.Repeat("x", 2000)
	var b pgx.Batch
	for i := range 300 {
		b.Queue("SELECT $1 || label FROM parcels WHERE n < 5", pad)
		b.Queue("UPDATE parcels SET label = $1 WHERE n = 12", fmt.Sprint(i))
	}
	results := c.SendBatch(ctx(t), &b)
	for range 300 {
		rows, err := results.Query()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := pgx.CollectRows(rows, pgx.RowTo[string]); err != nil || len(got) != 4 {
			t.Fatalf("%d rows, %v", len(got), err)
		}
		if _, err := results.Exec(); err != nil {
			t.Fatal(err)
		}
	}
	if err := results.Close(); err != nil {
		t.Fatal(err)
	}
	if got := server.SQL(t, database, "SELECT label FROM parcels WHERE n = 12"); got != "299" {
		t.Errorf("got %s", got)
	}
}

// TestHeldBack has either side go away while messages are held back for an answer.
func TestHeldBack(t *testing.T) {
	execute := []pgproto3.FrontendMessage{&pgproto3.Parse{Query: "SELECT n FROM parcels"}, &pgproto3.Bind{}, &pgproto3.Execute{},
		&pgproto3.Parse{Query: "INSERT INTO parcels VALUES (1)"}, &pgproto3.Bind{}, &pgproto3.Execute{}, &pgproto3.Sync{}}
	query := []pgproto3.FrontendMessage{&pgproto3.Query{String: "SELECT n FROM parcels; INSERT INTO parcels VALUES (1)"}}
	for name, messages := range map[string][]pgproto3.FrontendMessage{"extended": execute, "simple": query} {
		for _, serverGoes := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", the server goes: ", serverGoes), func(t *testing.T) {
				flushed, gone, inserted := make(chan struct{}), make(chan struct{}), false
				addr := upstream(t, func(b *pgproto3.Backend, c net.Conn) {
					for {
						m, err := b.Receive()
						if err != nil {
							break
						}
						switch m := m.(type) {
						case *pgproto3.Parse:
							inserted = inserted || strings.HasPrefix(m.Query, "INSERT")
						case *pgproto3.Flush:
							if serverGoes {
								c.Close()
							}
							close(flushed)
						}
					}
					close(gone)
				})
				door := open(t, addr, strict())
				r := dialRaw(t, door.addr)
				r.startup(3<<16, "user", "a")
				r.types("Z")
				r.send(messages...)
				<-flushed
				if serverGoes {
					if letters, e := r.types("-"); letters != "E-" || e.Code != "08006" || !strings.Contains(e.Detail, "not a complete result") {
						t.Errorf("got %q, %+v", letters, e)
					}
				} else {
					r.Close()
				}
				if err := door.end(t); err == nil {
					t.Error("the session ended in order")
				}
				<-gone
				if inserted {
					t.Error("what stands behind the statement was sent")
				}
			})
		}
	}
}

// TestHeldBackShutdown cuts a session off that holds messages back.
func TestHeldBackShutdown(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), strict(), func(d *pgwire.Door) {})
	c := dial(t, door.through(server, server.Database(t)))
	done := make(chan error, 1)
	go func() {
		_, err := c.Exec(context.Background(), "SELECT pg_sleep(60) FROM generate_series(1, 9); SELECT 1", pgx.QueryExecModeSimpleProtocol)
		done <- err
	}()
	waitForSleep(t, server, "60")
	door.cancel()
	door.cut()
	select {
	case err := <-done:
		if state(err) != "57P01" {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the session went on")
	}
}
