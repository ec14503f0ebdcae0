package mysqlwire_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
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
	// id is the number of the session, as the server's greeting has it.
	id uint32
	// tls says that conn speaks TLS.
	tls bool
}

// baseCaps are what every rawClient asks for.
const baseCaps = packet.LongFlag | packet.ConnectWithDB | packet.Protocol41 | packet.Transactions |
	packet.SecureConnection | packet.PluginAuth | packet.MultiResults | packet.PSMultiResults

// dialRaw connects to addr and logs in, with the capabilities want as far as the
// server has them.
func dialRaw(t testing.TB, s *dbtest.Server, addr, database string, want packet.Capabilities) *rawClient {
	t.Helper()
	return dialProgram(t, s, addr, database, want, "")
}

// dialProgram is dialRaw of a program that says its name.
func dialProgram(t testing.TB, s *dbtest.Server, addr, database string, want packet.Capabilities, name string) *rawClient {
	t.Helper()
	var attributes []byte
	if name != "" {
		want |= packet.ConnectAttrs
		for _, text := range []string{"_os", "linux", "program_name", name} {
			attributes = packet.AppendLenencString(attributes, text)
		}
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	c := &rawClient{t: t, conn: conn}
	b := c.read()
	if b[0] == packet.ErrHeader {
		e, _ := packet.DecodeErr(b)
		t.Fatal(e)
	}
	g, err := packet.DecodeGreeting(b)
	if err != nil {
		t.Fatal(err)
	}
	c.caps, c.id = (baseCaps|want)&g.Capabilities, g.ConnectionID
	if c.caps.Has(packet.SSL) {
		c.startTLS()
	}
	c.write(packet.HandshakeResponse{
		Capabilities: c.caps, MaxPacketSize: 1 << 24, Collation: 45, User: []byte(s.User),
		Auth: scramble(g.AuthPlugin, s.Password, g.AuthData), Database: []byte(database), AuthPlugin: []byte(g.AuthPlugin), Attributes: attributes,
	}.Append(nil))
	if e := c.authenticate(s.Password, g.AuthData); e != nil {
		t.Fatal(e)
	}
	return c
}

// startTLS asks for TLS and does the handshake.
func (c *rawClient) startTLS() {
	c.t.Helper()
	c.write(packet.HandshakeResponse{Capabilities: c.caps, MaxPacketSize: 1 << 24, Collation: 45, SSLRequest: true}.Append(nil))
	secure := tls.Client(c.conn, &tls.Config{InsecureSkipVerify: true})
	if err := secure.Handshake(); err != nil {
		c.t.Fatal(err)
	}
	c.conn, c.tls = secure, true
}

// authenticate goes on with a login up to OK or ERR, after a first packet.
func (c *rawClient) authenticate(password string, seed []byte) *packet.Err {
	c.t.Helper()
	secure := c.tls
	for {
		switch b := c.read(); b[0] {
		case packet.OKHeader:
			return nil
		case packet.AuthSwitchHeader:
			a, err := packet.DecodeAuthSwitch(b)
			if err != nil {
				c.t.Fatal(err)
			}
			seed = a.Data
			switch {
			case a.Plugin == "sha256_password" && secure:
				c.write(append([]byte(password), 0))
			case a.Plugin == "sha256_password":
				c.write([]byte{1})
			default:
				c.write(scramble(a.Plugin, password, seed))
			}
		case packet.AuthMoreHeader:
			switch {
			case len(b) == 2 && b[1] == 3:
			case len(b) == 2 && b[1] == 4 && secure:
				c.write(append([]byte(password), 0))
			case len(b) == 2 && b[1] == 4:
				c.write([]byte{2})
			default:
				c.write(underKey(c.t, b[1:], password, seed))
			}
		default:
			e, _ := packet.DecodeErr(b)
			return e
		}
	}
}

// underKey encrypts a password under the server's key.
func underKey(t testing.TB, text []byte, password string, seed []byte) []byte {
	t.Helper()
	block, _ := pem.Decode(text)
	if block == nil {
		t.Fatalf("no key: %q", text)
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	plain := append([]byte(password), 0)
	for i := range plain {
		plain[i] ^= seed[i%20]
	}
	cipher, err := rsa.EncryptOAEP(sha1.New(), rand.Reader, key.(*rsa.PublicKey), plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cipher
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
