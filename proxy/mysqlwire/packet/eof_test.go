package packet

import "testing"

func TestEOF(t *testing.T) {
	e := EOF{Warnings: 258, Status: StatusCursorExists | StatusAutocommit}
	b := e.Append(nil)
	wantBytes(t, b, unhex(t, "fe 0201 4200"))
	again(t, e, b, DecodeEOF)
	cuts(t, b, 5, func(b []byte) error { _, err := DecodeEOF(b); return err })
}

func TestEndsRows(t *testing.T) {
	for _, test := range []struct {
		length          int
		first           byte
		classic, newWay bool
	}{
		{5, 0xfe, true, true}, {7, 0xfe, true, true}, {8, 0xfe, true, true}, {9, 0xfe, false, true},
		{MaxPayload - 1, 0xfe, false, true}, {MaxPayload, 0xfe, false, false},
		{7, 0x00, false, false}, {5, 0xfb, false, false}, {5, 0xff, false, false},
	} {
		if EndsRows(test.length, test.first, false) != test.classic || EndsRows(test.length, test.first, true) != test.newWay {
			t.Errorf("a packet of %d bytes that begins with %x", test.length, test.first)
		}
	}
}

func FuzzEOF(f *testing.F) {
	f.Add(EOF{}.Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := DecodeEOF(b); err == nil {
			again(t, e, e.Append(nil), DecodeEOF)
		}
	})
}
