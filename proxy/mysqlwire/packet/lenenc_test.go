package packet

import "testing"

func TestLenenc(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "00", 250: "fa", 251: "fcfb00", 0xffff: "fcffff", 0x10000: "fd000001", 0xffffff: "fdffffff",
		0x1000000: "fe0000000100000000", 1<<64 - 1: "feffffffffffffffff",
	} {
		b := AppendLenenc(nil, n)
		wantBytes(t, b, unhex(t, want))
		s := scan{b: b}
		if got := s.lenenc(); got != n || s.bad || s.left() != 0 || LenencSize(b[0]) != len(b) {
			t.Errorf("%x is read as %d", b, got)
		}
		cuts(t, b, len(b), func(b []byte) error { s := scan{b: b}; s.lenenc(); return s.err("number") })
	}
	for _, b := range [][]byte{{0xfb}, {0xff, 1}} {
		if s := (scan{b: b}); s.lenenc() != 0 || !s.bad {
			t.Errorf("%x is read as a number", b)
		}
	}
}

func FuzzLenencString(f *testing.F) {
	f.Add([]byte("\x03abc"))
	f.Add([]byte("\xfc\x00\x01"))
	f.Add([]byte("\xfe\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func(b []byte) ([]byte, error) { s := scan{b: b}; v := s.lenencString(); return v, s.err("text") }
		if v, err := read(b); err == nil {
			again(t, v, AppendLenencString(nil, v), read)
		}
	})
}
