package dbtest

import (
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)

// Fault is what a Relay does to one direction of a connection.
type Fault struct {
	// After is how many bytes pass before End, and Piece how many are written at a time,
	// with a pause between, 0 as they come.
	After, Piece int
	// End is what becomes of the connection then.
	End FaultEnd
}

// FaultEnd is an end of a connection, or of one direction.
type FaultEnd int

// The ends. HalfClose ends one direction only, and Reset has both sides get an error
// (RST) and not an end.
const (
	NoFault FaultEnd = iota
	Close
	HalfClose
	Reset
)

func (e FaultEnd) String() string { return [...]string{"none", "close", "half-close", "reset"}[e] }

// Relay is a network with faults: it relays TCP connections to a server.
type Relay struct {
	// Addr is where it listens.
	Addr string

	mu   sync.Mutex
	open int      // connections
	next [2]Fault // from the client and from the server
	seen [2]int
}

// Fail sets the faults of the connections that come next: of what comes from the
// client, and from the server.
func (r *Relay) Fail(fromClient, fromServer Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next, r.seen = [2]Fault{fromClient, fromServer}, [2]int{}
}

// Seen returns how many bytes have passed since Fail.
func (r *Relay) Seen() (fromClient, fromServer int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen[0], r.seen[1]
}

// NewRelay relays to a server until t is over.
func NewRelay(t testing.TB, server string) *Relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &Relay{Addr: l.Addr().String()}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			r.opened(1)
			go func() {
				r.relay(client.(*net.TCPConn), server)
				r.opened(-1)
			}()
		}
	})
	t.Cleanup(func() {
		l.Close()
		accepting.Wait()
		r.Wait(t)
	})
	return r
}

// Wait waits for all connections to be over, and fails if they are not.
func (r *Relay) Wait(t testing.TB) {
	t.Helper()
	for wait := time.Now().Add(20 * time.Second); r.opened(0) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(wait) {
			t.Fatal("a connection is left")
		}
	}
}

// opened adds to the number of open connections, and returns it.
func (r *Relay) opened(n int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open += n
	return r.open
}

func (r *Relay) relay(client *net.TCPConn, server string) {
	defer client.Close()
	there, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer there.Close()
	up := there.(*net.TCPConn)
	both := func(end func(*net.TCPConn)) { end(client); end(up) }
	r.mu.Lock()
	next := r.next
	r.mu.Unlock()
	count := func(way int) func(int) {
		return func(n int) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.seen[way] += n
		}
	}
	var ways sync.WaitGroup
	ways.Go(func() { next[0].carry(up, client, both, count(0)) })
	ways.Go(func() { next[1].carry(client, up, both, count(1)) })
	ways.Wait()
}

// carry carries one direction up to its fault or its end.
func (f Fault) carry(to, from *net.TCPConn, both func(func(*net.TCPConn)), count func(int)) {
	left, size := f.After, 16<<10
	if f.Piece > 0 {
		size = f.Piece
	}
	b := make([]byte, size)
	for {
		if f.End != NoFault {
			if left == 0 {
				f.end(to, both)
				return
			}
			b = b[:min(left, len(b))]
		}
		n, err := from.Read(b)
		left -= n
		count(n)
		if _, failed := to.Write(b[:n]); failed != nil {
			return
		}
		if err != nil {
			if err == io.EOF {
				to.CloseWrite()
			} else {
				to.Close()
			}
			return
		}
		if f.Piece > 0 {
			time.Sleep(50 * time.Microsecond)
		}
	}
}

func (f Fault) end(to *net.TCPConn, both func(func(*net.TCPConn))) {
	switch f.End {
	case HalfClose:
		to.CloseWrite()
	case Reset:
		both(func(c *net.TCPConn) { c.SetLinger(0); c.Close() })
	case Close:
		both(func(c *net.TCPConn) { c.Close() })
	}
}

// EachFault has f carry a session through r under every fault: none, pieces of each small
// size, and each end behind every byte that passes without a fault. half allows the client's
// direction to end alone. whole tells f that nothing is lost. In the end no connection and no
// file may be left.
func (r *Relay) EachFault(t testing.TB, half bool, f func(what string, whole bool)) {
	t.Helper()
	r.Fail(Fault{}, Fault{})
	f("no fault", true)
	said, answered := r.Seen()
	r.Wait(t)
	before := openFiles()
	for piece := 1; piece < 9; piece++ {
		r.Fail(Fault{Piece: piece}, Fault{Piece: piece})
		f(fmt.Sprintf("pieces of %d", piece), true)
	}
	for _, end := range []FaultEnd{Close, HalfClose, Reset} {
		for at := range answered {
			r.Fail(Fault{}, Fault{After: at, End: end})
			f(fmt.Sprintf("%v behind %d bytes from the server", end, at), false)
		}
		if end == HalfClose && !half {
			continue
		}
		for at := range said {
			r.Fail(Fault{After: at, End: end}, Fault{})
			f(fmt.Sprintf("%v behind %d bytes from the client", end, at), false)
		}
	}
	r.Wait(t)
	for range 100 {
		if openFiles() <= before {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d files were open, and are %d", before, openFiles())
}

// openFiles counts the files that are open, where the system tells (Linux).
func openFiles() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}
