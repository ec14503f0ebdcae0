package mysqlwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

func TestShutdown(t *testing.T) {
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10))
	c := connect(t, s, "", run, nil)
	busy := connect(t, s, "", run, nil)
	want(t, query(t, c, "SELECT 7"), "7\n")
	answer := make(chan string, 1)
	go func() {
		rows, err := busy.QueryContext(context.Background(), "SELECT SLEEP(1)")
		if err != nil {
			answer <- err.Error()
			return
		}
		text, err := readResults(rows)
		answer <- fmt.Sprint(text, err)
	}()
	time.Sleep(300 * time.Millisecond)
	run.stop()
	if err := run.wait(t); err != nil {
		t.Errorf("the idle session ended with %v", err)
	}
	want(t, <-answer, "0\n<nil>")
	if err := run.wait(t); err != nil {
		t.Errorf("the busy session ended with %v", err)
	}
}

// TestShutdownCutsBusySessions has statements that take longer than the server
// gives them.
func TestShutdownCutsBusySessions(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		for _, interpolate := range []bool{true, false} {
			run := serve(t, s.Addr(), policy(3, 10))
			c := connect(t, s, "", run, func(c *driver.Config) { c.InterpolateParams = interpolate })
			answer := make(chan error, 1)
			go func() {
				rows, err := c.QueryContext(context.Background(), "SELECT SLEEP(?)", 60)
				if err == nil {
					_, err = readResults(rows)
				}
				answer <- err
			}()
			time.Sleep(300 * time.Millisecond)
			run.stop()
			time.Sleep(100 * time.Millisecond)
			began := time.Now()
			run.cut()
			wantCut(t, run)
			if took := time.Since(began); took > 20*time.Second { // the statement takes 60
				t.Errorf("ending took %v", took)
			}
			err := <-answer
			var mine *driver.MySQLError
			if !errors.As(err, &mine) || mine.Number != 1053 || !strings.Contains(mine.Message, "the rows so far are not a complete result") {
				t.Errorf("the client got %v", err)
			}
		}
	})
}

// wantCut waits for a session that is cut.
func wantCut(t *testing.T, run *running) {
	t.Helper()
	if err := run.wait(t); err == nil || !strings.HasPrefix(err.Error(), "rowcap is shutting down") {
		t.Errorf("the session ended with %v", err)
	}
}

// endNow ends all sessions as a server whose drain time is over.
func endNow(run *running) {
	run.stop()
	run.cut()
}

func TestShutdownCutsAmidRows(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		oneColumn(c)
		c.write(packet.AppendTextRow(nil, []byte("1")))
		c.conn.Write([]byte{5, 0, 0, c.seq, 4, 'a'}) // a row that does not go on
		stall(c)
		return false
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	for range 4 {
		c.read() // count, column, EOF, a row
	}
	endNow(run)
	if e := wantErr(t, c, 1053); e.State != "08S01" || !strings.HasPrefix(e.Message, "Server shutdown in progress: rowcap is shutting down; the rows so far") {
		t.Errorf("error is %v", e)
	}
	wantClosed(t, c)
	wantCut(t, run)
	<-f.gone
}

func TestShutdownCutsAmidALargeRow(t *testing.T) {
	f := fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		oneColumn(c)
		c.conn.Write(append([]byte{0, 0, 16, c.seq}, bytes.Repeat([]byte{'x'}, 100_000)...))
		stall(c)
		return false
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	for range 3 {
		c.read()
	}
	time.Sleep(100 * time.Millisecond)
	endNow(run)
	// The row has begun: nothing can be said any more, and nothing is.
	if b, err := c.tryRead(); err == nil {
		t.Errorf("got a packet of %d bytes, want the end of the connection amid it", len(b))
	}
	wantCut(t, run)
	<-f.gone
}

// TestShutdownCutsSlowClients has a client that does not read what it asked for.
func TestShutdownCutsSlowClients(t *testing.T) {
	f, _ := endless(t, 8000)
	run := serve(t, f.addr, policy(0, 0))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	time.Sleep(500 * time.Millisecond)
	run.stop()
	began := time.Now()
	run.cut()
	wantCut(t, run)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("ending took %v", took)
	}
	<-f.gone
}

// TestShutdownCutsStreams has a client that reads on: it gets whole rows, and then
// the error with the number that is due.
func TestShutdownCutsStreams(t *testing.T) {
	f, _ := endless(t, 800)
	run := serve(t, f.addr, policy(0, 0))
	c := dialFake(t, run)
	ask(c, "SELECT n FROM t")
	for range 3 {
		c.read()
	}
	time.AfterFunc(300*time.Millisecond, func() { endNow(run) })
	for {
		b := c.read()
		if b[0] != packet.ErrHeader {
			continue
		}
		if e, _ := packet.DecodeErr(b); e.Code != 1053 {
			t.Errorf("error is %v", e)
		}
		break
	}
	wantClosed(t, c)
	wantCut(t, run)
	<-f.gone
}

