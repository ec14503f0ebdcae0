package pgwire_test

import (
	"context"
	"crypto/sha256"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

// serveOn has a door in front of upstream carry the one connection that l accepts.
func serveOn(t *testing.T, l net.Listener, upstream string, p rewrite.Policy) <-chan error {
	t.Helper()
	r, err := rewrite.New(postgres.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	at, err := proxy.ParseAddress(upstream)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			err = pgwire.New(at, r, nil).Serve(context.Background(), c)
		}
		ended <- err
	}()
	return ended
}

// TestUnixSockets has a session over unix sockets on both sides, with messages that
// fill many buffers in both directions.
func TestUnixSockets(t *testing.T) {
	server := dbtest.Postgres(t)
	path := t.TempDir() + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ended := serveOn(t, l, server.Socket, capped(5, 0))
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(30 * time.Second))
	r := &raw{Conn: c, t: t, front: pgproto3.NewFrontend(c, c)}
	r.startup(version3, "user", server.User, "database", "postgres")
	if got, e := r.types("Z"); !strings.HasSuffix(got, "Z") {
		t.Fatalf("got %q, %+v; Serve returned %v", got, e, <-ended)
	}
	long := strings.Repeat("x", 300_000)
	r.send(&pgproto3.Query{String: "SELECT '" + long + "' FROM generate_series(1, 9)"})
	for rows := 0; ; {
		m, err := r.front.Receive()
		if err != nil {
			t.Fatalf("%v; Serve returned %v", err, <-ended)
		}
		if e, ok := m.(*pgproto3.ErrorResponse); ok {
			t.Fatalf("got %+v", *e)
		}
		if d, ok := m.(*pgproto3.DataRow); ok {
			if rows++; string(d.Values[0]) != long {
				t.Fatalf("row %d has %d bytes", rows, len(d.Values[0]))
			}
		}
		if _, ok := m.(*pgproto3.ReadyForQuery); ok {
			if rows != 5 {
				t.Errorf("got %d rows", rows)
			}
			break
		}
	}
	r.send(&pgproto3.Terminate{})
	if err := <-ended; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// TestNoRoom reads a result a little at a time, so that the client's socket
// has no room most of the time, and compares it with what the server sends.
func TestNoRoom(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(0, 0))
	read := func(addr string, slow bool) [sha256.Size]byte {
		r := dialRaw(t, addr)
		r.startup(version3, "user", server.User, "database", "postgres")
		r.types("Z")
		r.send(&pgproto3.Query{String: "SELECT n, repeat('y', n % 3000) FROM generate_series(1, 8000) n"}, &pgproto3.Terminate{})
		if slow {
			time.Sleep(200 * time.Millisecond)
		}
		sum, b := sha256.New(), make([]byte, 3001)
		for i := 0; ; i++ {
			n, err := r.Read(b)
			sum.Write(b[:n])
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if slow && i%500 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		return [sha256.Size]byte(sum.Sum(nil))
	}
	// rowcap.last stands in the one result only, so both go through the door.
	if read(door.addr, true) != read(door.addr, false) {
		t.Error("the slow client got other bytes")
	}
}

// TestFullQueue has a client send more messages than the queue holds before the
// server answers any.
func TestFullQueue(t *testing.T) {
	const syncs = 40_000
	at := upstream(t, func(b *pgproto3.Backend, conn net.Conn) {
		time.Sleep(500 * time.Millisecond)
		answer, _ := (&pgproto3.ReadyForQuery{TxStatus: 'I'}).Encode(nil)
		for range syncs {
			if _, err := b.Receive(); err != nil {
				return
			}
			if _, err := conn.Write(answer); err != nil {
				return
			}
		}
		b.Receive() // the client leaves first
	})
	door := open(t, at, capped(5, 0))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", "a")
	r.types("Z")
	var sending sync.WaitGroup
	sending.Go(func() { r.Write([]byte(strings.Repeat("S\x00\x00\x00\x04", syncs))) })
	for i := range syncs {
		if got, _ := r.types("Z"); got != "Z" {
			t.Fatalf("after %d answers: %q", i, got)
		}
	}
	sending.Wait()
	r.Close()
	if err := door.end(t); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// TestClosedAtWork closes the client's connection from outside while the session is
// blocked on the server, which does not read.
func TestClosedAtWork(t *testing.T) {
	at := listen(t, func(c net.Conn) {
		ready, _ := (&pgproto3.ReadyForQuery{TxStatus: 'I'}).Encode([]byte("R\x00\x00\x00\x08\x00\x00\x00\x00"))
		c.Write(ready)
		time.Sleep(3 * time.Second)
	})
	r, err := rewrite.New(postgres.New(), capped(5, 0))
	if err != nil {
		t.Fatal(err)
	}
	address, _ := proxy.ParseAddress(at)
	server := &proxy.Server{Drain: -1}
	addr, err := server.Listen(proxy.Route{Listen: proxy.Address{Network: "tcp", Addr: "127.0.0.1:0"}, Upstreams: proxy.Upstreams{address}}, pgwire.New(address, r, nil))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	c := dialRaw(t, addr.String())
	c.startup(version3, "user", "a")
	c.types("Z")
	var sending sync.WaitGroup
	sending.Go(func() {
		c.Write([]byte("d\x01\x00\x00\x04"))
		c.Write(make([]byte, 16<<20))
	})
	time.Sleep(500 * time.Millisecond)
	begun := time.Now()
	cancel()
	if err := <-served; err != nil || time.Since(begun) > 8*time.Second {
		t.Errorf("Serve returned %v after %s", err, time.Since(begun))
	}
	c.Close()
	sending.Wait()
}

// TestOneProcessor has several sessions share the one thread that runs Go code.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	var clients sync.WaitGroup
	for range 8 {
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, "database", "postgres")
		r.types("Z")
		clients.Go(func() {
			for range 50 {
				r.send(&pgproto3.Query{String: "SELECT generate_series(1, 9)"})
				if got, _ := r.types("Z"); got != "TDDDDDNCZ" {
					t.Errorf("got %q", got)
					return
				}
			}
			r.send(&pgproto3.Terminate{})
		})
	}
	clients.Wait()
	for range 8 {
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	}
}
