package mysqlwire

import (
	"fmt"
	"net"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

const (
	// wholeSize is the size of the largest packet, its header included, that is
	// forwarded whole or not at all.
	wholeSize = 16 << 10
	// socketSize is the size of the buffers that sockets are read into.
	socketSize = 64 << 10
)

// reader reads the packets of one connection.
type reader struct {
	who  string
	conn net.Conn
	// buf is what is read into: memory of the reader's own, or of a pool where
	// conn is a socket.
	buf  []byte
	r, w int
	// lastSeq is the number of the last packet that payload took.
	lastSeq byte
	// wait is called before a read that may block, to send what was collected
	// for the other side; nil where nothing can have been.
	wait func() error

	socketRead
}

// peek returns the next n bytes, at most wholeSize, without taking them.
func (r *reader) peek(n int) ([]byte, error) {
	for r.w-r.r < n {
		if err := r.fill(); err != nil && r.w-r.r < n {
			return nil, err
		}
	}
	return r.buf[r.r : r.r+n : r.r+n], nil
}

// fill reads once.
func (r *reader) fill() error {
	if r.wait != nil {
		if err := r.wait(); err != nil {
			return err
		}
	}
	var err error
	switch {
	case r.looped != nil:
		err = r.fillLooped()
	case r.socket != nil:
		err = r.fillPlain()
	default:
		if r.buf == nil {
			r.buf = make([]byte, wholeSize)
		}
		r.compact()
		var n int
		n, err = r.conn.Read(r.buf[r.w:])
		r.w += n
	}
	if err != nil {
		return &lostError{who: r.who, partly: r.w > r.r, err: err}
	}
	return nil
}

// compact moves what has not been taken to the beginning of the buffer.
func (r *reader) compact() {
	if r.r > 0 {
		r.w = copy(r.buf, r.buf[r.r:r.w])
		r.r = 0
	}
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
	n = min(n, h.Length, wholeSize-packet.HeaderSize)
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
	if packet.HeaderSize+h.Length <= wholeSize {
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
			b, err := r.peek(min(left, max(1, r.w-r.r), wholeSize))
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
