package packet

import "testing"

func handshakeResponses() map[string]HandshakeResponse {
	base := Protocol41 | SecureConnection | PluginAuth
	return map[string]HandshakeResponse{
		"mysql": {Capabilities: base | LongPassword | PluginAuthLenenc | ConnectAttrs | ConnectWithDB, MaxPacketSize: 1 << 24, Collation: 255,
			User: []byte("anna"), Auth: make([]byte, 32), Database: []byte("shop"), AuthPlugin: []byte("caching_sha2_password"), Attributes: []byte("\x01a\x01b"), Rest: []byte{}},
		"mariadb": {Capabilities: base | MariaDBCacheMetadata, User: []byte("b"), Auth: []byte("12345678901234567890"), AuthPlugin: []byte("x"), Rest: []byte{}},
		"old":     {Capabilities: Protocol41 | LongPassword, User: []byte("c"), Auth: []byte("secret"), Rest: []byte{}},
		"zstd":    {Capabilities: base | LongPassword, User: []byte("d"), Auth: []byte{}, AuthPlugin: []byte{}, Rest: []byte{3}},
		"tls":     {Capabilities: base | LongPassword | SSL, MaxPacketSize: 1, Collation: 8, SSLRequest: true},
	}
}

func TestHandshakeResponse(t *testing.T) {
	for name, r := range handshakeResponses() {
		t.Run(name, func(t *testing.T) {
			b := r.Append(nil)
			again(t, r, b, DecodeHandshakeResponse)
			cuts(t, b, 32, func(b []byte) error { _, err := DecodeHandshakeResponse(b); return err })
			keep := ^(SSL | MariaDBCacheMetadata)
			if err := MaskHandshakeResponse(b, keep, 0); err != nil {
				t.Fatal(err)
			}
			got, err := DecodeHandshakeResponse(b)
			if (err != nil) != r.SSLRequest || got.Capabilities != r.Capabilities&keep {
				t.Errorf("masked, it is %+v, %v", got, err)
			}
		})
	}
	if _, err := DecodeHandshakeResponse(make([]byte, 40)); err == nil {
		t.Error("no error for a client from before 4.1")
	}
}

func FuzzHandshakeResponse(f *testing.F) {
	for _, r := range handshakeResponses() {
		f.Add(r.Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		MaskHandshakeResponse(append([]byte(nil), b...), 0, 0)
		r, err := DecodeHandshakeResponse(b)
		if err != nil {
			return
		}
		s, err := DecodeHandshakeResponse(r.Append(nil))
		if err != nil || s.Capabilities != r.Capabilities || string(s.User) != string(r.User) || string(s.Auth) != string(r.Auth) {
			t.Fatalf("%+v comes back as %+v, %v", r, s, err)
		}
	})
}
