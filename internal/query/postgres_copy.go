package query

import (
	"encoding/binary"
	"io"
)

// copyWatch looks at the types of the messages that the server sends, for the
// two that a query cannot answer: CopyInResponse, to which the server would wait
// for data forever, and CopyOutResponse, whose data would go unseen.
type copyWatch struct {
	in      io.Reader
	out     bool // a CopyOutResponse came
	header  [5]byte
	have    int    // bytes of header read
	skip    uint64 // bytes left of the current message's body
	answer  io.Writer
	stopped error
}

// watchCopies makes build's frontends read through w.
func watchCopies[F any](build func(io.Reader, io.Writer) F, w *copyWatch) func(io.Reader, io.Writer) F {
	return func(r io.Reader, to io.Writer) F {
		*w = copyWatch{in: r, answer: to}
		return build(w, to)
	}
}

func (w *copyWatch) reset() { w.out = false }

// Read reads from the server.
func (w *copyWatch) Read(p []byte) (int, error) {
	if w.stopped != nil {
		return 0, w.stopped
	}
	n, err := w.in.Read(p)
	w.scan(p[:n])
	return n, err
}

// scan follows the message headers: a type byte and a length that counts itself.
func (w *copyWatch) scan(b []byte) {
	for len(b) > 0 {
		if w.skip > 0 {
			n := min(w.skip, uint64(len(b)))
			w.skip -= n
			b = b[n:]
			continue
		}
		n := copy(w.header[w.have:], b)
		w.have += n
		b = b[n:]
		if w.have < len(w.header) {
			return
		}
		w.have = 0
		w.skip = uint64(max(binary.BigEndian.Uint32(w.header[1:]), 4) - 4)
		switch w.header[0] {
		case 'G', 'W': // CopyInResponse, CopyBothResponse
			w.refuse()
		case 'H': // CopyOutResponse
			w.out = true
		}
	}
}

// refuse answers with CopyFail, which makes the server end the statement with an
// error that holds the reason.
func (w *copyWatch) refuse() {
	const reason = "rowcap query has no data to send; use psql for COPY … FROM STDIN\x00"
	m := binary.BigEndian.AppendUint32([]byte{'f'}, uint32(4+len(reason)))
	if _, err := w.answer.Write(append(m, reason...)); err != nil {
		w.stopped = err
	}
}