// TestShutdownCutsCommands has clients that do not send all of a command, and an
// upstream that does not take all of one.
func TestShutdownCutsCommands(t *testing.T) {
	for name, command := range map[string][]byte{
		"half a query":   {20, 0, 0, 0, byte(packet.ComQuery), 'S'},
		"half a fetch":   {9, 0, 0, 0, byte(packet.ComStmtFetch), 1},
		"half long data": append([]byte{0, 0, 1, 0, byte(packet.ComStmtSendLong)}, make([]byte, 40_000)...),
		"not taken":      append([]byte{255, 255, 255, 0, byte(packet.ComQuery)}, bytes.Repeat([]byte{' '}, 12<<20)...),
	} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			f := fakeLogin(t, func(c *rawClient) {
				c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
				<-gone
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialFake(t, run)
			first := min(len(command), 10_000)
			c.conn.Write(command[:first])
			c.seq = 1
			sent := make(chan struct{})
			go func() { defer close(sent); c.conn.Write(command[first:]) }()
			time.Sleep(300 * time.Millisecond)
			endNow(run)
			wantCut(t, run)
			<-sent
			close(gone)
			if name != "not taken" { // such a client does not read yet
				wantErr(t, c, 1053)
			}
		})
	}
}

// TestShutdownCutsFiles has a client that does not send all of a file.
func TestShutdownCutsFiles(t *testing.T) {
	for name, early := range map[string]bool{"the server waits": false, "the server complains": true} {
		t.Run(name, func(t *testing.T) {
			f := fakeRaw(t, func(conn net.Conn) {
				c := &rawClient{t: t, conn: conn}
				c.write(packet.Greeting{ServerVersion: "8.0.1-fake", Capabilities: fakeCaps | packet.LocalFiles, AuthData: []byte("12345678901234567890"), AuthPlugin: "mysql_native_password"}.Append(nil))
				c.read()
				c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
				for {
					c.seq = 0
					command, err := c.tryRead()
					if err != nil {
						return
					}
					if !learned(c, command) {
						break
					}
				}
				c.write([]byte("\xfbfile"))
				c.read()
				if early {
					c.write((&packet.Err{Code: 1290, State: "HY000", Message: "no"}).Append(nil))
				}
				stall(c)
			})
			run := serve(t, f.addr, policy(3, 10))
			c := dialRaw(t, &dbtest.Server{User: "u", Password: "p"}, run.addr, "", packet.LocalFiles)
			ask(c, "LOAD DATA LOCAL INFILE 'file' INTO TABLE t")
			c.read()
			c.write([]byte("a part\n"))
			time.Sleep(200 * time.Millisecond)
			endNow(run)
			if !early {
				wantCut(t, run)
			} else if err := run.wait(t); err != nil {
				// The command has been answered.
				t.Errorf("the session ended with %v", err)
			}
			<-f.gone
		})
	}
}

// TestShutdownAmidTheLogin ends sessions that have not come to a command.
func TestShutdownAmidTheLogin(t *testing.T) {
	silent := func(c *rawClient) { stall(c) }
	t.Run("before the greeting", func(t *testing.T) {
		run := serve(t, fakeRaw(t, func(c net.Conn) { c.Read(make([]byte, 1)) }).addr, policy(3, 10))
		time.AfterFunc(200*time.Millisecond, run.stop)
		if e := firstPacket(t, run); e.Code != 1053 || e.State != "" {
			t.Errorf("error is %v", e)
		}
		if err := run.wait(t); err != nil {
			t.Errorf("the session ended with %v", err)
		}
	})
	t.Run("before the client's answer", func(t *testing.T) {
		run := serve(t, fakeLogin(t, silent).addr, policy(3, 10))
		c := greeted(t, run)
		run.stop()
		c.seq = 2 // the client's answer would have 1
		wantErr(t, c, 1053)
		wantClosed(t, c)
		if err := run.wait(t); err != nil {
			t.Errorf("the session ended with %v", err)
		}
	})
	t.Run("before the server's answer", func(t *testing.T) {
		run := serve(t, fakeLogin(t, silent).addr, policy(3, 10))
		c := greeted(t, run)
		answerGreeting(c)
		time.Sleep(100 * time.Millisecond)
		run.stop()
		wantErr(t, c, 1053)
		wantClosed(t, c)
		if err := run.wait(t); err != nil {
			t.Errorf("the session ended with %v", err)
		}
	})
}

// TestShutdownAmidLearning begins while the door asks for the settings: the client's
// command is answered still.
func TestShutdownAmidLearning(t *testing.T) {
	asked := make(chan struct{})
	f := fake(t, func(c *rawClient, command []byte) bool {
		if command[0] == byte(packet.ComQuery) && bytes.HasPrefix(command[1:], []byte("SELECT @@")) {
			close(asked)
			time.Sleep(200 * time.Millisecond)
			return learned(c, command)
		}
		c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
		return true
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialFake(t, run)
	ask(c, "DO 1")
	<-asked
	run.stop()
	if b := c.read(); b[0] != packet.OKHeader {
		t.Errorf("got %x", b)
	}
	c.seq = 0
	wantErr(t, c, 1053)
	wantClosed(t, c)
	if err := run.wait(t); err != nil {
		t.Errorf("the session ended with %v", err)
	}
}
