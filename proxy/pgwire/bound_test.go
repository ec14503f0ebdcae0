package pgwire

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// bindTail builds what follows the names in a Bind.
func bindTail(formats []uint16, values ...[]byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(formats)))
	for _, f := range formats {
		b = binary.BigEndian.AppendUint16(b, f)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(values)))
	for _, v := range values {
		if v == nil {
			b = binary.BigEndian.AppendUint32(b, 0xffffffff)
			continue
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return append(b, 0, 0)
}

func TestBoundLimit(t *testing.T) {
	seven := []byte{0, 0, 0, 0, 0, 0, 0, 7}
	for _, c := range []struct {
		name  string
		tail  []byte
		param int
		typ   uint32
		rows  uint64
		ok    bool
	}{
		{"text", bindTail(nil, []byte("7")), 1, typeInt8, 7, true},
		{"text, one format for all", bindTail([]uint16{0}, nil, []byte("9")), 2, 0, 9, true},
		{"text of an unknown type", bindTail(nil, []byte("9223372036854775807")), 1, 0, 1<<63 - 1, true},
		{"int2", bindTail([]uint16{1}, []byte{1, 0}), 1, typeInt2, 256, true},
		{"int4 behind text and NULL", bindTail([]uint16{0, 0, 1}, []byte("x"), nil, []byte{0, 0, 1, 0}), 3, typeInt4, 256, true},
		{"int8", bindTail([]uint16{1}, seven), 1, typeInt8, 7, true},
		{"binary of an unknown type", bindTail([]uint16{1}, seven), 1, 0, 0, false},
		{"binary of another size", bindTail([]uint16{1}, seven), 1, typeInt4, 0, false},
		{"negative", bindTail([]uint16{1}, []byte{0xff, 0xff}), 1, typeInt2, 0, false},
		{"negative text", bindTail(nil, []byte("-7")), 1, typeInt8, 0, false},
		{"text with a sign, a blank, a fraction", bindTail(nil, []byte("+7"), []byte(" 7"), []byte("7.0")), 2, typeInt8, 0, false},
		{"too large", bindTail(nil, []byte("9223372036854775808")), 1, typeInt8, 0, false},
		{"empty", bindTail(nil, []byte{}), 1, typeInt8, 0, false},
		{"NULL", bindTail(nil, nil), 1, typeInt8, 0, false},
		{"not there", bindTail(nil, []byte("7")), 2, typeInt8, 0, false},
		{"no parameter", bindTail(nil), 1, typeInt8, 0, false},
		{"no message", nil, 1, typeInt8, 0, false},
	} {
		if rows, ok := boundLimit(c.tail, c.param, c.typ); rows != c.rows && c.ok || ok != c.ok {
			t.Errorf("%s: %d, %t", c.name, rows, ok)
		}
		// The beginning of a message has no more to say than the whole.
		for i := range c.tail {
			if rows, ok := boundLimit(c.tail[:i], c.param, c.typ); ok && rows != c.rows {
				t.Errorf("%s: the first %d bytes are read as %d", c.name, i, rows)
			}
		}
	}
}

func TestLimitType(t *testing.T) {
	types := []byte{0, 2, 0, 0, 0, 0, 0, 0, 0, typeInt4}
	for _, c := range []struct {
		param int
		bits  uint8
		want  uint32
	}{{1, 64, typeInt8}, {1, 0, 0}, {1, 16, typeInt2}, {2, 64, typeInt4}, {3, 32, typeInt4}, {3, 0, 0}} {
		if got := limitType(rewrite.Limit{Param: c.param, Bits: c.bits}, types); got != c.want {
			t.Errorf("$%d of %d bits: type %d, want %d", c.param, c.bits, got, c.want)
		}
	}
}

// TestTablesKeepTexts bounds what is kept of the callers' own texts.
func TestTablesKeepTexts(t *testing.T) {
	var tables tables
	tables.clear()
	large := strings.Repeat("x", textLimit/4)
	for _, name := range []string{"a", "b", "c", "d", "e", "e", "a"} {
		tables.remember(name, &statement{edited: true, text: large})
	}
	kept := 0
	for _, st := range tables.statements {
		kept += len(st.text)
	}
	if kept != tables.kept || kept != textLimit || tables.statements["e"].text != "" || tables.statements["a"].text == "" {
		t.Errorf("%d bytes are kept, counted as %d", kept, tables.kept)
	}
	tables.drop("a")
	tables.remember("e", &statement{edited: true, text: large})
	if tables.statements["e"].text == "" {
		t.Error("what was dropped makes no room")
	}
	tables.completed("DEALLOCATE ALL", &rewrite.Statement{})
	if tables.kept != 0 || len(tables.statements) != 0 {
		t.Errorf("%d bytes are counted behind DEALLOCATE ALL", tables.kept)
	}
}
