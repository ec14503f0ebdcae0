package pgwire_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestMalformed sends messages that the server refuses without ending the session. What
// comes back is the same straight and through the door, and the session goes on.
func TestMalformed(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	for name, packet := range map[string]string{
		"query without end":   "Q\x00\x00\x00\x05x",
		"two texts":           "Q\x00\x00\x00\x10SELECT 1\x00y\x00x",
		"short parse":         "P\x00\x00\x00\x06\x00\x00",
		"parse with more":     "P\x00\x00\x00\x10\x00SELECT 1\x00\x00\x01",
		"short bind":          "B\x00\x00\x00\x05\x00",
		"short execute":       "E\x00\x00\x00\x05\x00",
		"describe of nothing": "D\x00\x00\x00\x06X\x00",
		"close of nothing":    "C\x00\x00\x00\x06X\x00",
		"describe, no end":    "D\x00\x00\x00\x06Sx",
	} {
		t.Run(name, func(t *testing.T) {
			answers := map[string]string{}
			for _, addr := range []string{server.Addr(), door.addr} {
				r := dialRaw(t, addr)
				r.startup(version3, "user", server.User, "database", "postgres")
				r.types("Z")
				r.write([]byte(packet))
				if packet[0] != 'Q' {
					r.send(&pgproto3.Parse{Query: "SELECT 1"}, &pgproto3.Sync{})
				}
				letters, e := r.types("Z")
				if e == nil || e.Severity != "ERROR" {
					t.Fatalf("got %q, %+v", letters, e)
				}
				// The answer to the next one is the next one's.
				r.send(&pgproto3.Query{String: "SELECT generate_series(1, 9)"})
				next, _ := r.types("Z")
				want := "TDDDDDDDDDCZ"
				if addr == door.addr {
					want = "TDDDDDNCZ"
				}
				if next != want {
					t.Errorf("then got %q, want %q", next, want)
				}
				answers[addr] = letters + " " + e.Code + " " + e.Message
				r.Close()
			}
			if answers[door.addr] != answers[server.Addr()] {
				t.Errorf("got %q, straight %q", answers[door.addr], answers[server.Addr()])
			}
		})
	}
}
