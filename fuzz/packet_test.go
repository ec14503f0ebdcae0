package fuzz

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// capabilitySets are those that decoders ask for; a bit of the fuzzed number stands for
// each.
var capabilitySets = []packet.Capabilities{
	packet.LongPassword, packet.ConnectWithDB, packet.Protocol41, packet.SSL, packet.SecureConnection, packet.PluginAuth,
	packet.ConnectAttrs, packet.PluginAuthLenenc, packet.SessionTrack, packet.DeprecateEOF, packet.OptionalResultsetMetadata,
	packet.QueryAttributes, packet.MariaDBProgress, packet.MariaDBCacheMetadata,
}

func capabilitiesOf(bits uint16) (c packet.Capabilities) {
	for i, one := range capabilitySets {
		if bits>>i&1 != 0 {
			c |= one
		}
	}
	return c
}

// FuzzPackets gives any bytes to every decoder of MySQL's packets under any set of
// capabilities. None panics or changes the bytes; an error is a *packet.MalformedError;
// and what was decoded is encoded to bytes that are decoded to the same.
func FuzzPackets(f *testing.F) {
	all := ^uint16(0)
	f.Add(packet.OK{AffectedRows: 300, Info: []byte("Rows matched: 1")}.Append(nil, 0), uint16(0), []byte{})
	f.Add(packet.EOF{Warnings: 3, Status: packet.StatusMoreResults}.Append(nil), all, []byte{})
	f.Add((&packet.Err{Code: 1064, State: "42000", Message: "You have an error"}).Append(nil), all, []byte{})
	f.Add(packet.AuthSwitch{Plugin: "mysql_native_password", Data: []byte("abcdefgh\x00")}.Append(nil), all, []byte{})
	f.Add(packet.PrepareOK{StatementID: 1, Columns: 2, Params: 1}.Append(nil, 0), uint16(0), []byte{})
	f.Add(packet.ColumnCount{Columns: 300, Metadata: true}.Append(nil, packet.OptionalResultsetMetadata), all, []byte{})
	f.Add(packet.Query{Attributes: []byte{0, 1}, Text: []byte("SELECT 1")}.Append(nil), all, []byte{})
	f.Add(packet.AppendTextRow(nil, []byte("1"), nil, []byte("parcel")), uint16(0), []byte{})
	f.Add([]byte("\x00\x00\x03abc"), uint16(0), []byte{byte(packet.TypeVarString)})
	f.Add(packet.AppendSessionState(nil, []packet.StateChange{{Kind: packet.TrackSchema, Value: "shop"}, {Name: "sql_mode", Value: "ANSI"}}), all, []byte{})
	f.Fuzz(func(t *testing.T, b []byte, bits uint16, types []byte) {
		c := capabilitiesOf(bits)
		before := bytes.Clone(b)
		again(t, b, func(b []byte) (packet.OK, error) { return packet.DecodeOK(b, c) }, func(v packet.OK) []byte { return v.Append(nil, c) })
		again(t, b, packet.DecodeEOF, func(v packet.EOF) []byte { return v.Append(nil) })
		again(t, b, packet.DecodeErr, func(v *packet.Err) []byte { return v.Append(nil) })
		again(t, b, packet.DecodeAuthSwitch, func(v packet.AuthSwitch) []byte { return v.Append(nil) })
		again(t, b, packet.DecodeLongData, func(v packet.LongData) []byte { return v.Append(nil) })
		again(t, b, packet.DecodeTextRow, func(v [][]byte) []byte { return packet.AppendTextRow(nil, v...) })
		again(t, b, packet.DecodeSessionState, func(v []packet.StateChange) []byte { return packet.AppendSessionState(nil, v) })
		again(t, b, func(b []byte) (packet.PrepareOK, error) { return packet.DecodePrepareOK(b, c) }, func(v packet.PrepareOK) []byte { return v.Append(nil, c) })
		again(t, b, func(b []byte) (packet.ColumnCount, error) { return packet.DecodeColumnCount(b, c) }, func(v packet.ColumnCount) []byte { return v.Append(nil, c) })
		again(t, b, func(b []byte) (packet.Column, error) { return packet.DecodeColumn(b, c) }, func(v packet.Column) []byte { return v.Append(nil, c) })
		again(t, b, func(b []byte) (packet.Query, error) { return packet.DecodeQuery(b, c) }, func(v packet.Query) []byte { return v.Append(nil) })
		again(t, b, func(b []byte) (packet.ChangeUser, error) { return packet.DecodeChangeUser(b, c) }, func(v packet.ChangeUser) []byte { return v.Append(nil, c) })
		again(t, b, func(b []byte) (packet.Execute, error) { return packet.DecodeExecute(b, c, len(types), nil, nil) }, func(v packet.Execute) []byte { return v.Append(nil, c) })
		fields := make([]packet.FieldType, len(types))
		for i, c := range types {
			fields[i] = packet.FieldType(c)
		}
		again(t, b, func(b []byte) ([]packet.BinaryValue, error) { return packet.DecodeBinaryRow(b, fields) }, func(v []packet.BinaryValue) []byte { return packet.AppendBinaryRow(nil, v...) })
		_, err := packet.StatementID(b)
		malformed(t, err)
		_, _, err = packet.DecodeExecuteStart(b)
		malformed(t, err)
		packet.IsFastAuthOK(b)
		packet.IsProgress(b)
		if !bytes.Equal(b, before) {
			t.Fatalf("decoding changed %x to %x", before, b)
		}
	})
}

