package mysqlwire_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// rawClient speaks the protocol packet by packet.
type rawClient struct {
	t    testing.TB
	conn net.Conn
	caps packet.Capabilities
	seq  byte
}

// baseCaps are what every rawClient asks for.
const baseCaps = packet.LongFlag | packet.ConnectWithDB | packet.Protocol41 | packet.Transactions |
	packet.SecureConnection | packet.PluginAuth | packet.MultiResults | packet.PSMultiResults

// dialRaw connects to addr and logs in, with the capabilities want as far as the
// server has them.
func dialRaw(t testing.TB, s *dbtest.Server, addr, database string, want packet.Capabilities) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	c := &rawClient{t: t, conn: conn}
	g, err := packet.DecodeGreeting(c.read())
	if err != nil {
		t.Fatal(err)
	}
	c.caps = (baseCaps | want) & g.Capabilities
	c.write(packet.HandshakeResponse{
		Capabilities: c.caps, MaxPacketSize: 1 << 24, Collation: 45, User: []byte(s.User),
		Auth: scramble(g.AuthPlugin, s.Password, g.AuthData), Database: []byte(database), AuthPlugin: []byte(g.AuthPlugin),
	}.Append(nil))
	for {
		switch b := c.read(); b[0] {
		case packet.OKHeader:
			return c
		case packet.AuthSwitchHeader:
			a, err := packet.DecodeAuthSwitch(b)
			if err != nil {
				t.Fatal(err)
			}
			c.write(scramble(a.Plugin, s.Password, a.Data))
		case packet.AuthMoreHeader:
			if len(b) != 2 || b[1] != 3 {
				t.Fatalf("the server wants more than a cached login: %x", b)
			}
		default:
			e, _ := packet.DecodeErr(b)
			t.Fatal(e)
		}
	}
}

// scramble proves the knowledge of a password (mysql_native_password,
// caching_sha2_password).
func scramble(plugin, password string, seed []byte) []byte {
	if password == "" {
		return nil
	}
	seed = seed[:20]
	if plugin == "caching_sha2_password" {
		one := sha256.Sum256([]byte(password))
		two := sha256.Sum256(one[:])
		three := sha256.Sum256(append(append([]byte(nil), two[:]...), seed...))
		for i := range one {
			one[i] ^= three[i]
		}
		return one[:]
	}
	one := sha1.Sum([]byte(password))
	two := sha1.Sum(one[:])
	three := sha1.Sum(append(append([]byte(nil), seed...), two[:]...))
	for i := range one {
		one[i] ^= three[i]
	}
	return one[:]
}

// read returns the payload of the next packet, which has the number that is due.
func (c *rawClient) read() []byte {
	c.t.Helper()
	b, err := c.tryRead()
	if err != nil {
		c.t.Fatalf("read a packet: %v", err)
	}
	return b
}

func (c *rawClient) tryRead() ([]byte, error) {
	var all []byte
	for {
		var head [packet.HeaderSize]byte
		if _, err := io.ReadFull(c.conn, head[:]); err != nil {
			return nil, err
		}
		h := packet.DecodeHeader(head[:])
		if h.Seq != c.seq {
			return nil, fmt.Errorf("packet number %d, want %d", h.Seq, c.seq)
		}
		c.seq++
		b := make([]byte, h.Length)
		if _, err := io.ReadFull(c.conn, b); err != nil {
			return nil, err
		}
		if all = append(all, b...); h.Length < packet.MaxPayload {
			return all, nil
		}
	}
}

// write sends one packet with the number that is due.
func (c *rawClient) write(payload []byte) {
	c.t.Helper()
	var b []byte
	b, c.seq = packet.Append(nil, c.seq, payload)
	if _, err := c.conn.Write(b); err != nil {
		c.t.Fatalf("write a packet: %v", err)
	}
}

// command sends a command, which begins a new exchange.
func (c *rawClient) command(payload []byte) {
	c.t.Helper()
	c.seq = 0
	c.write(payload)
}
