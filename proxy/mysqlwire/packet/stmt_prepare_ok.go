package packet

import "encoding/binary"

// PrepareOK answers COM_STMT_PREPARE (page_protocol_com_stmt_prepare.html).
type PrepareOK struct {
	StatementID uint32
	Columns     uint16
	Params      uint16
	Warnings    uint16
	// Metadata reports that definitions of parameters and columns follow. Only
	// OptionalResultsetMetadata allows them to be left out.
	Metadata bool
}

// DecodePrepareOK reads a PrepareOK under the capabilities of its session.
func DecodePrepareOK(b []byte, c Capabilities) (PrepareOK, error) {
	s := scan{b: b}
	if s.u8() != OKHeader || s.bad {
		return PrepareOK{}, &MalformedError{Packet: "prepare OK", Why: "its first byte is not 0x00"}
	}
	p := PrepareOK{StatementID: s.u32(), Columns: s.u16(), Params: s.u16()}
	s.u8()
	p.Warnings = s.u16()
	p.Metadata = true
	if c.Has(OptionalResultsetMetadata) && s.left() > 0 {
		p.Metadata = s.u8() != 0
	}
	return p, s.err("prepare OK")
}

// Append appends the payload to b.
func (p PrepareOK) Append(b []byte, c Capabilities) []byte {
	b = append(b, OKHeader)
	b = binary.LittleEndian.AppendUint32(b, p.StatementID)
	b = binary.LittleEndian.AppendUint16(b, p.Columns)
	b = binary.LittleEndian.AppendUint16(b, p.Params)
	b = append(b, 0)
	b = binary.LittleEndian.AppendUint16(b, p.Warnings)
	if c.Has(OptionalResultsetMetadata) {
		flag := byte(0)
		if p.Metadata {
			flag = 1
		}
		b = append(b, flag)
	}
	return b
}
