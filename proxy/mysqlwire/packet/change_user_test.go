package packet

import "testing"

func TestChangeUser(t *testing.T) {
	const caps = SecureConnection | PluginAuth | ConnectAttrs
	u := ChangeUser{User: []byte("someone"), Auth: []byte{1, 2, 3}, Database: []byte("stock"), Collation: 255, AuthPlugin: []byte("sha256_password"), Rest: []byte{3, 1, 'a', 0}}
	b := u.Append(nil, caps)
	again(t, u, b, func(b []byte) (ChangeUser, error) { return DecodeChangeUser(b, caps) })
	cuts(t, b, 18, func(b []byte) error { _, err := DecodeChangeUser(b, caps); return err })
	// What old clients send ends after the database.
	old := unhex(t, "11 61 00 00 62 00")
	u, err := DecodeChangeUser(old, caps)
	if err != nil {
		t.Fatal(err)
	}
	wantBytes(t, u.Append(nil, caps), old)
}

func FuzzChangeUser(f *testing.F) {
	f.Add(unhex(f, "11 61 00 01 07 62 00 2d 00 78 00"), uint64(SecureConnection|PluginAuth))
	f.Fuzz(func(t *testing.T, b []byte, c uint64) {
		caps := Capabilities(c)
		if u, err := DecodeChangeUser(b, caps); err == nil && len(u.Auth) < 256 {
			again(t, u, u.Append(nil, caps), func(b []byte) (ChangeUser, error) { return DecodeChangeUser(b, caps) })
		}
	})
}

func TestReplaceAuth(t *testing.T) {
	r := HandshakeResponse{Capabilities: Protocol41 | SecureConnection | PluginAuth | ConnectWithDB | ConnectAttrs, MaxPacketSize: 1 << 24, Collation: 45,
		User: []byte("someone"), Auth: []byte("secret\x00"), Database: []byte("stock"), AuthPlugin: []byte("sha256_password"), Attributes: []byte("\x01a\x01b")}
	b := r.Append(nil)
	b[20] = 7 // what the filler holds stays
	again := r.ReplaceAuth(b, "other", nil)
	got, err := DecodeHandshakeResponse(again)
	if err != nil {
		t.Fatal(err)
	}
	r.AuthPlugin, r.Auth, r.Rest = []byte("other"), []byte{}, []byte{}
	wantValue(t, got, r)
	if again[20] != 7 || !AsksForTLS(append([]byte{0, 8}, make([]byte, 30)...)) || AsksForTLS(again) {
		t.Errorf("got %x", again)
	}
}
