package mysqlwire_test

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// firstPacket connects and returns the first packet's ERR.
func firstPacket(t *testing.T, run *running) *packet.Err {
	t.Helper()
	conn, err := net.Dial("tcp", run.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	c := &rawClient{t: t, conn: conn}
	e, err := packet.DecodeErr(c.read())
	if err != nil {
		t.Fatal(err)
	}
	wantClosed(t, c)
	return e
}

func TestUpstreamCannotBeReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().String()
	l.Close()
	// send is a server that sends something and no more, and waits.
	send := func(text string) string {
		return fakeRaw(t, func(c net.Conn) {
			c.Write([]byte(text))
			c.Read(make([]byte, 1))
		}).addr
	}
	for _, test := range []struct {
		name, addr string
		want       []string
	}{
		{"closed port", free, []string{"cannot reach the upstream at " + free, "connection refused", "check that the server runs"}},
		{"no socket", "/nowhere/sock", []string{"cannot reach the upstream at /nowhere/sock", "no such file", "check that the server runs"}},
		{"silence", send(""), []string{"sent no MySQL greeting within 1s", "not stopped or overloaded"}},
		{"a part", send("\x4a\x00\x00\x00\x0a8.0"), []string{"sent only a part of a MySQL greeting within 1s"}},
		{"HTTP", send("HTTP/1.1 400 Bad Request\r\n\r\n"), []string{"not of protocol version 10"}},
		{"SSH", send("SSH-2.0-OpenSSH_9.2\r\n"), []string{"not of protocol version 10"}},
		{"not a greeting", send("\x05\x00\x00\x00hello"), []string{"not of protocol version 10"}},
		{"an empty packet", send("\x00\x00\x00\x00\x0a"), []string{"it is empty"}},
		{"a short greeting", send("\x02\x00\x00\x00\x0a8"), []string{"malformed greeting packet"}},
		{"a short error", send("\x01\x00\x00\x00\xff"), []string{"malformed ERR packet"}},
		{"huge", send("\xff\xff\xff\x00\x0a"), []string{"more than 4096 bytes"}},
		{"at once gone", fakeRaw(t, func(c net.Conn) {}).addr, []string{"closed the connection and sent no MySQL greeting"}},
		{"gone midway", fakeRaw(t, func(c net.Conn) { c.Write([]byte("\x4a\x00\x00\x00\x0a8.0")) }).addr, []string{"closed the connection and sent only a part of a MySQL greeting"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			run := serve(t, test.addr, policy(3, 10), func(d *mysqlwire.Door) { d.ConnectTimeout = time.Second })
			e := firstPacket(t, run)
			if reached := strings.HasPrefix(e.Message, "reached the upstream at "+test.addr+", but ") &&
				strings.Contains(e.Message, "; check that it is a MySQL or MariaDB server"); reached == strings.HasPrefix(e.Message, "cannot reach") {
				t.Errorf("message is %q", e.Message)
			}
			if e.Code != 61003 || e.State != "" {
				t.Errorf("error is %+v", e)
			}
			for _, part := range test.want {
				if !strings.Contains(e.Message, part) {
					t.Errorf("message is %q, without %q", e.Message, part)
				}
			}
			if err := run.wait(t); err == nil || err.Error() != e.Message {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

func TestUpstreamRefuses(t *testing.T) {
	f := fakeRaw(t, func(conn net.Conn) {
		(&rawClient{t: t, conn: conn}).write((&packet.Err{Code: 1040, Message: "Too many connections"}).Append(nil))
	})
	run := serve(t, f.addr, policy(3, 10))
	if e := firstPacket(t, run); e.Code != 1040 || e.Message != "Too many connections" {
		t.Errorf("error is %v", e)
	}
}

// dying are upstreams that fail amid an answer, after two rows.
var dying = []struct {
	name string
	fail func(c *rawClient)
	code uint16
}{
	{"closes", func(c *rawClient) {}, 61003},
	{"closes amid a header", func(c *rawClient) { c.conn.Write([]byte{5, 0}) }, 61003},
	{"closes amid a row", func(c *rawClient) { c.conn.Write([]byte{5, 0, 0, c.seq, 4, 'a'}) }, 61003},
	{"sends an empty packet", func(c *rawClient) { c.write(nil) }, 1835},
	{"sends an end that is cut short", func(c *rawClient) { c.write([]byte{0xfe, 0}) }, 1835},
}

func TestUpstreamDiesAmidAnAnswer(t *testing.T) {
	for _, test := range dying {
		t.Run(test.name, func(t *testing.T) {
			f := fake(t, func(c *rawClient, command []byte) bool {
				if learned(c, command) {
					return true
				}
				oneColumn(c)
				c.write(packet.AppendTextRow(nil, []byte("1")))
				c.write(packet.AppendTextRow(nil, []byte("2")))
				test.fail(c)
				return false
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialFake(t, run)
			ask(c, "SELECT n FROM t")
			for range 5 {
				c.read() // count, column, EOF, two rows
			}
			e := wantErr(t, c, test.code)
			if test.code == 61003 && (e.State != "08S01" || !strings.Contains(e.Message, "lost the upstream at "+f.addr)) {
				t.Errorf("error is %+v", e)
			}
			wantFailed(t, c, run)
		})
	}
}

// TestUpstreamDiesAmidALargeRow cuts rows that are forwarded as they come. Once one has
// begun nothing can be said any more, and nothing is. All others come as a whole or not at
// all, so that the error can be said.
func TestUpstreamDiesAmidALargeRow(t *testing.T) {
	const most = 16<<10 - packet.HeaderSize
	for _, test := range []struct {
		name            string
		announced, sent int
		told            bool
	}{
		{"none of a row", 1 << 20, 0, true},
		{"most of the largest that comes as a whole", most, most - 1, true},
		{"a part of one that is larger", most + 1, most, false},
		{"the first packet of a row of several", packet.MaxPayload, packet.MaxPayload, false},
		{"a row of one packet", packet.MaxPayload - 1, packet.MaxPayload - 1, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := fake(t, func(c *rawClient, command []byte) bool {
				if learned(c, command) {
					return true
				}
				oneColumn(c)
				n := test.announced
				c.conn.Write(append([]byte{byte(n), byte(n >> 8), byte(n >> 16), c.seq}, bytes.Repeat([]byte{'x'}, test.sent)...))
				return false
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialFake(t, run)
			ask(c, "SELECT n FROM t")
			for range 3 {
				c.read()
			}
			b, err := c.tryRead()
			if test.told && err == nil && len(b) == test.sent && b[0] != packet.ErrHeader {
				b, err = c.tryRead()
			}
			if told := err == nil && b[0] == packet.ErrHeader; told != test.told || err == nil && !told {
				t.Errorf("got a packet of %d bytes, %v", len(b), err)
			}
			if err := run.wait(t); err == nil {
				t.Error("the session ended without an error")
			}
		})
	}
}

func TestMalformedAnswers(t *testing.T) {
	for name, answer := range map[string][][]byte{
		"column count":      {{0xfc, 1}},
		"column definition": {{2}, {0xfe, 0, 0, 0, 0}},
		"OK":                {{0, 0xfd, 1, 2}},
		"infile":            {{0xfb, 'x'}},
		"end of columns":    {{1}, packet.Column{}.Append(nil, 0), {5, 'a', 'b', 'c', 'd', 'e'}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fake(t, func(c *rawClient, command []byte) bool {
				if learned(c, command) {
					return true
				}
				for _, p := range answer {
					c.write(p)
				}
				return true
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialFake(t, run)
			ask(c, "SELECT n FROM t")
			for {
				b, err := c.tryRead()
				if err != nil {
					t.Fatal(err)
				}
				if b[0] == packet.ErrHeader {
					if e, _ := packet.DecodeErr(b); e.Code != 1835 || !strings.Contains(e.Message, "malformed") {
						t.Errorf("error is %v", e)
					}
					break
				}
			}
			wantFailed(t, c, run)
		})
	}
}

func TestClientVanishes(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		_, err := c.tryRead() // no answer, until the door goes away
		return err == nil
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	time.Sleep(100 * time.Millisecond)
	c.conn.Close()
	select {
	case <-f.gone:
	case <-time.After(5 * time.Second):
		t.Fatal("the upstream's connection stays open after the client's has ended")
	}
	if err := run.wait(t); err == nil || !strings.Contains(err.Error(), "the client closed the connection") {
		t.Errorf("the session ended with %v", err)
	}
}

func TestClientVanishesAmidALongResult(t *testing.T) {
	f, sent := endless(t, 8000)
	run := serve(t, f.addr, policy(0, 0))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	// A client that does not read holds the server back: what the door itself
	// keeps is small, the rest is in the sockets.
	time.Sleep(500 * time.Millisecond)
	c.conn.Close()
	<-f.gone
	if *sent > 32<<20 {
		t.Errorf("%d bytes were taken from the upstream for a client that does not read", *sent)
	}
	if err := run.wait(t); err == nil {
		t.Error("the session ended without an error")
	}
}

func TestServerSpeaksUnasked(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		c.write(packet.OK{}.Append(nil, 0))
		time.Sleep(100 * time.Millisecond)
		c.seq = 0
		c.write((&packet.Err{Code: 4031, State: "HY000", Message: "The client was disconnected by the server because of inactivity."}).Append(nil))
		return false
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	c.command([]byte{byte(packet.ComPing)})
	c.read()
	c.seq = 0
	wantErr(t, c, 4031)
	wantClosed(t, c)
	if err := run.wait(t); err != nil {
		t.Errorf("the session ended with %v", err)
	}
}

// TestServerIsOutOfStep has a server send what answers nothing: the client must not take it
// for the answer to its next command.
func TestServerIsOutOfStep(t *testing.T) {
	idle := packet.Err{Code: 4031, State: "HY000", Message: "The client was disconnected by the server because of inactivity."}
	for _, tc := range []struct {
		name   string
		says   [][]byte
		code   uint16
		failed bool // and the session with it
	}{
		{"OK", [][]byte{packet.OK{}.Append(nil, 0)}, 1835, true},
		{"a column count", [][]byte{{1}}, 1835, true},
		{"nothing in a packet", [][]byte{{}}, 1835, true},
		{"half an error", [][]byte{{packet.ErrHeader, 1}}, 1835, true},
		{"an error and OK", [][]byte{idle.Append(nil), packet.OK{}.Append(nil, 0)}, 4031, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := fake(t, func(c *rawClient, command []byte) bool {
				c.write(packet.OK{}.Append(nil, 0))
				time.Sleep(100 * time.Millisecond)
				c.seq = 0
				for _, b := range tc.says {
					c.write(b)
				}
				c.tryRead() // it does not close
				return false
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialFake(t, run)
			c.command([]byte{byte(packet.ComPing)})
			c.read()
			c.seq = 0
			wantErr(t, c, tc.code)
			wantClosed(t, c)
			if err := run.wait(t); (err != nil) != tc.failed {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

func TestShutdownTellsIdleClients(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool { return true })
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	run.stop()
	c.seq = 0
	if e := wantErr(t, c, 1053); !strings.HasPrefix(e.Message, "Server shutdown in progress") {
		t.Errorf("error is %v", e)
	}
	wantClosed(t, c)
	if err := run.wait(t); err != nil {
		t.Errorf("the session ended with %v", err)
	}
}

func TestPipelinedCommands(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), policy(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, database, 0))
	var all []byte
	for _, text := range []string{"SELECT n FROM parcels ORDER BY n", "SET NAMES utf8mb4", "SELECT nothing", "SHOW WARNINGS", "SELECT n FROM parcels ORDER BY n DESC"} {
		all, _ = packet.Append(all, 0, append([]byte{byte(packet.ComQuery)}, text...))
	}
	if _, err := c.conn.Write(all); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for range 5 {
		c.seq = 1
		got.WriteString(c.answer(0))
	}
	want(t, got.String(), `1 columns 1: n
3 eof warnings=0
4 row 1
5 row 2
6 row 3
7 eof warnings=1
1 ok rows=0 warnings=0
1 err 1054 42S22 Unknown column 'nothing' in 'SELECT'
1 columns 3: Level Code Message
5 eof warnings=0
6 row Error 1054 Unknown column 'nothing' in 'SELECT'
7 eof warnings=0
1 columns 1: n
3 eof warnings=0
4 row 12
5 row 11
6 row 10
7 eof warnings=1
`)
}
