package packet

import "testing"

func TestAuthSwitch(t *testing.T) {
	b := unhex(t, "fe 6d7973716c5f6e61746976655f70617373776f7264 00 3132333435363738393031323334353637383930 00")
	a, err := DecodeAuthSwitch(b)
	if err != nil || a.Plugin != "mysql_native_password" || string(a.Data) != "12345678901234567890\x00" {
		t.Errorf("%+v, %v", a, err)
	}
	wantBytes(t, a.Append(nil), b)
	again(t, AuthSwitch{}, AuthSwitch{}.Append(nil), DecodeAuthSwitch)
	cuts(t, b, 1, func(b []byte) error { _, err := DecodeAuthSwitch(b); return err })
}

func FuzzAuthSwitch(f *testing.F) {
	f.Add([]byte("\xfe"))
	f.Add([]byte("\xfeplugin\x00data\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if a, err := DecodeAuthSwitch(b); err == nil && a.Plugin != "" {
			again(t, a, a.Append(nil), DecodeAuthSwitch)
		}
	})
}
