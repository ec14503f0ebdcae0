package packet

import "testing"

var stateChanges = []StateChange{
	{Kind: TrackSystemVariables, Name: "character_set_client", Value: "gbk"},
	{Kind: TrackSchema, Value: "shop"},
	{Kind: TrackStateChange, Value: "1"},
	{Kind: TrackGTIDs, Value: "\x00\x03abc"},
	{Kind: 99, Value: "what will be"},
}

func TestSessionState(t *testing.T) {
	b := AppendSessionState(nil, stateChanges)
	again(t, stateChanges, b, DecodeSessionState)
	cuts(t, b, 0, func(b []byte) error { _, err := DecodeSessionState(b); return err })
	// MariaDB's way: two variables in one entry.
	got, err := DecodeSessionState([]byte("\x00\x08\x01a\x01b\x01c\x01d"))
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, got, []StateChange{{Name: "a", Value: "b"}, {Name: "c", Value: "d"}})
	// Both servers tell of any change in one byte, without a length of its own.
	got, err = DecodeSessionState([]byte("\x02\x011\x01\x05\x04shop"))
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, got, []StateChange{{Kind: TrackStateChange, Value: "1"}, {Kind: TrackSchema, Value: "shop"}})
}

func FuzzSessionState(f *testing.F) {
	f.Add(AppendSessionState(nil, stateChanges))
	f.Add([]byte("\x00\x08\x01a\x01b\x01c\x01d"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if changes, err := DecodeSessionState(b); err == nil {
			again(t, changes, AppendSessionState(nil, changes), DecodeSessionState)
		}
	})
}
