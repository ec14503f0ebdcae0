package packet

import "testing"

// mariadbGreeting is that of MariaDB 10.11.
const mariadbGreeting = "0a 352e352e352d31302e31312e31392d4d617269614442 00 07000000 3132333435363738 00 fef7 2d 0200 ffb1 15 000000000000 1d000000 393031323334353637383930 00 6d7973716c5f6e61746976655f70617373776f7264 00"

func TestGreeting(t *testing.T) {
	b := unhex(t, mariadbGreeting)
	g, err := DecodeGreeting(b)
	if err != nil {
		t.Fatal(err)
	}
	if g.ServerVersion != "5.5.5-10.11.19-MariaDB" || g.ConnectionID != 7 || g.Collation != 45 || g.Status != StatusAutocommit ||
		string(g.AuthData) != "12345678901234567890" || g.AuthPlugin != "mysql_native_password" || g.Capabilities != 0x1d_b1fff7fe {
		t.Errorf("greeting is %+v", g)
	}
	wantBytes(t, g.Append(nil), b)
	cuts(t, b, 50, func(b []byte) error { _, err := DecodeGreeting(b); return err })
	// Another plugin's data, longer and shorter than usual, and MySQL's flag.
	g = Greeting{ServerVersion: "9.7.4", Capabilities: LongPassword | PluginAuth, AuthData: []byte("123456789012345678901234567890"), AuthPlugin: "x"}
	again(t, g, g.Append(nil), DecodeGreeting)
}

func TestMaskGreeting(t *testing.T) {
	b := unhex(t, mariadbGreeting)
	before, _ := DecodeGreeting(b)
	keep := ^(SSL | Compress | MariaDBCacheMetadata | ZstdCompression)
	if err := MaskGreeting(b, keep, 0); err != nil {
		t.Fatal(err)
	}
	after, err := DecodeGreeting(b)
	if err != nil {
		t.Fatal(err)
	}
	before.Capabilities &= keep
	wantValue(t, after, before)
	cuts(t, unhex(t, mariadbGreeting), 50, func(b []byte) error { return MaskGreeting(append([]byte(nil), b...), keep, 0) })
}

func FuzzGreeting(f *testing.F) {
	f.Add(unhex(f, mariadbGreeting))
	f.Add([]byte("\x0a"))
	f.Add([]byte("\x09old"))
	f.Fuzz(func(t *testing.T, b []byte) {
		MaskGreeting(append([]byte(nil), b...), 0, 0)
		if g, err := DecodeGreeting(b); err == nil {
			// An encoder writes at least the twelve bytes that the protocol has
			// for the second part.
			for len(g.AuthData) < 20 {
				g.AuthData = append(g.AuthData, 0)
			}
			h, err := DecodeGreeting(g.Append(nil))
			if err != nil || h.Capabilities != g.Capabilities || h.ServerVersion != g.ServerVersion || h.AuthPlugin != g.AuthPlugin && len(g.AuthData) < 247 {
				t.Fatalf("%+v comes back as %+v, %v", g, h, err)
			}
		}
	})
}
