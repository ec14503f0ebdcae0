package socket

import (
	"math"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// Looped is a socket that a loop waits for. It is a net.Conn, whose Read and Write
// wait in a goroutine of the caller's; or a Work is called when there is something to
// read. One goroutine at a time may read, and one may write.
type Looped struct {
	fd            uintptr
	loop          *Loop
	place         int32
	local, remote net.Addr

	// work reads, nil if Read does. phase is at what it is.
	work  atomic.Pointer[Work]
	phase atomic.Uint32
	// hung says that the end of the stream has come, maybe behind data.
	hung atomic.Bool
	// uses counts the system calls under way. It is negative once the socket is
	// closed: the descriptor is free to become another socket's after the last.
	uses atomic.Int32

	// came and room are what a Read and a Write wait for.
	came, room         atomic.Pointer[chan struct{}]
	readTill, sendTill deadline
}

// The phases of a Work.
const (
	phaseIdle  = iota // nobody is at it
	phaseBusy         // somebody is at it
	phaseAgain        // and will have to look again, as more may have come
	phaseOver         // it has ended
)

// never is a deadline that does not pass.
var never deadline

// closing is what is added to uses by Close.
const closing = math.MinInt32

// serve does what there is to be done for a socket that is ready. on is the loop if
// the goroutine has it; the result is false if it gave it away.
func (c *Looped) serve(what readiness, on *Loop) (still bool) {
	if what&readyEnd != 0 {
		c.hung.Store(true)
	}
	if what&readyWrite != 0 {
		signal(&c.room)
	}
	if what&readyRead == 0 {
		return true
	}
	w := c.work.Load()
	if w == nil || !c.begins() {
		signal(&c.came)
		return true
	}
	w.full, w.planned = 0, 0
	for w.on = on; ; w.on = on {
		done := w.ready(c.fd)
		on, w.on = w.on, nil
		if done {
			c.phase.Store(phaseOver)
			w.ended()
			return on != nil
		}
		if c.phase.CompareAndSwap(phaseBusy, phaseIdle) {
			return on != nil
		}
		c.phase.Store(phaseBusy)
	}
}

// begins reports that the caller is to have the Work done. Otherwise whoever is at it
// already looks once more.
func (c *Looped) begins() bool {
	for {
		switch c.phase.Load() {
		case phaseIdle:
			if c.phase.CompareAndSwap(phaseIdle, phaseBusy) {
				return true
			}
		case phaseBusy:
			if c.phase.CompareAndSwap(phaseBusy, phaseAgain) {
				return false
			}
		default:
			return false
		}
	}
}

// kick has the Work look, whatever the poller says.
func (c *Looped) kick() {
	if c.work.Load() != nil {
		go c.serve(readyRead, nil)
	}
}

// stopped returns why nothing more may be read or written, nil if it may.
func (c *Looped) stopped(d *deadline) error {
	switch {
	case c.uses.Load() < 0:
		return net.ErrClosed
	case d.passed.Load():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// enter begins a system call. The error is that of stopped, or nil: then exit follows.
func (c *Looped) enter(d *deadline) error {
	for {
		if err := c.stopped(d); err != nil {
			return err
		}
		if n := c.uses.Load(); n >= 0 && c.uses.CompareAndSwap(n, n+1) {
			return nil
		}
	}
}

func (c *Looped) exit() {
	if c.uses.Add(-1) == closing {
		c.free()
	}
}

func (c *Looped) free() {
	c.loop.remove(c)
	closeOnce(c.fd)
}

// Close closes the socket and wakes whoever waits for it.
func (c *Looped) Close() error {
	for {
		n := c.uses.Load()
		if n < 0 {
			return net.ErrClosed
		}
		if !c.uses.CompareAndSwap(n, n+closing) {
			continue
		}
		if n == 0 {
			c.free()
		}
		c.SetDeadline(time.Unix(1, 0))
		return nil
	}
}

// ReadOnce reads once. The error is ErrWait if nothing is there.
func (c *Looped) ReadOnce(fd uintptr, b []byte) (int, error) {
	if err := c.enter(&c.readTill); err != nil {
		return 0, c.failed("read", err)
	}
	defer c.exit()
	n, err := receive(fd, b)
	return n, c.failed("read", err)
}

// Hung says that the end of the stream has come, maybe behind data: what is there has
// to be read up to it, as nothing more will be told.
func (c *Looped) Hung() bool { return c.hung.Load() }

// Read waits until something is there.
func (c *Looped) Read(b []byte) (int, error) {
	for {
		// Whatever comes from here on is told, so nothing is missed before the wait.
		came := wait(&c.came)
		if n, err := c.ReadOnce(c.fd, b); err != ErrWait {
			return n, err
		}
		select {
		case <-came:
		case <-c.readTill.wait():
		}
	}
}

// try writes what there is room for.
func (c *Looped) try(b []byte) (n int, err error) {
	if err := c.enter(&c.sendTill); err != nil {
		return 0, c.failed("write", err)
	}
	defer c.exit()
	for n < len(b) {
		m, err := writeOnce(c.fd, b[n:])
		switch err {
		case 0:
			n += m
		case syscall.EAGAIN:
			return n, nil
		default:
			return n, c.failed("write", os.NewSyscallError("write", err))
		}
	}
	return n, nil
}

// Write writes all of b.
func (c *Looped) Write(b []byte) (n int, err error) {
	for {
		room := wait(&c.room)
		m, err := c.try(b[n:])
		if n += m; err != nil || n == len(b) {
			c.room.Store(nil)
			return n, err
		}
		select {
		case <-room:
		case <-c.sendTill.wait():
		}
	}
}

// wait returns what a signal will be sent to.
func wait(at *atomic.Pointer[chan struct{}]) <-chan struct{} {
	if ch := at.Load(); ch != nil {
		return *ch
	}
	ch := make(chan struct{}, 1)
	at.Store(&ch)
	return ch
}

// signal wakes whoever waits.
func signal(at *atomic.Pointer[chan struct{}]) {
	if ch := at.Load(); ch != nil {
		select {
		case *ch <- struct{}{}:
		default:
		}
	}
}

// control calls f with the descriptor.
func (c *Looped) control(f func(fd uintptr)) error {
	if err := c.enter(&never); err != nil {
		return err
	}
	defer c.exit()
	f(c.fd)
	return nil
}

// CloseWrite ends what is sent.
func (c *Looped) CloseWrite() (err error) {
	if e := c.control(func(fd uintptr) { err = endOnce(fd) }); e != nil {
		err = e
	}
	return c.failed("close", err)
}

func (c *Looped) failed(op string, err error) error {
	return failed(op, c.local, c.remote, err)
}

// LocalAddr returns the address of this side.
func (c *Looped) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other side.
func (c *Looped) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines.
func (c *Looped) SetDeadline(t time.Time) error {
	c.SetWriteDeadline(t)
	return c.SetReadDeadline(t)
}

// SetReadDeadline sets until when a Read, or a Work, waits.
func (c *Looped) SetReadDeadline(t time.Time) error {
	c.readTill.set(t, c.kick)
	return nil
}

// SetWriteDeadline sets until when a Write waits.
func (c *Looped) SetWriteDeadline(t time.Time) error {
	c.sendTill.set(t, nil)
	return nil
}
