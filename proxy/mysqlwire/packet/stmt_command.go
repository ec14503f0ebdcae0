package packet

import "encoding/binary"

// StatementID reads the id that follows the command's byte in COM_STMT_FETCH,
// _CLOSE, _RESET, _SEND_LONG_DATA and _BULK_EXECUTE.
func StatementID(b []byte) (uint32, error) {
	s := scan{b: b, pos: 1}
	if len(b) == 0 {
		s.pos, s.bad = 0, true
	}
	id := s.u32()
	return id, s.err("statement command")
}

// LongData is COM_STMT_SEND_LONG_DATA (page_protocol_com_stmt_send_long_data.html)
// without its data.
type LongData struct {
	StatementID uint32
	// Param is the parameter's number, from 0.
	Param uint16
}

// LongDataSize is the length of what precedes the data.
const LongDataSize = 7

// DecodeLongData reads a LongData; b may end anywhere after it.
func DecodeLongData(b []byte) (LongData, error) {
	s := scan{b: b}
	if Command(s.u8()) != ComStmtSendLong || s.bad {
		return LongData{}, &MalformedError{Packet: "COM_STMT_SEND_LONG_DATA", Why: "its first byte is not 0x18"}
	}
	l := LongData{StatementID: s.u32(), Param: s.u16()}
	return l, s.err("COM_STMT_SEND_LONG_DATA")
}

// Append appends the payload, up to where the data begins, to b.
func (l LongData) Append(b []byte) []byte {
	b = append(b, byte(ComStmtSendLong))
	b = binary.LittleEndian.AppendUint32(b, l.StatementID)
	return binary.LittleEndian.AppendUint16(b, l.Param)
}
