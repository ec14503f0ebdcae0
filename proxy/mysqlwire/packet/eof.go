package packet

import "encoding/binary"

// EOFHeader is the first byte of an EOF packet.
const EOFHeader = 0xfe

// eofMax is the longest payload that begins with EOFHeader and is an EOF packet;
// longer ones are rows whose first value has 16 MiB or more.
const eofMax = 8

// EOF ends the columns or the rows of a result set where DeprecateEOF is not
// agreed on (page_protocol_basic_eof_packet.html).
type EOF struct {
	Warnings uint16
	Status   Status
}

// DecodeEOF reads an EOF packet.
func DecodeEOF(b []byte) (EOF, error) {
	s := scan{b: b}
	if s.u8() != EOFHeader {
		return EOF{}, &MalformedError{Packet: "EOF", Why: "its first byte is not 0xfe"}
	}
	e := EOF{Warnings: s.u16(), Status: Status(s.u16())}
	return e, s.err("EOF")
}

// Append appends the payload to b.
func (e EOF) Append(b []byte) []byte {
	b = append(b, EOFHeader)
	b = binary.LittleEndian.AppendUint16(b, e.Warnings)
	return binary.LittleEndian.AppendUint16(b, uint16(e.Status))
}

// EndsRows reports that a packet of this length and first byte, met where a row
// may stand, is not a row but the EOF (or, under deprecateEOF, OK) packet that
// ends the rows.
func EndsRows(length int, first byte, deprecateEOF bool) bool {
	if first != EOFHeader {
		return false
	}
	if deprecateEOF {
		return length < MaxPayload
	}
	return length <= eofMax
}
