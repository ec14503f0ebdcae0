package packet

import (
	"encoding/binary"
	"fmt"
)

// ErrHeader is the first byte of an ERR packet.
const ErrHeader = 0xff

// progressCode is the code of an ERR packet that is MariaDB's progress report.
const progressCode = 0xffff

// Err says that a command failed (page_protocol_basic_err_packet.html).
type Err struct {
	Code uint16
	// State is the SQLSTATE, five characters; empty in an ERR packet that stands
	// before the handshake.
	State   string
	Message string
}

// Error returns code, state and message as the clients print them.
func (e *Err) Error() string {
	if e.State == "" {
		return fmt.Sprintf("error %d: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("error %d (%s): %s", e.Code, e.State, e.Message)
}

// DecodeErr reads an ERR packet.
func DecodeErr(b []byte) (*Err, error) {
	s := scan{b: b}
	if s.u8() != ErrHeader {
		return nil, &MalformedError{Packet: "ERR", Why: "its first byte is not 0xff"}
	}
	e := &Err{Code: s.u16()}
	if s.left() >= 6 && s.b[s.pos] == '#' {
		e.State = string(s.bytes(6)[1:])
	}
	e.Message = string(s.rest())
	return e, s.err("ERR")
}

// Append appends the payload to b.
func (e *Err) Append(b []byte) []byte {
	b = append(b, ErrHeader)
	b = binary.LittleEndian.AppendUint16(b, e.Code)
	if e.State != "" {
		b = append(append(b, '#'), e.State...)
	}
	return append(b, e.Message...)
}

// IsProgress reports that the payload of an ERR packet is a progress report,
// after which the real answer is still to come (MariaDB, Progress).
func IsProgress(b []byte) bool {
	return len(b) >= 3 && b[0] == ErrHeader && binary.LittleEndian.Uint16(b[1:]) == progressCode
}
