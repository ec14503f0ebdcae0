package pgwire_test

import (
	"bytes"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

func TestShutdown(t *testing.T) {
	server := dbtest.Postgres(t)
	start := func(t *testing.T, most uint64) (*opened, *raw) {
		door := open(t, server.Addr(), capped(most, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", server.User, "database", "postgres")
		r.types("Z")
		return door, r
	}
	// cut expects the end of a session that was cut amid an answer.
	cut := func(t *testing.T, door *opened) {
		t.Helper()
		begun := time.Now()
		err := door.end(t)
		if err == nil || !strings.Contains(err.Error(), "rowcap is shutting down") || strings.Contains(err.Error(), "client") {
			t.Errorf("Serve returned %v", err)
		}
		if took := time.Since(begun); took > 4*time.Second {
			t.Errorf("took %s", took)
		}
	}
	t.Run("idle", func(t *testing.T) {
		door, r := start(t, 5)
		door.cancel()
		r.fails("", "57P01", "shutting down")
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("busy", func(t *testing.T) {
		door, r := start(t, 5)
		r.send(&pgproto3.Query{String: "SELECT pg_sleep(1.5)"})
		waitForSleep(t, server, "1.5")
		door.cancel()
		r.fails("TDCZ", "57P01", "shutting down")
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("busy beyond the time", func(t *testing.T) {
		door, r := start(t, 5)
		r.send(&pgproto3.Query{String: "SELECT pg_sleep(30)"})
		waitForSleep(t, server, "30")
		door.cancel()
		r.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		if n, err := r.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Fatal("the session was cut before its time")
		}
		r.SetDeadline(time.Now().Add(30 * time.Second))
		door.cut()
		got, e := r.types("-")
		r.Close()
		if got != "E-" || e.Severity != "FATAL" || e.Code != "57P01" || !strings.Contains(e.Detail, "not a complete result") {
			t.Errorf("got %q, %+v", got, e)
		}
		cut(t, door)
	})
	t.Run("client that does not read", func(t *testing.T) {
		door, r := start(t, 0)
		r.send(&pgproto3.Query{String: "SELECT repeat('x', 1000), generate_series(1, 10000000)"})
		time.Sleep(500 * time.Millisecond)
		door.cancel()
		time.Sleep(100 * time.Millisecond)
		door.cut()
		cut(t, door)
		// The stream stands amid a row, where an error would pass for its data.
		if got, err := io.ReadAll(r); err != nil || len(got) < 100_000 || bytes.Contains(got, []byte("57P01")) {
			t.Errorf("got %d bytes, %v, with an error among them: %v", len(got), err, bytes.Contains(got, []byte("57P01")))
		}
	})
	t.Run("client that reads slowly", func(t *testing.T) {
		door, r := start(t, 0)
		r.send(&pgproto3.Query{String: "SELECT repeat('x', 1000), generate_series(1, 10000000)"})
		time.Sleep(300 * time.Millisecond)
		door.cancel()
		door.cut()
		got, e := r.types("-")
		if strings.Trim(got, "TD") != "E-" || e.Code != "57P01" {
			t.Errorf("got …%q, %+v", strings.Trim(got, "TD"), e)
		}
		cut(t, door)
	})
	t.Run("no startup packet", func(t *testing.T) {
		door := open(t, server.Addr(), capped(5, 0))
		r := dialRaw(t, door.addr)
		time.Sleep(100 * time.Millisecond)
		door.cancel()
		r.fails("", "57P01", "shutting down")
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("during the start-up", func(t *testing.T) {
		door := open(t, listen(t, func(net.Conn) {}), capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		time.Sleep(100 * time.Millisecond)
		door.cancel()
		r.fails("", "57P01", "shutting down")
		if err := door.end(t); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("amid a message that fits no buffer", func(t *testing.T) {
		large := appendMessage(t, &pgproto3.DataRow{Values: [][]byte{make([]byte, 200_000)}})
		door := open(t, upstream(t, func(b *pgproto3.Backend, conn net.Conn) {
			b.Receive()
			conn.Write(large[:100_000])
			b.Receive() // until rowcap closes
		}), capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.types("Z")
		r.send(&pgproto3.Query{String: "SELECT x"})
		time.Sleep(200 * time.Millisecond)
		door.cancel()
		door.cut()
		if got, _ := r.types("-"); got != "-" {
			t.Errorf("got %q amid a message", got)
		}
		cut(t, door)
	})
	t.Run("CancelRequest", func(t *testing.T) {
		door := open(t, listen(t, func(net.Conn) {}), capped(5, 0))
		r := dialRaw(t, door.addr)
		r.write([]byte(cancelIt))
		time.Sleep(100 * time.Millisecond)
		door.cancel()
		door.cut()
		cut(t, door)
	})
}
