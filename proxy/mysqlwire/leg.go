package mysqlwire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

const (
	// readSize is the size of a leg's read buffer. Packets that fit into it are
	// forwarded whole or not at all.
	readSize = 16 << 10
	// writeSize is how much is collected before it is written.
	writeSize = 16 << 10
)

// lostError says that a leg's connection ended or broke.
type lostError struct {
	// who is client or upstream.
	who string
	// partly reports that a packet was cut short.
	partly bool
	err    error
}

func (e *lostError) Error() string {
	if errors.Is(e.err, io.EOF) {
		return "the " + e.who + " closed the connection"
	}
	return fmt.Sprintf("the connection to the %s broke: %v", e.who, e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// closed reports that the other end closed the connection, in whatever way.
func (e *lostError) closed() bool {
	return errors.Is(e.err, io.EOF) || errors.Is(e.err, net.ErrClosed) ||
		errors.Is(e.err, syscall.ECONNRESET) || errors.Is(e.err, syscall.EPIPE)
}

// reader reads the packets of one connection.
type reader struct {
	who  string
	conn net.Conn
	buf  []byte
	r, w int
	// lastSeq is the number of the last packet that payload took.
	lastSeq byte
	// wait is called before a read that may block, to send what was collected
	// for the other side; nil where nothing can have been.
	wait func() error
}

// peek returns the next n bytes, at most readSize, without taking them.
func (r *reader) peek(n int) ([]byte, error) {
	for r.w-r.r < n {
		if r.r > 0 && (r.r == r.w || r.r+n > len(r.buf)) {
			r.w = copy(r.buf, r.buf[r.r:r.w])
			r.r = 0
		}
		if r.wait != nil {
			if err := r.wait(); err != nil {
				return nil, err
			}
		}
		m, err := r.conn.Read(r.buf[r.w:])
		r.w += m
		if err != nil && r.w-r.r < n {
			return nil, &lostError{who: r.who, partly: r.w > r.r, err: err}
		}
	}
	return r.buf[r.r : r.r+n : r.r+n], nil
}

// header returns the next packet's header without taking it.
func (r *reader) header() (packet.Header, error) {
	b, err := r.peek(packet.HeaderSize)
	if err != nil {
		return packet.Header{}, err
	}
	return packet.DecodeHeader(b), nil
}

// head returns the next packet's header and the first byte of its payload, which
// must not be empty, without taking them.
func (r *reader) head() (packet.Header, byte, error) {
	b, err := r.peek(packet.HeaderSize)
	if err != nil {
		return packet.Header{}, 0, err
	}
	h := packet.DecodeHeader(b)
	if h.Length == 0 {
		return h, 0, &packet.MalformedError{Packet: r.who, Why: "it is empty"}
	}
	if b, err = r.peek(packet.HeaderSize + 1); err != nil {
		return h, 0, err
	}
	return h, b[packet.HeaderSize], nil
}

// start returns up to n bytes of the payload after h without taking them.
func (r *reader) start(h packet.Header, n int) ([]byte, error) {
	n = min(n, h.Length, readSize-packet.HeaderSize)
	b, err := r.peek(packet.HeaderSize + n)
	if err != nil {
		return nil, err
	}
	return b[packet.HeaderSize:], nil
}

// payload takes the packet with header h, and those that continue it, and returns
// the payload. It is valid until the next read. A payload longer than most is a
// *packet.MalformedError.
func (r *reader) payload(h packet.Header, most int) ([]byte, error) {
	if packet.HeaderSize+h.Length <= readSize {
		b, err := r.peek(packet.HeaderSize + h.Length)
		if err != nil {
			return nil, err
		}
		r.r += len(b)
		r.lastSeq = h.Seq
		return b[packet.HeaderSize:], nil
	}
	var long []byte
	for {
		if len(long)+h.Length > most {
			return nil, &packet.MalformedError{Packet: r.who, Why: fmt.Sprintf("it has more than %d bytes", most)}
		}
		r.r += packet.HeaderSize
		for left := h.Length; left > 0; {
			// The memory grows with what has come, not with what is announced.
			b, err := r.peek(min(left, max(1, r.w-r.r), readSize))
			if err != nil {
				return nil, err
			}
			long = append(long, b...)
			r.r += len(b)
			left -= len(b)
		}
		if r.lastSeq = h.Seq; h.Length < packet.MaxPayload {
			return long, nil
		}
		var err error
		if h, err = r.header(); err != nil {
			return nil, err
		}
	}
}

// skip takes the packet with header h, and those that continue it, and drops
// them. It returns the last one's header.
func (r *reader) skip(h packet.Header) (packet.Header, error) {
	for {
		for left := packet.HeaderSize + h.Length; left > 0; {
			b, err := r.peek(min(left, max(1, r.w-r.r)))
			if err != nil {
				return h, err
			}
			r.r += len(b)
			left -= len(b)
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

// writer collects packets for one connection and numbers them.
type writer struct {
	who  string
	conn net.Conn
	// buf is what was collected, in pooled unless that was too small.
	buf    []byte
	pooled *[writeSize + readSize]byte
	// seq is the next packet's number.
	seq byte
	// torn reports that a packet has been written in part.
	torn bool
}

// buffers are what writers collect in. A writer with nothing to write has none.
var buffers = sync.Pool{New: func() any { return new([writeSize + readSize]byte) }}

// collect makes room to collect in.
func (w *writer) collect() {
	if w.buf == nil {
		w.pooled = buffers.Get().(*[writeSize + readSize]byte)
		w.buf = w.pooled[:0]
	}
}

// packet adds payload as one packet, or more where it is long.
func (w *writer) packet(payload []byte) error {
	w.collect()
	w.buf, w.seq = packet.Append(w.buf, w.seq, payload)
	return w.full()
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
	if size := packet.HeaderSize + h.Length; size <= readSize {
		b, err := r.peek(size)
		if err != nil {
			return err
		}
		w.collect() // reading may have flushed
		w.buf = packet.Header{Length: h.Length, Seq: w.seq}.Append(w.buf)
		w.seq++
		w.buf = append(w.buf, b[packet.HeaderSize:]...)
		r.r += size
		return w.full()
	}
	w.collect()
	w.buf = packet.Header{Length: h.Length, Seq: w.seq}.Append(w.buf)
	w.seq++
	r.r += packet.HeaderSize
	w.torn = true
	for left := h.Length; left > 0; {
		b, err := r.peek(min(left, max(1, r.w-r.r)))
		if err != nil {
			return err
		}
		w.collect()
		w.buf = append(w.buf, b...)
		r.r += len(b)
		left -= len(b)
		if err := w.full(); err != nil {
			return err
		}
	}
	w.torn = false
	return nil
}

func (w *writer) full() error {
	if len(w.buf) < writeSize {
		return nil
	}
	return w.flush()
}

// flush writes what was collected, and gives the room for it back.
func (w *writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.conn.Write(w.buf)
	buffers.Put(w.pooled)
	w.buf, w.pooled = nil, nil
	if err != nil {
		w.torn = true
		return &lostError{who: w.who, err: err}
	}
	return nil
}
