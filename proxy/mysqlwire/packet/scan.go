package packet

import (
	"bytes"
	"encoding/binary"
)

// scan reads a payload from left to right. After the first thing that is not
// there it is bad and reads zeros only.
type scan struct {
	b   []byte
	pos int
	bad bool
}

func (s *scan) left() int { return len(s.b) - s.pos }

// bytes reads n bytes. The result shares the payload's memory.
func (s *scan) bytes(n uint64) []byte {
	if s.bad || n > uint64(s.left()) {
		s.bad = true
		return nil
	}
	from := s.pos
	s.pos += int(n)
	return s.b[from:s.pos:s.pos]
}

func (s *scan) u8() byte {
	if b := s.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (s *scan) u16() uint16 {
	if b := s.bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (s *scan) u32() uint32 {
	if b := s.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (s *scan) lenenc() uint64 {
	size := LenencSize(s.u8())
	if s.bad || size == 0 {
		s.bad = true
		return 0
	}
	s.pos--
	b := s.bytes(uint64(size))
	if b == nil {
		return 0
	}
	if size == 1 {
		return uint64(b[0])
	}
	var n uint64
	for i := size - 1; i > 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

func (s *scan) lenencString() []byte { return s.bytes(s.lenenc()) }

// nul reads up to a zero byte, and over it.
func (s *scan) nul() []byte {
	if s.bad {
		return nil
	}
	n := bytes.IndexByte(s.b[s.pos:], 0)
	if n < 0 {
		s.bad = true
		return nil
	}
	text := s.bytes(uint64(n))
	s.pos++
	return text
}

func (s *scan) rest() []byte { return s.bytes(uint64(s.left())) }

// err says that packet was cut short, if it was.
func (s *scan) err(packet string) error {
	if s.bad {
		return &MalformedError{Packet: packet, Why: "it ends too early"}
	}
	return nil
}
