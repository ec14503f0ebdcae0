package packet

import "encoding/binary"

// LastPrepared is the statement id that means the one prepared last (MariaDB).
const LastPrepared uint32 = 0xffffffff

// The flags of COM_STMT_EXECUTE (mysql_com.h, enum_cursor_type).
const (
	CursorReadOnly          byte = 0x01
	ParameterCountAvailable byte = 0x08
)

// CursorKinds are the flags any of which asks for a cursor.
const CursorKinds byte = 0x07

// executeFixed is the length of what precedes the parameters.
const executeFixed = 10

// Execute is COM_STMT_EXECUTE (page_protocol_com_stmt_execute.html).
type Execute struct {
	StatementID uint32
	Flags       byte
	Iterations  uint32
	// Params are the statement's parameters, then the query attributes.
	Params []Param
	// Fresh reports that the packet brought the types with it.
	Fresh bool
}

// DecodeExecuteStart reads the statement id and the flags, which need no knowledge
// of the statement.
func DecodeExecuteStart(b []byte) (id uint32, flags byte, err error) {
	s := scan{b: b}
	if Command(s.u8()) != ComStmtExecute || s.bad {
		return 0, 0, &MalformedError{Packet: "COM_STMT_EXECUTE", Why: "its first byte is not 0x17"}
	}
	id, flags = s.u32(), s.u8()
	return id, flags, s.err("COM_STMT_EXECUTE")
}

// DecodeExecute reads an Execute of a statement with params parameters, under
// the capabilities of its session. known are the types of the execution before,
// long says of each parameter (from 0) whether its value was sent ahead. Like the
// servers, it takes no notice of bytes behind the last value.
func DecodeExecute(b []byte, c Capabilities, params int, known []ParamType, long func(int) bool) (Execute, error) {
	id, flags, err := DecodeExecuteStart(b)
	if err != nil {
		return Execute{}, err
	}
	e := Execute{StatementID: id, Flags: flags}
	s := scan{b: b, pos: executeFixed - 4}
	e.Iterations = s.u32()
	names := c.Has(QueryAttributes)
	if names && flags&ParameterCountAvailable != 0 {
		n := s.lenenc()
		if n < uint64(params) || n > uint64(len(b)) {
			return e, &MalformedError{Packet: "COM_STMT_EXECUTE", Why: "its parameter count cannot be"}
		}
		params = int(n)
	}
	if !s.bad {
		e.Params, e.Fresh = s.params(params, names, known, long)
	}
	return e, s.err("COM_STMT_EXECUTE")
}

// Append appends the payload to b, always with the parameters' types.
func (e Execute) Append(b []byte, c Capabilities) []byte {
	b = append(b, byte(ComStmtExecute))
	b = binary.LittleEndian.AppendUint32(b, e.StatementID)
	b = append(b, e.Flags)
	b = binary.LittleEndian.AppendUint32(b, e.Iterations)
	names := c.Has(QueryAttributes)
	if names && e.Flags&ParameterCountAvailable != 0 {
		b = AppendLenenc(b, uint64(len(e.Params)))
	}
	return appendParams(b, e.Params, names)
}
