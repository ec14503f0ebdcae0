package pgwire

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Sizes in bytes. The limits are the server's own (PQ_SMALL_MESSAGE_LIMIT in
// src/include/libpq/libpq.h, MAX_STARTUP_PACKET_LENGTH in pqcomm.h,
// PG_MAX_AUTH_TOKEN_LENGTH in libpq/auth.h), save maxBuffered, which bounds
// what one session can make rowcap hold.
const (
	headerSize  = 5
	smallLimit  = 10_000
	tokenLimit  = 65_535
	maxBuffered = 64 << 20
)

// message is one framed message. Its body points into the buffer it was read
// to and is valid until the next message is taken.
type message struct {
	kind byte
	body []byte
	// size is the body's whole length.
	size int
	// cut says that it is not forwarded as it stands.
	cut bool
}

// whole reports that body holds all of the message. One that is larger than the
// buffer has only its beginning there.
func (m message) whole() bool { return len(m.body) == m.size }

// header reads a message's type and body length.
func header(b []byte) (kind byte, size int, err error) {
	n := binary.BigEndian.Uint32(b[1:headerSize])
	if n < 4 || n > 1<<30 {
		return b[0], 0, violation(fmt.Sprintf("message %s has the impossible length %d", kindName(b[0]), int32(n)))
	}
	return b[0], int(n) - 4, nil
}

func kindName(kind byte) string {
	if kind >= 0x21 && kind < 0x7f {
		return fmt.Sprintf("%q", kind)
	}
	return fmt.Sprintf("0x%02X", kind)
}

// cutString takes a zero-terminated string off b.
func cutString(b []byte) (s, rest []byte, ok bool) {
	return bytes.Cut(b, []byte{0})
}

// nameLimit is the longest name that the server tells apart (NAMEDATALEN - 1).
// It cuts the names of statements and portals without a word.
const nameLimit = 63

// objectName returns the name of a statement or portal as the server sees it.
func objectName(b []byte) string {
	return string(b[:min(len(b), nameLimit)])
}

// textOf returns the zero-terminated text at the start of b and what follows.
func textOf(b []byte) (text string, rest []byte, ok bool) {
	t, rest, ok := cutString(b)
	return string(t), rest, ok
}

// appendFrame appends a message of the given kind, whose body fill appends.
func appendFrame(dst []byte, kind byte, fill func([]byte) []byte) []byte {
	start := len(dst)
	dst = fill(append(dst, kind, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-1))
	return dst
}

// appendString appends s and its terminator.
func appendString(dst []byte, s string) []byte {
	return append(append(dst, s...), 0)
}
