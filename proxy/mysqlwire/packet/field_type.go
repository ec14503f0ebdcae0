package packet

// FieldType is the type of a column or a parameter (field_types.h,
// enum_field_types).
type FieldType byte

// The field types.
const (
	TypeDecimal    FieldType = 0x00
	TypeTiny       FieldType = 0x01
	TypeShort      FieldType = 0x02
	TypeLong       FieldType = 0x03
	TypeFloat      FieldType = 0x04
	TypeDouble     FieldType = 0x05
	TypeNull       FieldType = 0x06
	TypeTimestamp  FieldType = 0x07
	TypeLongLong   FieldType = 0x08
	TypeInt24      FieldType = 0x09
	TypeDate       FieldType = 0x0a
	TypeTime       FieldType = 0x0b
	TypeDatetime   FieldType = 0x0c
	TypeYear       FieldType = 0x0d
	TypeVarchar    FieldType = 0x0f
	TypeBit        FieldType = 0x10
	TypeVector     FieldType = 0xf2
	TypeJSON       FieldType = 0xf5
	TypeNewDecimal FieldType = 0xf6
	TypeEnum       FieldType = 0xf7
	TypeSet        FieldType = 0xf8
	TypeTinyBlob   FieldType = 0xf9
	TypeMediumBlob FieldType = 0xfa
	TypeLongBlob   FieldType = 0xfb
	TypeBlob       FieldType = 0xfc
	TypeVarString  FieldType = 0xfd
	TypeString     FieldType = 0xfe
	TypeGeometry   FieldType = 0xff
)

// value reads one value of the type in the binary encoding, with its length
// where it has one (page_protocol_binary_resultset.html).
func (t FieldType) value(s *scan) []byte {
	from := s.pos
	switch t {
	case TypeNull:
	case TypeTiny:
		s.bytes(1)
	case TypeShort, TypeYear:
		s.bytes(2)
	case TypeLong, TypeInt24, TypeFloat:
		s.bytes(4)
	case TypeLongLong, TypeDouble:
		s.bytes(8)
	case TypeDate, TypeTime, TypeDatetime, TypeTimestamp:
		s.bytes(uint64(s.u8()))
	case TypeDecimal, TypeVarchar, TypeBit, TypeVector, TypeJSON, TypeNewDecimal, TypeEnum, TypeSet,
		TypeTinyBlob, TypeMediumBlob, TypeLongBlob, TypeBlob, TypeVarString, TypeString, TypeGeometry:
		s.lenencString()
	default:
		s.bad = true
	}
	if s.bad {
		return nil
	}
	return s.b[from:s.pos:s.pos]
}
