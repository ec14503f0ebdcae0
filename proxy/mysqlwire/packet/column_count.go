package packet

// ColumnCount begins a result set (page_protocol_com_query_response_text_resultset.html).
type ColumnCount struct {
	Columns uint64
	// Metadata reports that the columns' definitions follow. Only
	// OptionalResultsetMetadata (MySQL) and MariaDBCacheMetadata allow them to be left
	// out.
	Metadata bool
}

// DecodeColumnCount reads a ColumnCount under the capabilities of its session.
func DecodeColumnCount(b []byte, c Capabilities) (ColumnCount, error) {
	s := scan{b: b}
	n := ColumnCount{Columns: s.lenenc(), Metadata: true}
	if c.optionalMetadata() {
		n.Metadata = s.u8() != 0
	}
	if s.left() > 0 && !s.bad {
		return n, &MalformedError{Packet: "column count", Why: "bytes follow the count"}
	}
	return n, s.err("column count")
}

// Append appends the payload to b.
func (n ColumnCount) Append(b []byte, c Capabilities) []byte {
	b = AppendLenenc(b, n.Columns)
	if c.optionalMetadata() {
		flag := byte(0)
		if n.Metadata {
			flag = 1
		}
		b = append(b, flag)
	}
	return b
}

// optionalMetadata reports that a byte behind the count says whether definitions
// follow. MySQL 9.7 has it there as MariaDB does, and not before the count as its
// documentation says.
func (c Capabilities) optionalMetadata() bool {
	return c&(OptionalResultsetMetadata|MariaDBCacheMetadata) != 0
}
