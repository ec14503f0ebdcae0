package packet

import "encoding/binary"

// Column defines one column of a result set
// (page_protocol_com_query_response_text_resultset_column_definition.html).
type Column struct {
	Catalog, Schema, Table, OrgTable, Name, OrgName []byte
	// Extended is MariaDB's type information; only under MariaDBExtendedMetadata.
	Extended  []byte
	Collation uint16
	Length    uint32
	Type      FieldType
	Flags     uint16
	Decimals  byte
}

// UnsignedFlag is the bit of Column.Flags that makes a number unsigned.
const UnsignedFlag = 0x20

// DecodeColumn reads a Column under the capabilities of its session. The fields
// share b's memory.
func DecodeColumn(b []byte, c Capabilities) (Column, error) {
	s := scan{b: b}
	var col Column
	for _, field := range []*[]byte{&col.Catalog, &col.Schema, &col.Table, &col.OrgTable, &col.Name, &col.OrgName} {
		*field = s.lenencString()
	}
	if c.Has(MariaDBExtendedMetadata) {
		col.Extended = s.lenencString()
	}
	fixed := scan{b: s.lenencString()}
	col.Collation = fixed.u16()
	col.Length = fixed.u32()
	col.Type = FieldType(fixed.u8())
	col.Flags = fixed.u16()
	col.Decimals = fixed.u8()
	s.bad = s.bad || fixed.bad
	return col, s.err("column definition")
}

// Append appends the payload to b.
func (col Column) Append(b []byte, c Capabilities) []byte {
	for _, field := range [][]byte{col.Catalog, col.Schema, col.Table, col.OrgTable, col.Name, col.OrgName} {
		b = AppendLenencString(b, field)
	}
	if c.Has(MariaDBExtendedMetadata) {
		b = AppendLenencString(b, col.Extended)
	}
	b = append(b, 12)
	b = binary.LittleEndian.AppendUint16(b, col.Collation)
	b = binary.LittleEndian.AppendUint32(b, col.Length)
	b = append(b, byte(col.Type))
	b = binary.LittleEndian.AppendUint16(b, col.Flags)
	return append(b, col.Decimals, 0, 0)
}
