package packet

import "testing"

func okPackets() map[Capabilities][]OK {
	return map[Capabilities][]OK{
		0: {
			{Info: []byte{}},
			{AffectedRows: 300, LastInsertID: 1 << 40, Status: StatusAutocommit, Warnings: 3, Info: []byte("\x05hello")},
		},
		SessionTrack: {
			{Header: EOFHeader, Status: StatusMoreResults},
			{Info: []byte("Rows matched: 1"), Status: StatusAutocommit},
			{Info: []byte{}, Status: StatusSessionStateChanged, SessionState: AppendSessionState(nil, []StateChange{{Kind: TrackSchema, Value: "shop"}})},
		},
	}
}

func TestOK(t *testing.T) {
	for c, list := range okPackets() {
		for _, o := range list {
			b := o.Append(nil, c)
			again(t, o, b, func(b []byte) (OK, error) { return DecodeOK(b, c) })
			cuts(t, b, 7, func(b []byte) error { _, err := DecodeOK(b, c); return err })
			if err := PatchOK(b, StatusLastRowSent, 65535); err != nil {
				t.Fatal(err)
			}
			o.Status, o.Warnings = StatusLastRowSent, 65535
			o.SessionState = nil // nothing in the status says any more that it follows
			got, err := DecodeOK(b, c)
			if err != nil {
				t.Fatal(err)
			}
			wantValue(t, got, o)
		}
	}
	cuts(t, OK{}.Append(nil, 0), 7, func(b []byte) error { return PatchOK(b, 0, 0) })
	// As MariaDB 10.11 sends it after USE.
	o, err := DecodeOK(unhex(t, "00 00 00 0240 0000 00 07 01 05 04 73686f70"), SessionTrack)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := DecodeSessionState(o.SessionState)
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, changes, []StateChange{{Kind: TrackSchema, Value: "shop"}})
}

func FuzzOK(f *testing.F) {
	for c, list := range okPackets() {
		for _, o := range list {
			f.Add(o.Append(nil, c), uint64(c))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, caps uint64) {
		c := Capabilities(caps)
		PatchOK(append([]byte(nil), b...), 1, 1)
		if o, err := DecodeOK(b, c); err == nil {
			again(t, o, o.Append(nil, c), func(b []byte) (OK, error) { return DecodeOK(b, c) })
		}
	})
}
