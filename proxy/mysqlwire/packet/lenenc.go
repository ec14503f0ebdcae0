package packet

import "encoding/binary"

// The first bytes of length-encoded integers that stand for something else than
// themselves (page_protocol_basic_dt_integers.html).
const (
	lenencNull = 0xfb
	lenenc2    = 0xfc
	lenenc3    = 0xfd
	lenenc8    = 0xfe
)

// LenencSize returns the size in bytes of the length-encoded integer that begins
// with first, 0 if none does.
func LenencSize(first byte) int {
	switch first {
	case lenenc2:
		return 3
	case lenenc3:
		return 4
	case lenenc8:
		return 9
	case lenencNull, 0xff:
		return 0
	}
	return 1
}

// AppendLenenc appends n as a length-encoded integer.
func AppendLenenc(b []byte, n uint64) []byte {
	switch {
	case n < lenencNull:
		return append(b, byte(n))
	case n < 1<<16:
		return append(b, lenenc2, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(b, lenenc3, byte(n), byte(n>>8), byte(n>>16))
	}
	return binary.LittleEndian.AppendUint64(append(b, lenenc8), n)
}

// AppendLenencString appends s after its length.
func AppendLenencString[T string | []byte](b []byte, s T) []byte {
	return append(AppendLenenc(b, uint64(len(s))), s...)
}
