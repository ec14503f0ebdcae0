package mysqlwire_test

import (
	"bytes"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// The benchmarks of this file are the client's side, and where no server is wanted
// the server's, of scripts/bench-mysql, which runs what they measure and says
// where it is in the environment.

// begin connects and logs in as a user that needs no password.
func begin(b *testing.B, addr string) *rawClient {
	b.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(10 * time.Minute))
	c := &rawClient{t: b, conn: conn}
	g, err := packet.DecodeGreeting(c.read())
	if err != nil {
		b.Fatal(err)
	}
	c.caps = (baseCaps | packet.DeprecateEOF) & g.Capabilities &^ packet.ConnectWithDB
	c.write(packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, Collation: 45, User: []byte("bench"),
		AuthPlugin: []byte(g.AuthPlugin)}.Append(nil))
	if e := c.authenticate("", g.AuthData); e != nil {
		b.Fatal(e)
	}
	return c
}

// BenchmarkResult reads one large result and drops it.
func BenchmarkResult(b *testing.B) {
	c := begin(b, dbtest.Setting(b, "ADDR"))
	defer c.conn.Close()
	query, buffer := append([]byte{byte(packet.ComQuery)}, dbtest.Setting(b, "QUERY")...), make([]byte, 256<<10)
	for b.Loop() {
		c.command(query)
		b.SetBytes(int64(finish(b, c, buffer)))
	}
}

// finish reads up to the packet that ends a result whose rows are text of letters
// and digits, and returns the number of bytes.
func finish(b *testing.B, c *rawClient, buffer []byte) (total int) {
	b.Helper()
	const size = packet.HeaderSize + 7 // of an OK packet with little to say
	var tail []byte
	for {
		n, err := c.conn.Read(buffer)
		if err != nil {
			b.Fatalf("after %d bytes that end in %q: %v", total, tail, err)
		}
		total += n
		tail = append(tail, buffer[max(0, n-size):n]...)
		tail = tail[max(0, len(tail)-size):]
		if len(tail) == size && bytes.HasPrefix(tail, []byte{7, 0, 0}) && bytes.Equal(tail[4:7], []byte{packet.EOFHeader, 0, 0}) {
			return total
		}
		if total == n && n > packet.HeaderSize && buffer[packet.HeaderSize] == packet.ErrHeader {
			b.Fatalf("%q", buffer[:n])
		}
	}
}

// BenchmarkIdle opens sessions that run a statement each and then wait, and reports
// the memory that a process takes for each of them.
func BenchmarkIdle(b *testing.B) {
	dbtest.Idle(b, func(addr string, n int) net.Conn {
		c := begin(b, addr)
		c.command(fmt.Appendf(nil, "\x03SELECT c FROM sbtest1 WHERE id = %d", n))
		for i := range 4 {
			if p := c.read(); i == 3 && p[0] != packet.EOFHeader {
				b.Fatalf("%q", p)
			}
		}
		return c.conn
	}, func(c net.Conn) { answerAll(b, c) })
}

// answerAll is a server that lets everybody in and answers every statement with a row.
func answerAll(b *testing.B, conn net.Conn) {
	defer conn.Close()
	c := &rawClient{t: b, conn: conn}
	c.write(packet.Greeting{ServerVersion: "8.0.1-bench", Capabilities: fakeCaps&^packet.SSL | packet.DeprecateEOF,
		AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
	response, err := c.tryRead()
	if err != nil {
		return
	}
	r, err := packet.DecodeHandshakeResponse(response)
	if err != nil {
		return
	}
	ok := packet.OK{Status: packet.StatusAutocommit}
	c.write(ok.Append(nil, 0))
	for {
		c.seq = 0
		command, err := c.tryRead()
		if err != nil || command[0] != byte(packet.ComQuery) {
			return
		}
		names := []string{"c"}
		row := packet.AppendTextRow(nil, []byte("one"))
		if strings.HasPrefix(string(command[1:]), "SELECT @@sql_mode") {
			names = []string{"@@sql_mode", "@@character_set_client", "@@sql_select_limit", "DATABASE()"}
			row = packet.AppendTextRow(nil, []byte{}, []byte("utf8mb4"), []byte("18446744073709551615"), nil)
		}
		var out []byte
		add := func(payload []byte) { out, c.seq = packet.Append(out, c.seq, payload) }
		add([]byte{byte(len(names))})
		for _, name := range names {
			add(packet.Column{Catalog: []byte("def"), Name: []byte(name)}.Append(nil, 0))
		}
		if !r.Capabilities.Has(packet.DeprecateEOF) {
			add(packet.EOF{Status: packet.StatusAutocommit}.Append(nil))
		}
		add(row)
		if r.Capabilities.Has(packet.DeprecateEOF) {
			end := ok.Append(nil, 0)
			end[0] = packet.EOFHeader
			add(end)
		} else {
			add(packet.EOF{Status: packet.StatusAutocommit}.Append(nil))
		}
		if _, err := conn.Write(out); err != nil {
			return
		}
	}
}
