package pgwire_test

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

const version3 = 3 << 16

func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := l.Addr().String()
	l.Close()
	for upstream, cause := range map[string]string{
		nobody:                "connection refused",
		"/nowhere/socket":     "no such file or directory",
		"unknown.invalid:123": "",
	} {
		door := open(t, upstream, capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.fails("", "08006", "cannot reach the upstream at "+upstream+": ")
		if err := door.end(t); err == nil || !strings.Contains(err.Error(), cause) {
			t.Errorf("%s: Serve returned %v", upstream, err)
		}
	}
}

// TestUpstreamDies has the server go in the middle of a result, at each kind of
// place.
func TestUpstreamDies(t *testing.T) {
	row := appendMessage(t, &pgproto3.DataRow{Values: [][]byte{[]byte("abcdefghij")}})
	large := appendMessage(t, &pgproto3.DataRow{Values: [][]byte{make([]byte, 200_000)}})
	for _, c := range []struct {
		name   string
		answer []byte
		want   string // what the client gets; E is the fatal error
	}{
		{"before the answer", nil, "E-"},
		{"between rows", append(row[:len(row):len(row)], row...), "DDE-"},
		{"in a row", append(row[:len(row):len(row)], row[:9]...), "DE-"},
		{"in a header", append(row[:len(row):len(row)], row[:3]...), "DE-"},
		{"in a row that fits no buffer", append(row[:len(row):len(row)], large[:100_000]...), "D-"},
		{"with the start of a CommandComplete", append(row[:len(row):len(row)], 'C', 0, 0, 0, 13, 'S', 'E', 'L'), "DE-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := upstream(t, func(b *pgproto3.Backend, conn net.Conn) {
				b.Receive()
				conn.Write(c.answer)
			})
			door := open(t, at, capped(5, 0))
			r := dialRaw(t, door.addr)
			r.startup(version3, "user", "a")
			r.types("Z")
			r.send(&pgproto3.Query{String: "SELECT 1 FROM generate_series(1, 3)"})
			got, e := r.types("-")
			r.Close()
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if strings.Contains(c.want, "E") && (e == nil || e.Code != "08006" || !strings.Contains(e.Detail, "not a complete result")) {
				t.Errorf("got %+v", e)
			}
			if err := door.end(t); err == nil {
				t.Error("Serve returned no error")
			}
		})
	}
}

