package packet

import (
	"bytes"
	"testing"
)

func TestHeader(t *testing.T) {
	b := Header{Length: 0x030201, Seq: 255}.Append(nil)
	wantBytes(t, b, []byte{1, 2, 3, 255})
	wantValue(t, DecodeHeader(b), Header{Length: 0x030201, Seq: 255})
}

func TestAppendSplits(t *testing.T) {
	for size, packets := range map[int]int{0: 1, 1: 1, MaxPayload - 1: 1, MaxPayload: 2, MaxPayload + 1: 2, 2 * MaxPayload: 3} {
		payload := bytes.Repeat([]byte{'x'}, size)
		b, next := Append(nil, 254, payload)
		if want := byte(254 + packets); next != want {
			t.Errorf("%d bytes: the next number is %d, want %d", size, next, want)
		}
		var got []byte
		for n := 0; n < packets; n++ {
			h := DecodeHeader(b)
			if h.Seq != byte(254+n) || (h.Length == MaxPayload) != (n < packets-1) {
				t.Fatalf("%d bytes: packet %d has header %+v", size, n, h)
			}
			got = append(got, b[HeaderSize:HeaderSize+h.Length]...)
			b = b[HeaderSize+h.Length:]
		}
		if !bytes.Equal(got, payload) || len(b) != 0 {
			t.Errorf("%d bytes do not come back", size)
		}
	}
}
