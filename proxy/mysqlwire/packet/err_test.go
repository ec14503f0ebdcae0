package packet

import "testing"

func TestErr(t *testing.T) {
	e := &Err{Code: 1064, State: "42000", Message: "You have an error"}
	b := e.Append(nil)
	wantBytes(t, b, append(unhex(t, "ff 2804 23 3432303030"), e.Message...))
	again(t, e, b, DecodeErr)
	early := &Err{Code: 1040, Message: "Too many connections"}
	again(t, early, early.Append(nil), DecodeErr)
	cuts(t, b, 3, func(b []byte) error { _, err := DecodeErr(b); return err })
	if e.Error() != "error 1064 (42000): You have an error" || early.Error() != "error 1040: Too many connections" {
		t.Errorf("%v, %v", e, early)
	}
	if IsProgress(b) || IsProgress(nil) || IsProgress([]byte{0xff, 0xff}) || !IsProgress([]byte{0xff, 0xff, 0xff, 1, 1, 2}) {
		t.Error("progress reports are not told apart")
	}
}

func FuzzErr(f *testing.F) {
	f.Add([]byte("\xff\x28\x04#42000message"))
	f.Add([]byte("\xff\x28\x04message"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if e, err := DecodeErr(b); err == nil {
			again(t, e, e.Append(nil), DecodeErr)
		}
	})
}