func appendMessage(t *testing.T, m pgproto3.Message) []byte {
	t.Helper()
	b, err := m.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUpstreamKilled(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	r := dialRaw(t, door.addr)
	r.startup(version3, "user", server.User, "database", "postgres", "application_name", "rowcap_killed")
	r.types("Z")
	server.SQL(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rowcap_killed'")
	r.fails("", "57P01", "terminating connection due to administrator command")
	if err := door.end(t); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

func TestStartup(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	for _, value := range []string{"true", "on", "1", "database", "YES", "t"} {
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, "replication", value)
		r.fails("", "0A000", "replication connections are refused")
	}
	for version, want := range map[uint32]string{version3: "RZ", version3 | 2: "vRZ", version3 | 9999: "vRZ"} {
		r := dialRaw(t, door.addr)
		for _, request := range []string{"\x00\x00\x00\x08\x04\xd2\x16\x30", "\x00\x00\x00\x08\x04\xd2\x16\x2f"} {
			r.write([]byte(request))
			var answer [1]byte
			if _, err := r.Read(answer[:]); err != nil || answer[0] != 'N' {
				t.Fatalf("got %q, %v", answer, err)
			}
		}
		r.startup(version, "user", server.User, "database", "postgres", "replication", "off")
		if got, _ := r.types("Z"); got != want && strings.HasPrefix(server.Version, "15") {
			t.Errorf("version %d: got %q, want %q", version&0xffff, got, want)
		}
		r.send(&pgproto3.Query{String: "SELECT generate_series(1, 9)"}, &pgproto3.Terminate{})
		if got, _ := r.types("-"); !strings.HasPrefix(got, "TDDDDDNCZ") {
			t.Errorf("got %q", got)
		}
	}
}

// TestClientVanishes ends the client's side in different states; the server's
// session must be gone at once.
func TestClientVanishes(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(0, 0))
	for name, message := range map[string]string{
		"idle":            "",
		"mid result":      "Q\x00\x00\x00\x3fSELECT repeat('x', 1000) FROM generate_series(1, 10000000)\x00",
		"in a query":      "Q\x00\x00\x00\x40SELECT",
		"in a copy chunk": "d\x00\x10\x00\x00" + strings.Repeat("x", 90<<10),
	} {
		t.Run(name, func(t *testing.T) {
			r := dialRaw(t, door.addr)
			r.startup(version3, "user", server.User, "database", "postgres", "application_name", "rowcap_vanishing")
			r.types("Z")
			r.write([]byte(message))
			if name == "mid result" {
				r.types("D")
			}
			time.Sleep(100 * time.Millisecond)
			r.Close()
			err := door.end(t)
			if (err == nil) != (name == "idle") {
				t.Errorf("Serve returned %v", err)
			}
			for range 100 {
				if strings.TrimSpace(server.SQL(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rowcap_vanishing'")) == "0" {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			t.Error("the server's session is still there")
		})
	}
}

// TestSlowClient checks that neither a client that does not read nor one that
// only writes makes memory grow.
func TestSlowClient(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(0, 0))
	sync := appendMessage(t, &pgproto3.Sync{})
	for name, write := range map[string]func(*raw){
		"does not read": func(r *raw) {
			r.send(&pgproto3.Query{String: "SELECT repeat('x', 1000) FROM generate_series(1, 10000000)"})
			time.Sleep(time.Second)
		},
		"only writes": func(r *raw) {
			r.SetDeadline(time.Now().Add(3 * time.Second))
			many := []byte(strings.Repeat(string(sync), 10_000))
			for {
				if _, err := r.Write(many); err != nil {
					return
				}
			}
		},
	} {
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, "database", "postgres")
		r.types("Z")
		before := heap()
		write(r)
		if grown := int64(heap()) - int64(before); grown > 16<<20 {
			t.Errorf("%s: the heap grew by %d bytes", name, grown)
		}
		r.Close()
		door.end(t)
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestManyPortals opens more portals than are followed: one too many is refused,
// and the session goes on.
func TestManyPortals(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED, NOT PASSED: takes several seconds")
	}
	server := dbtest.Postgres(t)
	r := dialRaw(t, open(t, server.Addr(), capped(5, 0)).addr)
	r.SetDeadline(time.Now().Add(2 * time.Minute))
	r.startup(version3, "user", server.User, "database", "postgres")
	r.types("Z")
	go func() {
		var b []byte
		for i := range 10_200 {
			b, _ = (&pgproto3.Bind{DestinationPortal: fmt.Sprint("p", i), PreparedStatement: "s"}).Encode(b)
		}
		b, _ = (&pgproto3.Sync{}).Encode(b)
		first, _ := (&pgproto3.Query{String: "BEGIN"}).Encode(nil)
		first, _ = (&pgproto3.Parse{Name: "s", Query: "SELECT 1"}).Encode(first)
		r.Write(append(first, b...))
	}()
	r.types("Z")
	got, e := r.types("Z")
	if e == nil || e.Code != "53400" || !strings.Contains(e.Message, "too many portals") || strings.Count(got, "E") != 1 {
		t.Errorf("got %+v", e)
	}
	r.send(&pgproto3.Query{String: "ROLLBACK"}, &pgproto3.Query{String: "SELECT generate_series(1, 9)"})
	r.types("Z")
	if got, _ := r.types("Z"); got != "TDDDDDNCZ" {
		t.Errorf("got %q", got)
	}
}

// TestStress runs many sessions at once.
func TestStress(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, parcels)
	door := open(t, server.Addr(), capped(5, 0))
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() {
			errs <- func() error {
				c, err := pgx.Connect(context.Background(), door.through(server, database))
				if err != nil {
					return err
				}
				defer c.Close(context.Background())
				for range 200 {
					rows, _ := c.Query(context.Background(), "SELECT n FROM parcels ORDER BY n")
					if got, err := pgx.CollectRows(rows, pgx.RowTo[int]); err != nil || len(got) != 5 {
						return fmt.Errorf("%v, %v", got, err)
					}
				}
				return nil
			}()
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