// FuzzFrames puts a payload of any length into packets, numbered from any number on, and
// takes them apart again.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("payload"), byte(255), uint8(0))
	f.Add([]byte{}, byte(0), uint8(1))
	f.Add([]byte("x"), byte(254), uint8(2))
	f.Fuzz(func(t *testing.T, payload []byte, seq byte, longer uint8) {
		// The longest packet and its neighbours are too long to be fuzzed as such.
		if longer%16 != 0 && len(payload) > 0 {
			size := packet.MaxPayload - 3 + int(longer%16)%6
			payload = append(bytes.Repeat(payload[:1], size), payload...)
		}
		b, next := packet.Append([]byte("before"), seq, payload)
		b, ok := bytes.CutPrefix(b, []byte("before"))
		if !ok {
			t.Fatal("what stood before is gone")
		}
		var got []byte
		for more := true; more; seq++ {
			if len(b) < packet.HeaderSize {
				t.Fatalf("%d bytes where a header should be", len(b))
			}
			h := packet.DecodeHeader(b)
			if h.Seq != seq || h.Length > len(b)-packet.HeaderSize || !bytes.Equal(h.Append(nil), b[:packet.HeaderSize]) {
				t.Fatalf("the header %+v of %d bytes, number %d", h, len(b), seq)
			}
			got = append(got, b[packet.HeaderSize:packet.HeaderSize+h.Length]...)
			b = b[packet.HeaderSize+h.Length:]
			more = h.Length == packet.MaxPayload
		}
		if len(b) != 0 || seq != next || !bytes.Equal(got, payload) {
			t.Fatalf("%d bytes became %d and %d are left; the next is %d, not %d", len(payload), len(got), len(b), next, seq)
		}
	})
}

