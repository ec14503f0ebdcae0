package packet

import "testing"

func TestTextRow(t *testing.T) {
	values := [][]byte{[]byte("1"), nil, {}, []byte("parcel 1")}
	b := AppendTextRow(nil, values...)
	wantBytes(t, b, append(unhex(t, "01 31 fb 00 08"), "parcel 1"...))
	again(t, values, b, DecodeTextRow)
	cuts(t, b, 0, func(b []byte) error { _, err := DecodeTextRow(b); return err })
}

func FuzzTextRow(f *testing.F) {
	f.Add([]byte("\x011\xfb\x00\x08parcel 1"))
	f.Add([]byte("\xfd\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if values, err := DecodeTextRow(b); err == nil {
			again(t, values, AppendTextRow(nil, values...), DecodeTextRow)
		}
	})
}

var binaryTypes = []FieldType{TypeTiny, TypeShort, TypeLong, TypeLongLong, TypeFloat, TypeDouble, TypeDatetime, TypeTime, TypeVarString, TypeNewDecimal, TypeNull}

func TestBinaryRow(t *testing.T) {
	var values []BinaryValue
	for i, v := range [][]byte{{1}, {1, 2}, {1, 2, 3, 4}, make([]byte, 8), make([]byte, 4), nil, {0}, {8, 1, 2, 3, 4, 5, 6, 7, 8}, []byte("\x03abc"), []byte("\x041.50"), nil} {
		values = append(values, BinaryValue{Type: binaryTypes[i], Value: v, Null: v == nil})
	}
	b := AppendBinaryRow(nil, values...)
	decode := func(b []byte) ([]BinaryValue, error) { return DecodeBinaryRow(b, binaryTypes) }
	again(t, values, b, decode)
	cuts(t, b, len(b), func(b []byte) error { _, err := decode(b); return err })
	if _, err := DecodeBinaryRow([]byte{0, 0, 1}, []FieldType{0xee}); err == nil {
		t.Error("no error for an unknown type")
	}
}

func FuzzBinaryRow(f *testing.F) {
	f.Add([]byte{0, 0, 1}, []byte{byte(TypeTiny)})
	f.Add([]byte("\x00\x00\x03abc"), []byte{byte(TypeVarString)})
	f.Add([]byte{0, 4}, []byte{byte(TypeLong)})
	f.Fuzz(func(t *testing.T, b, types []byte) {
		fields := make([]FieldType, len(types))
		for i, c := range types {
			fields[i] = FieldType(c)
		}
		decode := func(b []byte) ([]BinaryValue, error) { return DecodeBinaryRow(b, fields) }
		if values, err := decode(b); err == nil {
			again(t, values, AppendBinaryRow(nil, values...), decode)
		}
	})
}
