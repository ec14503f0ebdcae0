package mysqlwire

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/proxy/socket"
)

// keptSize is how much of a packet a session keeps by itself while the rest has yet
// to come. Where more is there, it keeps the large buffer.
const keptSize = 4 << 10

var socketBuffers = sync.Pool{New: func() any { return new([socketSize]byte) }}

// errWithin says that a command was begun before all of it was there.
var errWithin = errors.New("a command needs more of the client than was read")

// socketRead is the part of a reader that reads a socket. A buffer is needed only from the
// moment when data is there until it is handled: a session that waits has none.
type socketRead struct {
	// socket is the reader's connection if it has no layers and is waited for in the
	// runtime's poller, else nil; looped if a loop waits for it, else nil.
	socket *socket.Socket
	looped *socket.Looped
	pooled *[socketSize]byte
	kept   []byte
	// ready is called when there may be something to read.
	ready  func(fd uintptr) bool
	failed error
	// drained says that the last read took all that was there.
	drained bool
	// within says that the goroutine is in a call of socket.Wait already.
	within bool
	// Work is done in the loop that waits for looped.
	socket.Work
	// before is called once the poller is watched, and before anything is waited
	// for. The other side says nothing before it hears what is written there, so
	// that no read has to find out that nothing has come.
	before func() error

	// waits says that the socket is waited for since a read that did not fill the
	// buffer, so that what came in the same moment may have gone unseen; see
	// session.Look.
	waits atomic.Bool
	// poked says that the read deadline was set to have the reader look, and by is the
	// one that was in force before, zero for none. They belong to session.mu.
	poked bool
	by    time.Time
	// resumes says whether a read deadline that has passed was only to look.
	resumes func(*reader) bool
}

// fillPlain reads once.
func (r *reader) fillPlain() error {
	if r.within {
		return errWithin
	}
	for {
		r.failed = nil
		err := r.socket.Wait(r.ready)
		if err == nil {
			return r.failed
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || r.resumes == nil || !r.resumes(r) {
			return err
		}
	}
}

// isReady reads once.
func (r *reader) isReady(fd uintptr) (done bool) {
	if before := r.before; before != nil {
		r.before = nil
		if r.failed = before(); r.failed != nil {
			return true
		}
		return r.rest()
	}
	waits, err := r.readPlain(fd)
	r.failed = err
	return !waits
}

// readPlain reads once. It reports waits if nothing is there.
func (r *reader) readPlain(fd uintptr) (waits bool, err error) {
	err = r.read(func(free []byte) (int, error) {
		if r.looped != nil {
			return r.looped.ReadOnce(fd, free)
		}
		return r.socket.ReadOnce(fd, free)
	})
	if err == socket.ErrWait {
		return true, nil
	}
	return false, err
}

// again reads what has come, and after that, unless it is the first time, what did not fit
// the buffer. It reports waits if nothing is there.
func (r *reader) again(fd uintptr, first bool) (waits bool, err error) {
	if !first && r.drained {
		return !r.rest(), nil
	}
	if !first {
		r.Streams()
	}
	if waits, err = r.readPlain(fd); err != nil {
		err = &lostError{who: r.who, err: err}
	}
	return waits, err
}

// begin has the loop call ready when there may be something to read. A panic ends that, and
// failed is told of it; ended is called at the end.
func (r *reader) begin(ready func(fd uintptr) bool, failed func(error), ended func()) {
	r.Begin(r.looped, func(fd uintptr) (done bool) {
		defer func() {
			if v := recover(); v != nil {
				failed(proxy.Recovered(v))
				done = true
			}
		}()
		return ready(fd)
	}, ended)
}

// fillLooped reads once, amid a command or an answer.
func (r *reader) fillLooped() error {
	r.Streams()
	return r.read(func(free []byte) (int, error) { return r.Receive(r.looped, free) })
}

// read has once read into a large buffer.
func (r *reader) read(once func(free []byte) (int, error)) error {
	r.take()
	free := r.buf[r.w:]
	n, err := once(free)
	r.w += n
	r.drained = n < len(free) && (r.looped == nil || !r.looped.Hung())
	if err != nil {
		r.give() // where many sessions end at once, each would keep one
	}
	return err
}

// rest has the reader wait after a read that took all that was there. It returns
// false, for the poller.
func (r *reader) rest() (done bool) {
	r.give()
	if !r.waits.Load() {
		r.waits.Store(true)
	}
	return false
}

// take has a large buffer ready, with what has not been taken at its start.
func (r *reader) take() {
	if r.pooled != nil {
		r.compact()
		return
	}
	r.pooled = socketBuffers.Get().(*[socketSize]byte)
	r.w = copy(r.pooled[:], r.buf[r.r:r.w])
	r.r, r.buf = 0, r.pooled[:]
}

// give gives the large buffer back, unless much of a packet waits in it.
func (r *reader) give() {
	waiting := r.buf[r.r:r.w]
	if r.pooled == nil || len(waiting) > keptSize {
		return
	}
	if len(waiting) == 0 {
		r.kept = nil
	} else {
		r.kept = append(r.kept[:0], waiting...)
	}
	socketBuffers.Put(r.pooled)
	r.pooled, r.buf = nil, r.kept
	r.r, r.w = 0, len(r.kept)
}

// layer has the reader and the writer of a leg use conn, which has layers, from now
// on. Nothing may have been read that was not taken.
func (r *reader) layer(w *writer, conn net.Conn) {
	r.give()
	r.socket, r.conn, r.buf = nil, conn, nil
	w.socket, w.conn = nil, conn
}

// adopted has the reader and the writer of a leg use c from now on, in the place of the
// socket that it was.
func (r *reader) adopted(w *writer, c *socket.Looped) {
	r.socket, r.looped, r.conn = nil, c, c
	w.socket, w.conn = nil, c
}

// whole reports that the next packet has come as a whole, with what continues it.
func (r *reader) whole() (packet.Header, bool) {
	waiting := r.buf[r.r:r.w]
	if len(waiting) < packet.HeaderSize {
		return packet.Header{}, false
	}
	h := packet.DecodeHeader(waiting)
	return h, len(waiting) >= packet.HeaderSize+h.Length && h.Length < packet.MaxPayload && packet.HeaderSize+h.Length <= wholeSize
}

// bound has reading fail at by, never if that is zero. The session's mu is held.
func (r *reader) bound(by time.Time) {
	r.by, r.poked = by, false
	r.conn.SetReadDeadline(by)
}
