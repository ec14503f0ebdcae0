package socket

import (
	"net"
	"runtime"
	"sync"
	"time"
)

// Loop serves the plaintext sockets of many sessions in one goroutine, which waits for
// all of them in one system call. That takes less than to have the runtime park and
// wake a goroutine for each, and a session that waits has no goroutine for it.
//
// What is done for a socket may have to wait for something else: for room in a
// socket, for an answer, for a lock. Then the goroutine gives the loop to a new one and
// goes on with that session alone, as if it had always been the session's own; see
// Work.LeaveLoop. So the code of a session waits wherever it has to.
type Loop struct {
	mu   sync.Mutex // guards what follows
	poll poller
	// sockets has each in the place whose number the poller tells. uses counts
	// how often a place was given away, so that what is told of the one before is
	// not taken for the new one's.
	sockets []*Looped
	uses    []int32
	vacant  []int32
	count   int
	running bool

	// What follows belongs to the goroutine that has the loop.
	told  [128]event
	batch []turn // of which those from next on are still to be served
	next  int
	// yielded is when the goroutine last let others go first.
	yielded time.Time
}

// event is what the poller tells: the place and use of a socket, and what there is.
type event struct {
	place, use int32
	what       readiness
}

// readiness is what a socket is ready for.
type readiness uint8

const (
	readyRead  readiness = 1 << iota // there is something to read, or an end or error
	readyWrite                       // there is room, or an error
	readyEnd                         // the end of the stream has come, maybe behind data
)

// yieldEvery is how often the goroutine that has the loop lets others go first. One that
// has not done so for 10 ms, the runtime tries to stop, and looks at it every 20 µs.
const yieldEvery = 8 * time.Millisecond

type turn struct {
	socket *Looped
	what   readiness
}

// loops are shared by all doors: one for each processor but one, which is left to
// all else that the program does.
var loops struct {
	sync.Mutex
	all []*Loop
}

// PickLoop returns the loop that has the fewest sockets, nil if there are to be none:
// one processor alone is best left to the runtime, which shares it well.
func PickLoop() *Loop {
	most := runtime.GOMAXPROCS(0) - 1
	if !known || most < 1 {
		return nil
	}
	loops.Lock()
	defer loops.Unlock()
	var best *Loop
	least := 0
	for _, l := range loops.all {
		if n := l.len(); best == nil || n < least {
			best, least = l, n
		}
	}
	if best == nil || least > 0 && len(loops.all) < most {
		best = &Loop{}
		loops.all = append(loops.all, best)
	}
	return best
}

func (l *Loop) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Adopt takes a socket out of the runtime's poller into the loop, and returns the Looped
// connection that it is then. It returns conn as it is if that has layers or cannot be
// taken, or if l is nil.
func (l *Loop) Adopt(conn net.Conn) net.Conn {
	s := Of(conn)
	if l == nil || s == nil {
		return conn
	}
	c := &Looped{loop: l, local: conn.LocalAddr(), remote: conn.RemoteAddr()}
	var err error
	if e := s.raw.Control(func(fd uintptr) { c.fd, err = duplicate(fd) }); e != nil || err != nil {
		return conn
	}
	if l.add(c) != nil {
		closeOnce(c.fd)
		return conn
	}
	conn.Close() // the descriptor; the socket has one more
	return c
}

// add has the poller tell of c. The first socket starts the goroutine.
func (l *Loop) add(c *Looped) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.running {
		if err := l.poll.open(); err != nil {
			return err
		}
	}
	if len(l.vacant) == 0 {
		l.vacant = append(l.vacant, int32(len(l.sockets)))
		l.sockets, l.uses = append(l.sockets, nil), append(l.uses, 0)
	}
	c.place = l.vacant[len(l.vacant)-1]
	if err := l.poll.add(c.fd, c.place, l.uses[c.place]); err != nil {
		if !l.running {
			l.poll.close()
		}
		return err
	}
	l.vacant = l.vacant[:len(l.vacant)-1]
	l.sockets[c.place] = c
	l.count++
	if !l.running {
		l.running = true
		go l.run()
	}
	return nil
}

// remove takes c out, whose descriptor is closed by the caller then.
func (l *Loop) remove(c *Looped) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sockets[c.place] = nil
	l.uses[c.place]++
	l.vacant = append(l.vacant, c.place)
	if l.count--; l.count == 0 {
		l.poll.wake()
	}
}

// run serves sockets until there are none, or until the loop was given to another
// goroutine.
func (l *Loop) run() {
	for {
		for l.next < len(l.batch) {
			t := l.batch[l.next]
			l.next++
			if !t.socket.serve(t.what, l) {
				return
			}
		}
		if !l.wait() {
			return
		}
	}
}

// wait waits for the next batch. It returns false if there is no socket any more.
func (l *Loop) wait() bool {
	clear(l.batch)
	l.batch, l.next = l.batch[:0], 0
	if time.Since(l.yielded) > yieldEvery {
		runtime.Gosched()
		l.yielded = time.Now()
	}
	n := l.poll.wait(l.told[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 {
		l.poll.close()
		l.running, l.sockets, l.uses, l.vacant = false, nil, nil, nil
		return false
	}
	for _, e := range l.told[:n] {
		if e.place >= 0 && l.uses[e.place] == e.use && l.sockets[e.place] != nil {
			l.batch = append(l.batch, turn{l.sockets[e.place], e.what})
		}
	}
	return true
}
