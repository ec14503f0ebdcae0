package packet

import "testing"

func TestQuery(t *testing.T) {
	plain := Query{Text: []byte("SELECT 1")}
	again(t, plain, plain.Append(nil), func(b []byte) (Query, error) { return DecodeQuery(b, 0) })
	// As MySQL 9.7's client sends one attribute: trace = "abc".
	attributes := unhex(t, "01 01 00 01 fe00 05 7472616365 03 616263")
	q := Query{Attributes: attributes, Text: []byte("SELECT 1")}
	b := q.Append(nil)
	again(t, q, b, func(b []byte) (Query, error) { return DecodeQuery(b, QueryAttributes) })
	cuts(t, b, len(b)-len(q.Text), func(b []byte) error { _, err := DecodeQuery(b, QueryAttributes); return err })
	none := Query{Attributes: NoAttributes(QueryAttributes), Text: []byte("SELECT 1")}
	again(t, none, none.Append(nil), func(b []byte) (Query, error) { return DecodeQuery(b, QueryAttributes) })
	for _, bad := range []string{"03 00 02", "03 fe ffffffffffffff7f 01", "03 01 01 00 00", "04", ""} {
		if q, err := DecodeQuery(unhex(t, bad), QueryAttributes); err == nil {
			t.Errorf("%s is read as %+v", bad, q)
		}
	}
}

func FuzzQuery(f *testing.F) {
	f.Add([]byte("\x03SELECT 1"), false)
	f.Add([]byte("\x03\x00\x01SELECT 1"), true)
	f.Add(append(unhex(f, "03 01 01 00 01 fe00 05 7472616365 03 616263"), "SELECT 1"...), true)
	f.Fuzz(func(t *testing.T, b []byte, attributes bool) {
		var c Capabilities
		if attributes {
			c = QueryAttributes
		}
		if q, err := DecodeQuery(b, c); err == nil {
			again(t, q, q.Append(nil), func(b []byte) (Query, error) { return DecodeQuery(b, c) })
		}
	})
}
