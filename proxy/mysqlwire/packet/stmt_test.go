package packet

import (
	"encoding/binary"
	"testing"
)

func TestPrepareOK(t *testing.T) {
	p := PrepareOK{StatementID: 1 << 30, Columns: 300, Params: 65535, Warnings: 2, Metadata: true}
	b := p.Append(nil, 0)
	again(t, p, b, func(b []byte) (PrepareOK, error) { return DecodePrepareOK(b, 0) })
	p.Metadata = false
	again(t, p, p.Append(nil, OptionalResultsetMetadata), func(b []byte) (PrepareOK, error) { return DecodePrepareOK(b, OptionalResultsetMetadata) })
	cuts(t, b, 12, func(b []byte) error { _, err := DecodePrepareOK(b, 0); return err })
}

// testExecutes are executions of a statement with two parameters.
func testExecutes() map[Capabilities][]Execute {
	number := Param{ParamType: ParamType{Type: TypeLongLong, Unsigned: true}, Value: binary.LittleEndian.AppendUint64(nil, 7)}
	text := Param{ParamType: ParamType{Type: TypeVarString}, Value: AppendLenencString(nil, "text")}
	null := Param{ParamType: ParamType{Type: TypeNull}, Null: true}
	date := Param{ParamType: ParamType{Type: TypeDatetime}, Value: []byte{4, 1, 2, 3, 4}}
	named := func(p Param, name string) Param { p.Name = []byte(name); return p }
	return map[Capabilities][]Execute{
		0: {
			{StatementID: 1, Iterations: 1, Params: []Param{number, text}, Fresh: true},
			{StatementID: LastPrepared, Flags: CursorReadOnly, Iterations: 1, Params: []Param{null, date}, Fresh: true},
		},
		QueryAttributes: {
			{StatementID: 1, Iterations: 1, Params: []Param{named(number, ""), named(text, "")}, Fresh: true},
			{StatementID: 1, Flags: ParameterCountAvailable, Params: []Param{named(null, ""), named(number, ""), named(text, "trace")}, Fresh: true},
		},
	}
}

func TestExecute(t *testing.T) {
	for c, list := range testExecutes() {
		for _, e := range list {
			decode := func(b []byte) (Execute, error) { return DecodeExecute(b, c, 2, nil, nil) }
			b := e.Append(nil, c)
			again(t, e, b, decode)
			cuts(t, b, len(b), func(b []byte) error { _, err := decode(b); return err })
			again(t, e, b, func(b []byte) (Execute, error) { return decode(append(b, 0)) })
		}
	}
}

// TestExecuteAgain leaves the types out, as clients do from the second time on.
func TestExecuteAgain(t *testing.T) {
	e := testExecutes()[0][0]
	b := e.Append(nil, 0)
	b = append(append(b[:11:11], 0), b[16:]...)
	known := []ParamType{e.Params[0].ParamType, e.Params[1].ParamType}
	got, err := DecodeExecute(b, 0, 2, known, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Fresh = false
	wantValue(t, got, e)
	if _, err := DecodeExecute(b, 0, 2, nil, nil); err == nil {
		t.Error("no error though the types are not known")
	}
	// The second value was sent ahead.
	b = b[:len(b)-5]
	got, err = DecodeExecute(b, 0, 2, known, func(i int) bool { return i == 1 })
	if err != nil || !got.Params[1].Long || got.Params[1].Value != nil {
		t.Errorf("%+v, %v", got, err)
	}
	wantBytes(t, got.Append(nil, 0)[16:], b[12:])
}

func TestStatementCommands(t *testing.T) {
	id, err := StatementID([]byte{byte(ComStmtClose), 1, 2, 0, 0})
	if err != nil || id != 513 {
		t.Errorf("%d, %v", id, err)
	}
	cuts(t, []byte{byte(ComStmtClose), 1, 2, 0, 0}, 5, func(b []byte) error { _, err := StatementID(b); return err })
	l := LongData{StatementID: 1 << 24, Param: 258}
	b := l.Append(nil)
	if len(b) != LongDataSize {
		t.Errorf("%d bytes", len(b))
	}
	again(t, l, b, DecodeLongData)
	cuts(t, b, LongDataSize, func(b []byte) error { _, err := DecodeLongData(b); return err })
}

func FuzzExecute(f *testing.F) {
	for c, list := range testExecutes() {
		for _, e := range list {
			f.Add(e.Append(nil, c), c == QueryAttributes, uint16(2))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, attributes bool, params uint16) {
		var c Capabilities
		if attributes {
			c = QueryAttributes
		}
		DecodeLongData(b)
		StatementID(b)
		DecodePrepareOK(b, OptionalResultsetMetadata)
		decode := func(b []byte) (Execute, error) { return DecodeExecute(b, c, int(params), nil, nil) }
		e, err := decode(b)
		if err != nil {
			return
		}
		again(t, e, e.Append(nil, c), decode)
	})
}
