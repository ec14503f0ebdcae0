package mysqlwire

import (
	"encoding/binary"
	"strconv"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// warningTypes are the types of SHOW WARNINGS' columns.
var warningTypes = []packet.FieldType{packet.TypeVarString, packet.TypeLong, packet.TypeVarString}

// merge adds the notes to a result that tells of warnings or errors.
type merge struct {
	*answer
	types []packet.FieldType
	list  []note
}

// merging returns what adds the notices to the result at hand, nil if nothing is to
// be added or put in other words.
func (a *answer) merging(count packet.ColumnCount) *merge {
	var columns uint64
	list := a.notes.list
	switch kind := a.shows.kind; {
	case kind.lists():
		columns = 3
	case kind.counts():
		columns = 1
	}
	if a.shows.kind == showErrors || a.shows.kind == showErrorCount {
		list = a.notes.errors()
	}
	reworded := a.shows.kind.lists() && !a.notes.reworded.none()
	if columns == 0 || len(list) == 0 && !reworded || count.Columns != columns {
		return nil
	}
	m := &merge{answer: a, list: list}
	if !count.Metadata {
		// The client knows the types from before; so do we.
		m.types = []packet.FieldType{packet.TypeLongLong}
		if columns == 3 {
			m.types = warningTypes
		}
	}
	return m
}

// row relays a row of the result; a count of warnings counts ours too, and the error that
// the client was told in other words has these.
func (m *merge) row(h packet.Header) error {
	if !m.shows.kind.counts() && m.notes.reworded.none() {
		_, err := m.client.out.forward(&m.up.in, h)
		return err
	}
	b, err := m.up.in.payload(h, maxControl)
	if err != nil {
		return err
	}
	if m.shows.kind.lists() {
		return m.client.out.packet(m.notes.reworded.row(b, m.types, m.binary()))
	}
	if m.binary() {
		return m.client.out.packet(addBinary(b, m.types, len(m.list)))
	}
	values, err := packet.DecodeTextRow(b)
	if err != nil {
		return err
	}
	if len(values) == 1 {
		if n, err := strconv.ParseUint(string(values[0]), 10, 64); err == nil {
			values[0] = strconv.AppendUint(nil, n+uint64(len(m.list)), 10)
			b = packet.AppendTextRow(nil, values...)
		}
	}
	return m.client.out.packet(b)
}

// binary reports that rows are in the binary encoding.
func (a *answer) binary() bool { return a.stmt != nil }

// addBinary adds n to the row's only value, if it is of an integer type.
func addBinary(b []byte, types []packet.FieldType, n int) []byte {
	values, err := packet.DecodeBinaryRow(b, types)
	if err != nil || len(values) != 1 || values[0].Null {
		return b
	}
	switch v := values[0].Value; len(v) {
	case 8:
		v = binary.LittleEndian.AppendUint64(nil, binary.LittleEndian.Uint64(v)+uint64(n))
		return packet.AppendBinaryRow(nil, packet.BinaryValue{Value: v})
	case 4:
		v = binary.LittleEndian.AppendUint32(nil, binary.LittleEndian.Uint32(v)+uint32(n))
		return packet.AppendBinaryRow(nil, packet.BinaryValue{Value: v})
	}
	return b
}

// closeDiagnostics ends a result that tells of diagnostics. It leaves the notices
// as they are; where such a list is itself cut, a last row of its own says so, in
// words that do not pass for those about the statement before.
// MySQL drops its warnings once SELECT @@warning_count has been answered. The
// notices stay: who asks for their number means to read them.
func (a *answer) closeDiagnostics(meter *rewrite.Meter, end rowsEnd, m *merge) error {
	var rows []note
	if m != nil && a.shows.kind.lists() {
		for _, n := range m.visible(meter.Delivered()) {
			n.text = a.notes.message(n)
			rows = append(rows, n)
		}
	}
	o := meter.Outcome()
	a.door.observer.Answered(a.door.Name(), o)
	if n, cut := a.rewriter.Notice(o); cut && a.shows.kind.lists() {
		if m == nil {
			m = &merge{answer: a, types: warningTypes}
		}
		rows = append(rows, note{level: levelWarning, code: CodeNotice, text: "of this list: " + message(n)})
	}
	for _, n := range rows {
		if err := a.client.out.packet(m.warningRow(n)); err != nil {
			return err
		}
	}
	// Both servers say of such a result that it has no warnings.
	return a.writeEnd(end, a.flags(end.status), 0)
}

// visible are the notes that SHOW WARNINGS or SHOW ERRORS has room for behind the
// server's own rows, of which delivered were relayed.
func (m *merge) visible(delivered uint64) []note {
	list := m.list
	if !m.shows.bounded {
		return list
	}
	skip, room := uint64(0), m.shows.count-min(m.shows.count, delivered)
	if own := uint64(m.notes.server); m.shows.kind == showWarnings && delivered == 0 && m.shows.offset > own {
		skip = m.shows.offset - own
	}
	list = list[min(skip, uint64(len(list))):]
	return list[:min(room, uint64(len(list)))]
}

// warningRow is one row of SHOW WARNINGS.
func (m *merge) warningRow(n note) []byte {
	if !m.binary() {
		return packet.AppendTextRow(nil, []byte(n.level), strconv.AppendInt(nil, int64(n.code), 10), []byte(n.text))
	}
	code := binary.LittleEndian.AppendUint32(nil, uint32(n.code))
	if m.types[1] == packet.TypeLongLong {
		code = append(code, 0, 0, 0, 0)
	}
	return packet.AppendBinaryRow(nil,
		packet.BinaryValue{Value: packet.AppendLenencString(nil, n.level)},
		packet.BinaryValue{Value: code},
		packet.BinaryValue{Value: packet.AppendLenencString(nil, n.text)})
}
