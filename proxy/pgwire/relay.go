package pgwire

import (
	"bytes"
	"io"
	"sync"

	"github.com/rowcap/rowcap/proxy/socket"
)

// A pipe reads into a small buffer of its own while little comes, and into a
// large one from the pool while much does.
const (
	smallBuffer = 4 << 10
	largeBuffer = 64 << 10
	// peekSize is how much of a message that is larger than the large buffer
	// must be there before it is looked at: enough for the two names of a Bind.
	peekSize = 8 << 10
)

var largeBuffers = sync.Pool{New: func() any {
	b := make([]byte, largeBuffer)
	return &b
}}

// pipe is one direction of a session: it reads messages in batches and forwards
// them as bytes, with one write for each batch. A message is forwarded as it is
// unless cut is called after next returned it.
type pipe struct {
	in  io.Reader
	out io.Writer
	// check looks at a header before its message is waited for.
	check func(kind byte, size int) error
	// gathers says of which kinds a message is wanted whole, also if it does not
	// fit the buffer.
	gathers func(kind byte) bool
	// socket is in if it is one that is read without a layer above it; see
	// carryPlain. The goroutine that carries is then the only one that reads.
	socket *socket.Socket
	// looped is in if a loop waits for it; see begin.
	looped *socket.Looped

	small []byte  // nil if in is read by carryPlain
	large *[]byte // from the pool, nil if not in use
	kept  []byte  // what carryPlain keeps of a message that has not come as a whole
	buf   []byte  // small, *large or kept

	// buf[from:mark] is scanned and to be forwarded, buf[mark:r] is the message
	// that next returned last, buf[r:w] is still to be scanned.
	from, mark, r, w int
	// made goes out before buf[from:].
	made []byte

	// left is how much is still to come of a message that did not fit the
	// buffer; drop says that it is not forwarded.
	left int
	drop bool
	// gathered is what has come of a message that is wanted whole, nil if there
	// is none.
	gathered *message
	// whole reports that what was written so far ends where a message ends.
	whole bool

	last int // bytes of the last read
	want int // bytes that the next message needs

	carrier
	socket.Work
}

func newPipe(in io.Reader, out io.Writer) *pipe {
	return &pipe{in: in, out: out, whole: true}
}

// carry reads until nothing more can be read or step fails: step handles what
// was read and flushes it. One of the two errors is nil.
func (p *pipe) carry(step func() error) (failed, unread error) {
	switch {
	case p.looped != nil:
		over := make(chan struct{})
		p.begin(step, func() { close(over) })
		<-over
		return p.failed, p.unread
	case p.socket != nil:
		return p.carryPlain(step)
	}
	for {
		if err := p.fill(); err != nil {
			return nil, err
		}
		if err := step(); err != nil {
			return err, nil
		}
	}
}

// fill reads once. What was scanned must have been flushed.
func (p *pipe) fill() error {
	waiting := p.w - p.r
	if p.buf == nil {
		p.small = make([]byte, smallBuffer)
		p.buf = p.small
	}
	switch {
	case p.large == nil && (p.last == smallBuffer || p.want > smallBuffer || waiting == smallBuffer):
		p.enlarge()
	case p.large != nil && waiting == 0 && p.last < smallBuffer && p.left == 0:
		p.release()
	case p.r > 0:
		copy(p.buf, p.buf[p.r:p.w])
	}
	p.from, p.mark, p.r, p.w, p.want = 0, 0, 0, waiting, 0
	n, err := p.in.Read(p.buf[p.w:])
	p.last = n
	p.w += n
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// enlarge takes a large buffer, with what is still to be scanned at its start.
func (p *pipe) enlarge() {
	p.large = largeBuffers.Get().(*[]byte)
	copy(*p.large, p.buf[p.r:p.w])
	p.buf = *p.large
}

// next takes the next message of what was read. ok is false when more has to be
// read first.
func (p *pipe) next() (m message, ok bool, err error) {
	if p.left > 0 {
		n := min(p.left, p.w-p.r)
		p.mark = p.r
		p.r += n
		p.left -= n
		if p.gathered != nil {
			p.gathered.body = append(p.gathered.body, p.buf[p.mark:p.r]...)
		}
		if p.drop {
			p.cut()
		}
		if p.left > 0 {
			return m, false, nil
		}
		if p.gathered != nil {
			m, p.gathered, p.drop = *p.gathered, nil, false
			p.mark = p.r
			return m, true, nil
		}
	}
	p.drop = false
	p.mark = p.r
	waiting := p.buf[p.r:p.w]
	if len(waiting) < headerSize {
		return m, false, nil
	}
	kind, size, err := header(waiting)
	if err == nil && p.check != nil {
		err = p.check(kind, size)
	}
	if err != nil {
		return m, false, err
	}
	total := headerSize + size
	switch {
	case len(waiting) >= total:
		p.r += total
		return message{kind: kind, body: waiting[headerSize:total], size: size}, true, nil
	case total <= largeBuffer:
		p.want = total
		return m, false, nil
	case len(waiting) < peekSize:
		p.want = peekSize
		return m, false, nil
	}
	p.r = p.w
	p.left = total - len(waiting)
	if p.gathers != nil && p.gathers(kind) {
		p.gathered = &message{kind: kind, body: bytes.Clone(waiting[headerSize:]), size: size, cut: true}
		p.cut()
		return m, false, nil
	}
	return message{kind: kind, body: waiting[headerSize:], size: size}, true, nil
}

// cut keeps the message that next returned from being forwarded.
func (p *pipe) cut() {
	p.made = append(p.made, p.buf[p.from:p.mark]...)
	p.from, p.mark = p.r, p.r
	p.drop = p.left > 0
}

// put forwards b before the message that next returned, or in its place if
// that was cut.
func (p *pipe) put(b []byte) {
	p.made = append(p.made, p.buf[p.from:p.mark]...)
	p.made = append(p.made, b...)
	p.from = p.mark
}

// flush writes what is to be forwarded.
func (p *pipe) flush() error {
	rest := p.buf[p.from:p.r]
	p.from, p.mark = p.r, p.r
	if len(p.made) > 0 {
		rest = append(p.made, rest...)
		p.made = rest[:0]
		if cap(rest) > smallBuffer {
			p.made = nil
		}
	}
	if len(rest) == 0 {
		return nil
	}
	p.whole = p.left == 0 || p.drop
	err := p.Send(p.out, rest)
	if err != nil {
		p.whole = false
	}
	return err
}

// flushBefore writes what is to be forwarded before the message that next
// returned.
func (p *pipe) flushBefore() error {
	b := append(p.made, p.buf[p.from:p.mark]...)
	p.from, p.made = p.mark, nil
	if len(b) == 0 {
		return nil
	}
	err := p.Send(p.out, b)
	if err != nil {
		p.whole = false
	}
	return err
}

// release gives the large buffer back. Nothing may wait in it.
func (p *pipe) release() {
	if p.large != nil {
		largeBuffers.Put(p.large)
		p.large, p.buf = nil, p.small
		p.from, p.mark, p.r, p.w = 0, 0, 0, 0
	}
}
