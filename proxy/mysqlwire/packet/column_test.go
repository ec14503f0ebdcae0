package packet

import "testing"

func TestColumnCount(t *testing.T) {
	for c, list := range map[Capabilities][]ColumnCount{
		0:                    {{1, true}, {4096, true}},
		MariaDBCacheMetadata: {{1, true}, {300, false}},
	} {
		for _, n := range list {
			b := n.Append(nil, c)
			again(t, n, b, func(b []byte) (ColumnCount, error) { return DecodeColumnCount(b, c) })
			cuts(t, b, len(b), func(b []byte) error { _, err := DecodeColumnCount(b, c); return err })
			if _, err := DecodeColumnCount(append(b, 0), c); err == nil {
				t.Error("no error for bytes behind the count")
			}
		}
	}
}

func testColumns() map[Capabilities]Column {
	text := func(s string) []byte { return []byte(s) }
	c := Column{Catalog: text("def"), Schema: text("shop"), Table: text("t"), OrgTable: text("parcels"), Name: text("n"), OrgName: text("n"),
		Collation: 63, Length: 11, Type: TypeLong, Flags: UnsignedFlag, Decimals: 31}
	d := c
	d.Extended = text("\x00\x05point")
	return map[Capabilities]Column{0: c, MariaDBExtendedMetadata: d}
}

func TestColumn(t *testing.T) {
	for c, col := range testColumns() {
		b := col.Append(nil, c)
		again(t, col, b, func(b []byte) (Column, error) { return DecodeColumn(b, c) })
		cuts(t, b, len(b), func(b []byte) error { _, err := DecodeColumn(b, c); return err })
	}
}

func FuzzColumn(f *testing.F) {
	for c, col := range testColumns() {
		f.Add(col.Append(nil, c), uint64(c))
	}
	f.Fuzz(func(t *testing.T, b []byte, caps uint64) {
		c := Capabilities(caps)
		if n, err := DecodeColumnCount(b, c); err == nil {
			again(t, n, n.Append(nil, c), func(b []byte) (ColumnCount, error) { return DecodeColumnCount(b, c) })
		}
		if col, err := DecodeColumn(b, c); err == nil {
			again(t, col, col.Append(nil, c), func(b []byte) (Column, error) { return DecodeColumn(b, c) })
		}
	})
}
