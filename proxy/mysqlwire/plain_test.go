package mysqlwire_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// The pollers tell of changes only. These tests have things come at moments at which
// they could go unseen, where a loop waits for sockets and where the runtime does.

// eachPoller runs test with both.
func eachPoller(t *testing.T, test func(t *testing.T)) {
	for _, c := range []struct {
		name       string
		processors int
	}{{"runtime", 1}, {"loop", 2}} {
		t.Run(c.name, func(t *testing.T) {
			processors(t, c.processors)
			test(t)
		})
	}
}

// oneRow answers with a row of one value, at once. Nobody may be there to read it.
func oneRow(c *rawClient, value string) {
	var b []byte
	for _, p := range [][]byte{{1}, packet.Column{Catalog: []byte("def"), Name: []byte("n")}.Append(nil, 0), packet.EOF{}.Append(nil),
		packet.AppendTextRow(nil, []byte(value)), packet.EOF{}.Append(nil)} {
		b, c.seq = packet.Append(b, c.seq, p)
	}
	c.conn.Write(b)
}

// wantRow reads an answer of one row.
func wantRow(t *testing.T, c *rawClient, value string) {
	t.Helper()
	for i, want := range []string{"\x01", "", "\xfe", string(packet.AppendTextRow(nil, []byte(value))), "\xfe"} {
		b := c.read()
		if i == 3 && string(b) != want || i != 1 && b[0] != want[0] {
			t.Fatalf("packet %d of the answer is %q, want %q", i, b, want)
		}
	}
}

// TestEndBehindAnswer has the server end the connection right behind an answer.
func TestEndBehindAnswer(t *testing.T) { eachPoller(t, endBehindAnswer) }

func endBehindAnswer(t *testing.T) {
	for range 6 {
		f := fake(t, func(c *rawClient, command []byte) bool {
			if learned(c, command) {
				return true
			}
			oneRow(c, "seven")
			return false
		})
		run := serve(t, f.addr, policy(3, 10))
		c := dialFake(t, run)
		ask(c, "SELECT 7 FROM n")
		wantRow(t, c, "seven")
		wantClosed(t, c)
	}
}

// TestEndBehindCommand has the client end the connection right behind a command.
func TestEndBehindCommand(t *testing.T) { eachPoller(t, endBehindCommand) }

func endBehindCommand(t *testing.T) {
	for i := range 6 {
		f := fake(t, func(c *rawClient, command []byte) bool {
			if !learned(c, command) {
				oneRow(c, "seven")
			}
			return true
		})
		run := serve(t, f.addr, policy(3, 10))
		c := dialFake(t, run)
		ask(c, "SELECT 7 FROM n")
		wantRow(t, c, "seven")
		if i%2 == 0 {
			ask(c, "SELECT 7 FROM n")
		} else {
			c.command(append([]byte{byte(packet.ComStmtClose)}, 1, 0, 0, 0)) // has no answer
		}
		c.conn.Close()
		select {
		case <-f.gone:
		case <-time.After(10 * time.Second):
			t.Fatal("the session did not end with its client")
		}
		run.wait(t)
	}
}

// TestCommandsAtOnce has a client that does not wait for answers, in pieces of each
// size, and commands without an answer among them.
func TestCommandsAtOnce(t *testing.T) { eachPoller(t, commandsAtOnce) }

func commandsAtOnce(t *testing.T) {
	const commands = 40
	var all []byte
	for i := range commands {
		if i%4 == 3 {
			all, _ = packet.Append(all, 0, append([]byte{byte(packet.ComStmtClose)}, 1, 0, 0, 0))
			continue
		}
		all, _ = packet.Append(all, 0, fmt.Appendf(nil, "\x03SELECT n%d FROM n", i))
	}
	for _, piece := range []int{1, 3, 17, 500, len(all)} {
		f := fake(t, func(c *rawClient, command []byte) bool {
			if command[0] == byte(packet.ComQuery) && !learned(c, command) {
				var i int
				if _, err := fmt.Sscanf(string(command), "\x03SELECT n%d FROM n LIMIT 4", &i); err != nil {
					t.Errorf("the server got %q", command)
				}
				oneRow(c, fmt.Sprint("row ", i))
			}
			return true
		})
		run := serve(t, f.addr, policy(3, 10))
		c := dialFake(t, run)
		sent := make(chan error, 1)
		go func() {
			var err error
			for rest := all; len(rest) > 0 && err == nil; {
				n := min(piece, len(rest))
				_, err = c.conn.Write(rest[:n])
				if rest = rest[n:]; piece < 100 {
					time.Sleep(10 * time.Microsecond)
				}
			}
			sent <- err
		}()
		began := time.Now()
		for i := range commands {
			if i%4 != 3 {
				c.seq = 1
				wantRow(t, c, fmt.Sprint("row ", i))
			}
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		t.Logf("pieces of %d bytes: %v", piece, time.Since(began))
		c.conn.Close()
		run.wait(t)
	}
}

// TestSlowClientOfLargeRows has a client that reads slowly what the server has at once,
// in packets around the sizes of the buffers.
func TestSlowClientOfLargeRows(t *testing.T) { eachPoller(t, slowClientOfLargeRows) }

func slowClientOfLargeRows(t *testing.T) {
	sizes := []int{1, 4 << 10, 16<<10 - 9, 16<<10 - 4, 16 << 10, 64<<10 - 4, 64 << 10, 300 << 10, 5}
	row := func(size int) []byte {
		b := make([]byte, size)
		for i := range b {
			b[i] = byte('a' + (i+size)%23)
		}
		return packet.AppendTextRow(nil, b)
	}
	f := fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		if command[0] == byte(packet.ComQuit) {
			return false
		}
		oneColumn(c)
		for _, size := range sizes {
			c.write(row(size))
		}
		c.write(packet.EOF{}.Append(nil))
		return true
	})
	run := serve(t, f.addr, policy(100, 100))
	c := dialFake(t, run)
	for range 3 {
		ask(c, "SELECT n FROM n")
		time.Sleep(5 * time.Millisecond)
		for range 3 {
			c.read()
		}
		for _, size := range sizes {
			if b := c.read(); string(b) != string(row(size)) {
				t.Fatalf("a row of %d bytes came as another one, of %d", size, len(b))
			}
			time.Sleep(time.Millisecond)
		}
		if b := c.read(); b[0] != packet.EOFHeader {
			t.Fatalf("the end is %x", b)
		}
	}
	c.command([]byte{byte(packet.ComQuit)})
	if _, err := io.ReadFull(c.conn, make([]byte, 1)); err != io.EOF {
		t.Errorf("after COM_QUIT: %v", err)
	}
}
