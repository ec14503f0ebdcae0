package mysqlwire

import (
	"net"
	"sync"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/proxy/socket"
)

// writeSize is how much is collected before it is written.
const writeSize = 16 << 10

// writer collects packets for one connection and numbers them.
type writer struct {
	who  string
	conn net.Conn
	// socket is conn if it has no layers and is waited for in the runtime's poller, else
	// nil.
	socket *socket.Socket
	// work is that of whoever writes, who may have a loop; nil in a goroutine of its own.
	work *socket.Work
	// buf is what was collected, in pooled unless that was too small.
	buf    []byte
	pooled *[writeSize + wholeSize]byte
	// lent is what goes out behind buf: bytes from a to b of in's buffer, which
	// in keeps until they are written.
	in   *reader
	lent struct{ a, b int }
	// seq is the next packet's number.
	seq byte
	// torn reports that a packet, or one of those that make up a long one, has been
	// written in part.
	torn bool
}

// buffers are what writers collect in. A writer with nothing to write has none.
var buffers = sync.Pool{New: func() any { return new([writeSize + wholeSize]byte) }}

// collect makes room to collect in.
func (w *writer) collect() {
	if w.buf == nil {
		w.pooled = buffers.Get().(*[writeSize + wholeSize]byte)
		w.buf = w.pooled[:0]
	}
	if w.lent.a < w.lent.b {
		w.buf = append(w.buf, w.in.buf[w.lent.a:w.lent.b]...)
		w.lent.a, w.lent.b = 0, 0
	}
}

// lend adds the bytes from a to b of r's buffer, without a copy where they can go
// out from there.
func (w *writer) lend(r *reader, a, b int) {
	switch {
	case a == b:
		return
	case w.lent.a < w.lent.b && w.in == r && w.lent.b == a:
		w.lent.b = b
		return
	case w.lent.a < w.lent.b:
		w.collect()
	}
	w.in, w.lent.a, w.lent.b = r, a, b
}

// packet adds payload as one packet, or more where it is long.
func (w *writer) packet(payload []byte) error {
	w.collect()
	w.buf, w.seq = packet.Append(w.buf, w.seq, payload)
	return w.full()
}

// taken is packet of a payload that was taken from r last. It may have been changed
// where it lies.
func (w *writer) taken(r *reader, payload []byte) error {
	a := r.r - len(payload) - packet.HeaderSize
	if len(payload) == 0 || a < 0 || &r.buf[r.r-1] != &payload[len(payload)-1] || packet.DecodeHeader(r.buf[a:]).Length != len(payload) {
		return w.packet(payload)
	}
	r.buf[a+packet.HeaderSize-1] = w.seq
	w.seq++
	w.lend(r, a, r.r)
	return nil
}

// forward takes the packet with header h, and those that continue it, from r and
// adds them. It returns the last one's header as r had it.
func (w *writer) forward(r *reader, h packet.Header) (packet.Header, error) {
	for {
		if err := w.forwardOne(r, h); err != nil {
			return h, err
		}
		if h.Length < packet.MaxPayload {
			return h, nil
		}
		var err error
		if h, err = r.header(); err != nil {
			return h, err
		}
	}
}

// forwardOne is forward without continuation.
func (w *writer) forwardOne(r *reader, h packet.Header) error {
	size := packet.HeaderSize + h.Length
	least := size
	if size > wholeSize {
		least = packet.HeaderSize
	}
	if _, err := r.peek(least); err != nil {
		return err
	}
	r.buf[r.r+packet.HeaderSize-1] = w.seq
	w.seq++
	w.torn = size > wholeSize
	for left := size; ; {
		n := min(left, r.w-r.r)
		w.lend(r, r.r, r.r+n)
		r.r += n
		if left -= n; left == 0 {
			w.torn = h.Length == packet.MaxPayload // another packet continues it
			return nil
		}
		if _, err := r.peek(1); err != nil {
			return err
		}
	}
}

func (w *writer) full() error {
	if len(w.buf) < writeSize {
		return nil
	}
	return w.flush()
}

// flush writes what was collected, and gives the room for it back.
func (w *writer) flush() error {
	b := w.buf
	if w.lent.a < w.lent.b {
		if b != nil {
			w.collect()
			b = w.buf
		} else {
			b = w.in.buf[w.lent.a:w.lent.b]
			w.lent.a, w.lent.b = 0, 0
		}
	}
	if len(b) == 0 {
		return nil
	}
	err := w.write(b)
	if w.pooled != nil {
		buffers.Put(w.pooled)
		w.buf, w.pooled = nil, nil
	}
	if err != nil {
		w.torn = true
		return &lostError{who: w.who, err: err}
	}
	return nil
}

func (w *writer) write(b []byte) (err error) {
	switch {
	case w.socket != nil:
		_, err = w.socket.Write(b)
	case w.work != nil:
		err = w.work.Send(w.conn, b)
	default:
		_, err = w.conn.Write(b)
	}
	return err
}
