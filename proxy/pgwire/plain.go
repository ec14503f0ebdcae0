package pgwire

import (
	"errors"
	"os"
	"sync/atomic"
)

// carrier is the state of carryPlain.
type carrier struct {
	step           func() error
	failed, unread error
	// eager has the pipe read until nothing is there, also after a read that
	// did not fill the buffer.
	eager bool
	// waits says that the last read did not fill the buffer, so that what came in
	// the same moment may have gone unseen; see look.
	waits atomic.Bool
	// poked says that the read deadline was set to have the pipe look. It is
	// guarded by the session's mu.
	poked bool
	// resumes is called when a deadline has passed: it says whether the pipe was
	// only to look.
	resumes func(*pipe) bool
}

// carryPlain is carry for a socket. All of it runs within one call of the poller,
// for two reasons. A call that only waits and reads begins by reading in vain,
// to learn that it has to wait. And a buffer is needed only from the moment when data
// is there until it is handled: a session that waits has none.
func (p *pipe) carryPlain(step func() error) (failed, unread error) {
	p.step = step
	ready := p.ready
	for {
		err := p.socket.raw.Read(ready)
		if err == nil {
			return p.failed, p.unread
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) || !p.resumes(p) {
			return nil, p.socket.failed("read", err)
		}
	}
}

// ready is called when there may be something to read. It returns false to wait.
func (p *pipe) ready(fd uintptr) (done bool) {
	for {
		p.take()
		free := p.buf[p.w:]
		n, err := p.socket.read(fd, free)
		switch {
		case err == errWait:
			p.keep()
			return false
		case err != nil:
			p.unread = p.socket.failed("read", err)
			return true
		}
		p.w += n
		if p.failed = p.step(); p.failed != nil {
			return true
		}
		// The kernel gave all that was there. Whatever comes later wakes the
		// poller again.
		if n < len(free) && !p.eager {
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
