package packet

// nullOffset is the number of unused bits before those of the columns in the
// null bitmap of a binary row.
const nullOffset = 2

// BinaryValue is one value of a row in the binary encoding.
type BinaryValue struct {
	Type FieldType
	Null bool
	// Value is the encoded value as it stands, with its length where it has one.
	Value []byte
}

// DecodeBinaryRow reads the values of a row in the binary encoding
// (page_protocol_binary_resultset.html) whose columns have types. The values
// share b's memory.
func DecodeBinaryRow(b []byte, types []FieldType) ([]BinaryValue, error) {
	s := scan{b: b}
	if s.u8() != OKHeader || s.bad {
		return nil, &MalformedError{Packet: "binary row", Why: "its first byte is not 0x00"}
	}
	nulls := s.bytes(uint64(len(types)+7+nullOffset) / 8)
	if s.bad {
		return nil, s.err("binary row")
	}
	values := make([]BinaryValue, len(types))
	for i, t := range types {
		values[i].Type = t
		if bit := i + nullOffset; nulls[bit/8]&(1<<(bit%8)) != 0 {
			values[i].Null = true
			continue
		}
		values[i].Value = t.value(&s)
	}
	if s.left() > 0 && !s.bad {
		return nil, &MalformedError{Packet: "binary row", Why: "bytes follow the last value"}
	}
	return values, s.err("binary row")
}

// AppendBinaryRow appends the payload of a row in the binary encoding.
func AppendBinaryRow(b []byte, values ...BinaryValue) []byte {
	b = append(b, OKHeader)
	nulls := len(b)
	b = append(b, make([]byte, (len(values)+7+nullOffset)/8)...)
	for i, v := range values {
		if bit := i + nullOffset; v.Null {
			b[nulls+bit/8] |= 1 << (bit % 8)
			continue
		}
		b = append(b, v.Value...)
	}
	return b
}
