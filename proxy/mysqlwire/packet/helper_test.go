package packet

import (
	"bytes"
	"encoding/hex"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// unhex reads hexadecimal digits with blanks between them.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(strings.ReplaceAll(s, " ", ""), "\n", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantBytes compares payloads.
func wantBytes(t testing.TB, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// wantValue compares decoded packets.
func wantValue(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// cuts decodes every beginning of b. None may panic, and the error is a
// *MalformedError where there is one; below least bytes there must be one.
func cuts(t testing.TB, b []byte, least int, decode func([]byte) error) {
	t.Helper()
	for n := range b {
		err := decode(b[:n:n])
		var bad *MalformedError
		if err != nil && !errors.As(err, &bad) {
			t.Errorf("%x: error is %T", b[:n], err)
		}
		if err == nil && n < least {
			t.Errorf("%x: no error", b[:n])
		}
	}
}

// again checks that what was decoded from fuzzed bytes is encoded to bytes that are
// decoded to the same.
func again[T any](t *testing.T, v T, encoded []byte, decode func([]byte) (T, error)) {
	t.Helper()
	w, err := decode(encoded)
	if err != nil {
		t.Fatalf("%+v is encoded to %x, which is malformed: %v", v, encoded, err)
	}
	if !reflect.DeepEqual(v, w) {
		t.Fatalf("%+v is encoded to %x, which is decoded to %+v", v, encoded, w)
	}
}
