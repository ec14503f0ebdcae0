package pgwire

import (
	"errors"
	"net"
	"os"
	"sync/atomic"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/socket"
)

// carrier is the state of carryPlain.
type carrier struct {
	step           func() error
	source         source
	failed, unread error
	// eager has the pipe read until nothing is there, also after a read that
	// did not fill the buffer.
	eager bool
	// waits says that the last read did not fill the buffer, so that what came in
	// the same moment may have gone unseen; see Look.
	waits atomic.Bool
	// poked says that the read deadline was set to have the pipe look. It is
	// guarded by the session's mu.
	poked bool
	// resumes is called when a deadline has passed: it says whether the pipe was
	// only to look.
	resumes func(*pipe) bool
}

// source is what a pipe reads without a layer above it.
type source interface {
	// ReadOnce reads once. The error is socket.ErrWait if nothing is there.
	ReadOnce(fd uintptr, b []byte) (int, error)
}

// between has the pipe carry what in gives to out.
func (p *pipe) between(in, out net.Conn) {
	p.in, p.out = in, out
	if c, ok := in.(*socket.Looped); ok {
		p.looped = c
	}
	p.socket = socket.Of(in)
	if plain := socket.Of(out); plain != nil {
		p.out = plain
	}
}

// carryPlain is carry for a socket. All of it runs within one call of the poller,
// for two reasons. A call that only waits and reads begins by reading in vain,
// to learn that it has to wait. And a buffer is needed only from the moment when data
// is there until it is handled: a session that waits has none.
func (p *pipe) carryPlain(step func() error) (failed, unread error) {
	p.step, p.source = step, p.socket
	ready := p.ready
	for {
		err := p.socket.Wait(ready)
		if err == nil {
			return p.failed, p.unread
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || !p.resumes(p) {
			return nil, err
		}
	}
}

// begin has a loop carry what the pipe's socket gives, as carry does. ended is called
// at the end, in some goroutine, and does not wait for anything.
func (p *pipe) begin(step func() error, ended func()) {
	p.step, p.source = step, p.looped
	p.Begin(p.looped, p.guarded, ended)
}

// guarded is ready, for a goroutine that has more to do than to carry this pipe.
func (p *pipe) guarded(fd uintptr) (done bool) {
	defer func() {
		if v := recover(); v != nil {
			p.failed, done = proxy.Recovered(v), true
		}
	}()
	return p.ready(fd)
}

// ready is called when there may be something to read. It returns false to wait.
func (p *pipe) ready(fd uintptr) (done bool) {
	for {
		p.take()
		free := p.buf[p.w:]
		n, err := p.source.ReadOnce(fd, free)
		switch {
		case err == socket.ErrWait:
			p.keep()
			return false
		case err != nil:
			p.unread = err
			return true
		}
		p.w += n
		if p.failed = p.step(); p.failed != nil {
			return true
		}
		// The kernel gave all that was there. Whatever comes later wakes the
		// poller again.
		switch {
		case n == len(free):
			p.Streams()
		case p.looped != nil && !p.looped.Hung():
			p.keep()
			return false
		case p.looped == nil && !p.eager:
			p.keep()
			if !p.waits.Load() {
				p.waits.Store(true)
			}
			return false
		}
	}
}

// take has a large buffer ready, with what is still to be scanned at its start.
func (p *pipe) take() {
	waiting := p.w - p.r
	switch {
	case p.large == nil:
		p.enlarge()
	case p.r > 0:
		copy(p.buf, p.buf[p.r:p.w])
	}
	p.from, p.mark, p.r, p.w = 0, 0, 0, waiting
}

// keep gives the large buffer back, unless much of a message waits in it.
func (p *pipe) keep() {
	waiting := p.buf[p.r:p.w]
	switch {
	case len(waiting) > smallBuffer:
		return
	case len(waiting) == 0:
		p.kept = nil
	default:
		p.kept = append(p.kept[:0], waiting...)
	}
	largeBuffers.Put(p.large)
	p.large, p.buf = nil, p.kept
	p.from, p.mark, p.r, p.w = 0, 0, 0, len(p.kept)
}
