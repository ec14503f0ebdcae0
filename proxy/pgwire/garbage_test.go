package pgwire_test

import (
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestGarbage sends what is no packet of the protocol, before and after the
// start-up.
func TestGarbage(t *testing.T) {
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(5, 0))
	for name, c := range map[string]struct {
		packet        []byte
		code, message string
	}{
		"HTTP":            {[]byte("GET / HTTP/1.1\r\n\r\n"), "08P01", "invalid length of startup packet"},
		"TLS":             {[]byte{0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3}, "08P01", "does not speak TLS"},
		"zero length":     {[]byte{0, 0, 0, 0}, "08P01", "invalid length of startup packet"},
		"too long":        {[]byte{0, 0, 0x27, 0x11, 0, 3, 0, 0}, "08P01", "invalid length of startup packet: 10001 bytes"},
		"no terminator":   {[]byte{0, 0, 0, 12, 0, 3, 0, 0, 'u', 's', 'e', 'r'}, "08P01", "invalid startup packet layout"},
		"no value":        {[]byte{0, 0, 0, 11, 0, 3, 0, 0, 'u', 0, 0}, "08P01", "invalid startup packet layout"},
		"version 2":       {[]byte{0, 0, 0, 8, 0, 2, 0, 0}, "0A000", "unsupported frontend protocol 2.0"},
		"short cancel":    {[]byte{0, 0, 0, 8, 4, 210, 22, 46}, "08P01", "the CancelRequest is too short"},
		"bytes after SSL": {[]byte{0, 0, 0, 8, 4, 210, 22, 47, 0, 0, 0, 9, 0, 3, 0, 0, 0}, "08P01", "data was sent after the SSLRequest"},
		"bytes after GSS": {[]byte{0, 0, 0, 8, 4, 210, 22, 48, 1}, "08P01", "data was sent after the GSSENCRequest"},
	} {
		t.Run("startup/"+name, func(t *testing.T) {
			r := dialRaw(t, door.addr)
			r.write(c.packet)
			r.fails("", c.code, c.message)
			if err := door.end(t); err == nil {
				t.Error("Serve returned no error")
			}
		})
	}
	for name, c := range map[string]struct{ packet, message string }{
		"impossible length":   {"Q\x00\x00\x00\x03", "message 'Q' has the impossible length 3"},
		"negative length":     {"Q\xff\xff\xff\xff", "message 'Q' has the impossible length -1"},
		"unknown type":        {"z\x00\x00\x00\x04", "a message of type 'z' is not of the protocol"},
		"binary":              {"\x00\x00\x00\x00\x04", "a message of type 0x00 is not of the protocol"},
		"too large a query":   {"Q\x04\x00\x00\x05" + strings.Repeat("x", 8<<10), "rowcap reads statements of at most 67108864"},
		"too large a close":   {"C\x00\x01\x00\x00S", "message 'C' has the impossible length"},
		"late password":       {"p\x00\x00\x00\x05\x00", "an authentication message came that nobody asked for"},
		"names without end":   {"B\x00\x10\x00\x00" + strings.Repeat("x", 70<<10), "its names are too long"},
		"startup in place of": {"\x00\x00\x00\x08\x04", "0x00"},
	} {
		t.Run("session/"+name, func(t *testing.T) {
			r := dialRaw(t, door.addr)
			r.startup(version3, "user", server.User, "database", "postgres")
			r.types("Z")
			r.write([]byte(c.packet))
			r.fails("", "08P01", c.message)
			if err := door.end(t); err == nil {
				t.Error("Serve returned no error")
			}
		})
	}
}

func TestUpstreamGarbage(t *testing.T) {
	for answer, message := range map[string]string{
		"!\x00\x00\x00\x04":                 "the upstream sent a message of type '!'",
		"D\x00\x00\x00\x01":                 "the upstream does not speak the PostgreSQL protocol",
		"HTTP/1.1 200 OK\r\n":               "the upstream does not speak the PostgreSQL protocol",
		"1\x00\x00\x00\x04":                 "the upstream is out of step",
		"Z\x00\x00\x00\x05I":                "the upstream is out of step: ReadyForQuery came where the answer to Query was due",
		"Z\x00\x00\x00\x04":                 "a ReadyForQuery without a status",
		"C\x00\x00\x00\x05x":                "a CommandComplete without an end",
		"s\x00\x00\x00\x04":                 "out of step: PortalSuspended",
		"R\x00\x00\x00\x08\x00\x00\x00\x00": "out of step",
	} {
		at := upstream(t, func(b *pgproto3.Backend, conn net.Conn) {
			b.Receive()
			conn.Write([]byte(answer))
			b.Receive()
		})
		door := open(t, at, capped(5, 0))
		r := dialRaw(t, door.addr)
		r.startup(version3, "user", "a")
		r.types("Z")
		r.send(&pgproto3.Query{String: "SELECT 1"})
		r.fails("", "08P01", message)
		if err := door.end(t); err == nil {
			t.Errorf("%q: Serve returned no error", answer)
		}
	}
}
