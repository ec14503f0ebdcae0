package packet

import "encoding/binary"

// OKHeader is the first byte of an OK packet; the one that ends the rows of a
// result set under DeprecateEOF has EOFHeader instead.
const OKHeader = 0x00

// OK says that a command succeeded (page_protocol_basic_ok_packet.html).
type OK struct {
	// Header is OKHeader or EOFHeader.
	Header       byte
	AffectedRows uint64
	LastInsertID uint64
	Status       Status
	Warnings     uint16
	// Info is the human-readable text. Under SessionTrack it has a length of its
	// own and may be missing, in which case it is nil.
	Info []byte
	// SessionState is the raw list of changes, see DecodeSessionState; nil if
	// there is none.
	SessionState []byte
}

// DecodeOK reads an OK packet under the capabilities of its session. Info and
// SessionState share b's memory.
func DecodeOK(b []byte, c Capabilities) (OK, error) {
	s := scan{b: b}
	o := OK{Header: s.u8()}
	if o.Header != OKHeader && o.Header != EOFHeader {
		return o, &MalformedError{Packet: "OK", Why: "its first byte is neither 0x00 nor 0xfe"}
	}
	o.AffectedRows = s.lenenc()
	o.LastInsertID = s.lenenc()
	o.Status = Status(s.u16())
	o.Warnings = s.u16()
	if !c.Has(SessionTrack) {
		o.Info = s.rest()
		return o, s.err("OK")
	}
	if s.left() > 0 {
		o.Info = s.lenencString()
		if o.Status.Has(StatusSessionStateChanged) && s.left() > 0 {
			o.SessionState = s.lenencString()
		}
	}
	return o, s.err("OK")
}

// Append appends the payload to b.
func (o OK) Append(b []byte, c Capabilities) []byte {
	b = append(b, o.Header)
	b = AppendLenenc(b, o.AffectedRows)
	b = AppendLenenc(b, o.LastInsertID)
	b = binary.LittleEndian.AppendUint16(b, uint16(o.Status))
	b = binary.LittleEndian.AppendUint16(b, o.Warnings)
	if !c.Has(SessionTrack) {
		return append(b, o.Info...)
	}
	if o.Info == nil && o.SessionState == nil {
		return b
	}
	b = AppendLenencString(b, o.Info)
	if o.SessionState != nil {
		b = AppendLenencString(b, o.SessionState)
	}
	return b
}

// PatchOK sets status and warnings in the payload of an OK packet, in place.
func PatchOK(b []byte, status Status, warnings uint16) error {
	s := scan{b: b}
	s.u8()
	s.lenenc()
	s.lenenc()
	at := s.bytes(4)
	if at == nil {
		return &MalformedError{Packet: "OK", Why: "it ends too early"}
	}
	binary.LittleEndian.PutUint16(at, uint16(status))
	binary.LittleEndian.PutUint16(at[2:], warnings)
	return nil
}
