package mysqlwire_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// processors has a test run on n processors. With two, its sessions share one loop, unless
// other tests began more; with one, there are no loops.
func processors(t *testing.T, n int) {
	before := runtime.GOMAXPROCS(n)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// readRow reads an answer of one column and one row.
func readRow(t *testing.T, c *rawClient, want string) {
	t.Helper()
	for range 3 {
		c.read()
	}
	if b := c.read(); string(b) != string(packet.AppendTextRow(nil, []byte(want))) {
		t.Fatalf("the row is %q, want %q", b, want)
	}
	c.read()
}

// TestLoopIsNotHeldUp has sessions that all share one loop: some whose clients do not
// read what they asked for, ask for more meanwhile, send half a command, have TLS, or whose
// long texts are planned for the first time, one whose server does not read, and one that is
// to be answered all the while.
func TestLoopIsNotHeldUp(t *testing.T) {
	processors(t, 2)
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	run := serve(t, s.Addr(), policy(0, 0), listenTLS(t, dbtest.NewAuthority(t), proxy.ListenTLSAllow))
	const large = "SELECT REPEAT('y', 1000) FROM seq_1_to_100000"
	for i := range 10 {
		var want packet.Capabilities
		if i%5 == 4 {
			want = packet.SSL
		}
		c := dialRaw(t, s, run.addr, database, want)
		if i%5 == 3 {
			c.conn.Write([]byte{200, 0, 0, 0, byte(packet.ComQuery), 'S', 'E'})
			continue
		}
		ask(c, large)
		time.Sleep(20 * time.Millisecond)
		switch i % 5 {
		case 1: // it waits for the end of the first answer
			ask(c, "SELECT 1")
		case 2:
			ask(c, "SELECT 1"+strings.Repeat(" + 1", 10_000))
		}
	}
	over := make(chan struct{})
	stalled := fakeLogin(t, func(c *rawClient) {
		c.write(packet.OK{Status: packet.StatusAutocommit}.Append(nil, 0))
		<-over
	})
	toStalled := dialFake(t, serve(t, stalled.addr, policy(0, 0)))
	t.Cleanup(func() { close(over) })
	// Little by little, so that the loop is not left for the command's size.
	command, _ := packet.Append(nil, 0, append([]byte{byte(packet.ComStmtSendLong)}, make([]byte, 30_000)...))
	for err := error(nil); err == nil; time.Sleep(500 * time.Microsecond) {
		toStalled.conn.SetWriteDeadline(time.Now().Add(time.Second))
		_, err = toStalled.conn.Write(command)
	}
	c := dialRaw(t, s, run.addr, database, 0)
	begun := time.Now()
	for range 200 {
		ask(c, "SELECT 7")
		readRow(t, c, "7")
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("200 answers took %s", took)
	}
}

// TestLoopSlowPieces has both sides' packets come byte by byte, which the loop does
// not wait for.
func TestLoopSlowPieces(t *testing.T) {
	processors(t, 2)
	f := fake(t, func(c *rawClient, command []byte) bool {
		if learned(c, command) {
			return true
		}
		var b []byte
		for _, p := range [][]byte{{1}, packet.Column{Catalog: []byte("def"), Name: []byte("n")}.Append(nil, 0), packet.EOF{}.Append(nil),
			packet.AppendTextRow(nil, []byte("seven")), packet.EOF{}.Append(nil)} {
			b, c.seq = packet.Append(b, c.seq, p)
		}
		for _, one := range b {
			c.conn.Write([]byte{one})
			time.Sleep(time.Millisecond)
		}
		return true
	})
	c := dialFake(t, serve(t, f.addr, policy(3, 10)))
	for range 3 {
		b, _ := packet.Append(nil, 0, []byte("\x03SELECT 7 FROM n"))
		for _, one := range b {
			c.conn.Write([]byte{one})
			time.Sleep(time.Millisecond)
		}
		c.seq = 1
		wantRow(t, c, "seven")
	}
}

// TestIdleSessionTakesOneGoroutine counts what sessions hold that wait, and what is left
// of those that have ended, in each way.
func TestIdleSessionTakesOneGoroutine(t *testing.T) {
	processors(t, 2)
	files := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("the system does not tell of open files")
		}
		return len(list)
	}
	s := dbtest.MariaDB(t)
	run := serve(t, s.Addr(), policy(3, 10))
	const sessions = 30
	goroutines, open := runtime.NumGoroutine(), files()
	clients := make([]*rawClient, sessions)
	for i := range clients {
		clients[i] = dialRaw(t, s, run.addr, "", 0)
		ask(clients[i], "SELECT 7")
		readRow(t, clients[i], "7")
	}
	settles(t, "a session that waits takes more than a goroutine", func() bool {
		return runtime.NumGoroutine() <= goroutines+sessions+5 // the loop's
	})
	for i, c := range clients {
		switch i % 3 {
		case 0:
			c.command([]byte{byte(packet.ComQuit)})
		case 1:
			ask(c, "SELECT REPEAT('y', 10000)")
		case 2:
			c.conn.Write(bytes.Repeat([]byte{0}, 3))
		}
		c.conn.Close()
	}
	settles(t, "ended sessions leave something behind", func() bool {
		return runtime.NumGoroutine() <= goroutines && files() <= open
	})
}

// settles fails the test if ok does not become true.
func settles(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for by := time.Now().Add(10 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(by) {
			b := make([]byte, 1<<16)
			t.Fatalf("%s: %d goroutines\n%s", what, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
		}
	}
}

// panics is an observer that panics when a statement was planned, or was answered.
type panics struct {
	proxy.NoObserver
	planned, answered bool
}

func (p *panics) Planned(string, rewrite.Plan) {
	if p.planned {
		panic("planned")
	}
}

func (p *panics) Answered(string, rewrite.Outcome) {
	if p.answered {
		panic("answered")
	}
}

// TestLoopOutlivesPanic has the work for a session panic, in either direction.
func TestLoopOutlivesPanic(t *testing.T) {
	processors(t, 2)
	s := dbtest.MariaDB(t)
	r, err := rewrite.New(mysql.New(), policy(3, 10))
	if err != nil {
		t.Fatal(err)
	}
	at, err := proxy.ParseAddress(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	session := func(o proxy.Observer) (*rawClient, <-chan error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ended := make(chan error, 1)
		accepted := make(chan struct{})
		go func() {
			conn, err := l.Accept()
			close(accepted)
			if err == nil {
				err = mysqlwire.New(at, r, o).Serve(context.Background(), conn)
			}
			ended <- err
		}()
		c := dialRaw(t, s, l.Addr().String(), "", 0)
		<-accepted
		return c, ended
	}
	other, otherEnded := session(proxy.NoObserver{})
	for _, o := range []*panics{{planned: true}, {answered: true}} {
		c, ended := session(o)
		ask(c, "SELECT 7")
		select {
		case err := <-ended:
			if e := (*proxy.PanicError)(nil); !errors.As(err, &e) || len(e.Stack) == 0 {
				t.Errorf("%+v: ended with %v", o, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%+v: the session does not end", o)
		}
		ask(other, "SELECT 7")
		readRow(t, other, "7")
	}
	other.conn.Close()
	<-otherEnded
}