// FuzzHandshake edits both sides' first packets. What is masked decodes to the same
// packet but for its capabilities, which are those of before within keep and those of add;
// another authentication changes that and nothing else.
func FuzzHandshake(f *testing.F) {
	greeting := packet.Greeting{ServerVersion: "9.7.0", ConnectionID: 7, Capabilities: packet.LongPassword | packet.Protocol41 | packet.PluginAuth | packet.SSL | packet.SecureConnection,
		AuthData: []byte("12345678abcdefghijkl"), AuthPlugin: "caching_sha2_password"}
	response := packet.HandshakeResponse{Capabilities: packet.LongPassword | packet.Protocol41 | packet.SecureConnection | packet.PluginAuth | packet.ConnectWithDB | packet.ConnectAttrs,
		MaxPacketSize: 1 << 24, User: []byte("app"), Auth: []byte("proof"), Database: []byte("shop"), AuthPlugin: []byte("mysql_native_password"), Attributes: []byte("\x01k\x01v")}
	f.Add(greeting.Append(nil), uint16(0xffff), uint16(0))
	f.Add(response.Append(nil), uint16(0xfff7), uint16(1<<9))
	greeting.Capabilities &^= packet.LongPassword
	response.Capabilities &^= packet.LongPassword
	f.Add(greeting.Append(nil), uint16(0x0fff), uint16(4))
	f.Add(response.Append(nil), uint16(0xffff), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, keepBits, addBits uint16) {
		// Parts that are left out or short are written as empty or padded ones.
		settled(t, b, packet.DecodeGreeting, func(g packet.Greeting) []byte { return g.Append(nil) })
		settled(t, b, packet.DecodeHandshakeResponse, func(r packet.HandshakeResponse) []byte { return r.Append(nil) })
		// Which fields follow depends on the first of these, so no door takes them out.
		fields := packet.LongPassword | packet.Protocol41 | packet.ConnectWithDB | packet.SecureConnection | packet.PluginAuth | packet.ConnectAttrs | packet.PluginAuthLenenc | packet.SSL
		keep, add := capabilitiesOf(keepBits)|fields, capabilitiesOf(addBits)&^fields&0xffffffff
		want := func(c packet.Capabilities) packet.Capabilities { return c&keep | add }
		masked(t, b, packet.DecodeGreeting, func(b []byte) error { return packet.MaskGreeting(b, keep, add) }, func(g *packet.Greeting) { g.Capabilities = want(g.Capabilities) })
		masked(t, b, packet.DecodeHandshakeResponse, func(b []byte) error { return packet.MaskHandshakeResponse(b, keep, add) }, func(r *packet.HandshakeResponse) {
			r.Attribute("program_name")
			if tls := packet.AsksForTLS(b); tls != r.Capabilities.Has(packet.SSL) {
				t.Fatalf("%x: asks for TLS %t, has %v", b, tls, r.Capabilities)
			}
			r.Capabilities = want(r.Capabilities)
		})
	})
}

// masked decodes b after mask edited it, which is what edit makes of what b is.
func masked[T any](t *testing.T, b []byte, decode func([]byte) (T, error), mask func([]byte) error, edit func(*T)) {
	t.Helper()
	v, err := decode(b)
	edited := bytes.Clone(b)
	if err != nil {
		malformed(t, err)
		malformed(t, mask(edited))
		return
	}
	if err := mask(edited); err != nil {
		t.Fatalf("%x: %v", b, err)
	}
	edit(&v)
	if got, err := decode(edited); err != nil || !reflect.DeepEqual(got, v) {
		t.Fatalf("%x is masked to %x, which is %+v, %v; want %+v", b, edited, got, err, v)
	}
}

// again decodes b, and what that is encoded to.
func again[T any](t *testing.T, b []byte, decode func([]byte) (T, error), encode func(T) []byte) {
	t.Helper()
	v, err := decode(b)
	if err != nil {
		malformed(t, err)
		return
	}
	encoded := encode(v)
	w, err := decode(encoded)
	if err != nil || !reflect.DeepEqual(v, w) {
		t.Fatalf("%x is %+v\nwhich is encoded to %x\nwhich is %+v, %v", b, v, encoded, w, err)
	}
}

// settled decodes b and what that is encoded to, which is encoded to the same bytes.
func settled[T any](t *testing.T, b []byte, decode func([]byte) (T, error), encode func(T) []byte) {
	t.Helper()
	v, err := decode(b)
	if err != nil {
		malformed(t, err)
		return
	}
	encoded := encode(v)
	if w, err := decode(encoded); err != nil || !bytes.Equal(encode(w), encoded) {
		t.Fatalf("%x is %+v\nwhich is encoded to %x\nwhich is %+v, %v", b, v, encoded, w, err)
	}
}

func malformed(t *testing.T, err error) {
	t.Helper()
	var bad *packet.MalformedError
	if err != nil && (!errors.As(err, &bad) || bad.Packet == "" || bad.Why == "") {
		t.Fatalf("the error %v is %T", err, err)
	}
}
