package mysqlwire_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// fakeServer is an upstream that does as a test says. After the login every command
// goes to answer, which writes what it likes; the connection is closed when it
// returns false.
type fakeServer struct {
	addr string
	// gone is closed when the first connection of the door has ended.
	gone chan struct{}
}

// fakeCaps are what a fakeServer offers.
const fakeCaps = packet.LongPassword | packet.Protocol41 | packet.SecureConnection | packet.PluginAuth |
	packet.MultiResults | packet.Compress | packet.SSL | packet.ConnectWithDB | packet.SessionTrack

// fake starts a fakeServer, for one connection at a time.
func fake(t *testing.T, answer func(c *rawClient, command []byte) bool) *fakeServer {
	t.Helper()
	return fakeRaw(t, func(conn net.Conn) {
		c := &rawClient{t: t, conn: conn}
		c.write(packet.Greeting{ServerVersion: "8.0.1-fake", Capabilities: fakeCaps, AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
		if _, err := c.tryRead(); err != nil {
			return
		}
		c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
		for {
			c.seq = 0
			command, err := c.tryRead()
			if err != nil || !answer(c, command) {
				return
			}
		}
	})
}

// fakeRaw starts a fakeServer that serves each connection by serve.
func fakeRaw(t *testing.T, serve func(conn net.Conn)) *fakeServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeServer{addr: l.Addr().String(), gone: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		over := sync.OnceFunc(func() { close(f.gone) })
		defer over()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serve(conn)
			conn.Close()
			over()
		}
	})
	t.Cleanup(func() {
		l.Close()
		all.Wait()
	})
	return f
}

// dialFake logs in at a door before a fakeServer.
func dialFake(t *testing.T, run *running) *rawClient {
	t.Helper()
	return dialRaw(t, &dbtest.Server{User: "u", Password: "p"}, run.addr, "", 0)
}

// learned answers the door's own question for the settings, and reports whether
// command was it.
func learned(c *rawClient, command []byte) bool {
	if string(command[1:8]) != "SELECT " || string(command[8:10]) != "@@" {
		return false
	}
	c.write([]byte{4})
	for _, name := range []string{"@@sql_mode", "@@character_set_client", "@@sql_select_limit", "DATABASE()"} {
		c.write(packet.Column{Catalog: []byte("def"), Name: []byte(name)}.Append(nil, 0))
	}
	c.write(packet.EOF{}.Append(nil))
	c.write(packet.AppendTextRow(nil, nil2(""), []byte("utf8mb4"), []byte("18446744073709551615"), nil))
	c.write(packet.EOF{}.Append(nil))
	return true
}

// nil2 is s as bytes that are not nil, even if s is empty.
func nil2(s string) []byte { return append([]byte{}, s...) }

// oneColumn begins a result of one column.
func oneColumn(c *rawClient) {
	c.write([]byte{1})
	c.write(packet.Column{Catalog: []byte("def"), Name: []byte("n")}.Append(nil, 0))
	c.write(packet.EOF{}.Append(nil))
}

// endless starts a fakeServer whose answers have rows of size bytes without an end.
// sent counts their bytes, and may be read when gone is closed.
func endless(t *testing.T, size int) (f *fakeServer, sent *int) {
	t.Helper()
	sent = new(int)
	return fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		oneColumn(c)
		row := packet.AppendTextRow(nil, bytes.Repeat([]byte{'x'}, size))
		for {
			b, next := packet.Append(nil, c.seq, row)
			c.seq = next
			if _, err := c.conn.Write(b); err != nil {
				return false
			}
			*sent += len(b)
		}
	}), sent
}

// ask sends a COM_QUERY.
func ask(c *rawClient, text string) { c.command(append([]byte{byte(packet.ComQuery)}, text...)) }

// wantErr reads an ERR packet.
func wantErr(t *testing.T, c *rawClient, code uint16) *packet.Err {
	t.Helper()
	b := c.read()
	e, err := packet.DecodeErr(b)
	if err != nil {
		t.Fatalf("%v: %x", err, b)
	}
	if e.Code != code {
		t.Errorf("error is %v, want code %d", e, code)
	}
	return e
}

// wantClosed reads the end of the connection.
func wantClosed(t *testing.T, c *rawClient) {
	t.Helper()
	c.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := c.conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the connection gives %d bytes, %v; want its end", n, err)
	}
}

// wantFailed waits for the client's connection and the session to end, the latter with
// an error.
func wantFailed(t *testing.T, c *rawClient, run *running) {
	t.Helper()
	wantClosed(t, c)
	if err := run.wait(t); err == nil {
		t.Error("the session ended without an error")
	}
}

// cutOff is a test in which a connection that is gone is no failure: what would end the
// test panics with it instead, which caught takes. cleanups are what is to be done behind
// the connection.
type cutOff struct {
	testing.TB
	cleanups *[]func()
	why      string
}

func (cutOff) Helper()            {}
func (c cutOff) Cleanup(f func()) { *c.cleanups = append(*c.cleanups, f) }

func (c cutOff) Fatal(args ...any) {
	c.why = fmt.Sprint(args...)
	panic(c)
}

func (c cutOff) Fatalf(format string, args ...any) { c.Fatal(fmt.Sprintf(format, args...)) }

// caught takes what was recovered, and returns why.
func caught(v any) string {
	c, ok := v.(cutOff)
	if !ok && v != nil {
		panic(v)
	}
	return c.why
}
