package mysqlwire

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// bindLimit settles plan with the value that COM_STMT_EXECUTE b has for the
// statement's limit, and returns the command to send. It always has the types of
// all parameters: a value that was replaced has another type than the client said,
// and the server keeps the types for the next execution.
//
// What cannot be read, or is no value for certain, goes to the server as it came. It reads
// it or refuses it, and the rows are counted whatever it does.
func (s *session) bindLimit(st *statement, plan rewrite.Plan, b []byte) (rewrite.Plan, []byte) {
	long := func(i int) bool { return st.long[i] }
	e, err := packet.DecodeExecute(b, s.caps, st.params, st.types, long)
	st.long = nil
	if err != nil || plan.Bind > len(e.Params) {
		if e.Fresh {
			st.types = nil
		}
		plan, _ = plan.Bound(0, false)
		return plan, b
	}
	st.types = make([]packet.ParamType, len(e.Params))
	for i, p := range e.Params {
		st.types[i] = packet.ParamType{Type: p.Type, Unsigned: p.Unsigned, Name: append([]byte(nil), p.Name...)}
	}
	p := &e.Params[plan.Bind-1]
	rows, r := limitValue(*p, s.rewriter.Dialect().Name() == mariaDB)
	within := (r == readingRows || r == readingWarned) && rows <= plan.Cap.Rows
	if r == readingUnsure || r == readingWarned && !within {
		plan, _ = plan.Bound(0, false)
		return plan, e.Append(nil, s.caps)
	}
	plan, rows = plan.Bound(rows, r != readingAll)
	if !within {
		*p = packet.Param{
			ParamType: packet.ParamType{Type: packet.TypeLongLong, Unsigned: true, Name: p.Name},
			Value:     binary.LittleEndian.AppendUint64(nil, rows),
		}
	}
	return plan, e.Append(nil, s.caps)
}

// mariaDB is the name of MariaDB's dialect.
const mariaDB = "mariadb"

// reading says what is known of a value of LIMIT.
type reading uint8

const (
	// readingRows: it is a number of rows.
	readingRows reading = iota
	// readingWarned: so it is, and the server warns of it in words that quote it.
	readingWarned
	// readingAll: the server takes it for all rows.
	readingAll
	// readingUnsure: only the server knows, or it refuses the value.
	readingUnsure
)

// limitValue is the number of rows that a value of LIMIT asks for, as measured on
// MariaDB 10.11 and MySQL 9.7 for values of all types (TestLimitParameter). Where MariaDB
// writes the values into the text, for its general log or its query cache, it refuses
// what becomes a negative integer and is none (insert_params_with_log); elsewhere it
// takes that for all rows.
func limitValue(p packet.Param, mariadb bool) (rows uint64, r reading) {
	switch {
	case p.Long:
		return 0, readingUnsure
	case p.Null, p.Type == packet.TypeNull:
		return 0, readingRows
	}
	v := p.Value
	switch p.Type {
	case packet.TypeTiny:
		return integer(uint64(v[0]), int64(int8(v[0])), p.Unsigned, mariadb)
	case packet.TypeShort:
		n := binary.LittleEndian.Uint16(v)
		return integer(uint64(n), int64(int16(n)), p.Unsigned, mariadb)
	case packet.TypeLong:
		n := binary.LittleEndian.Uint32(v)
		return integer(uint64(n), int64(int32(n)), p.Unsigned, mariadb)
	case packet.TypeLongLong:
		n := binary.LittleEndian.Uint64(v)
		return integer(n, int64(n), p.Unsigned, mariadb)
	case packet.TypeDouble:
		return float(math.Float64frombits(binary.LittleEndian.Uint64(v)), mariadb)
	case packet.TypeFloat:
		return float(float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), mariadb)
	case packet.TypeVarchar, packet.TypeVarString, packet.TypeString,
		packet.TypeTinyBlob, packet.TypeMediumBlob, packet.TypeLongBlob, packet.TypeBlob:
		return leading(v[packet.LenencSize(v[0]):], mariadb)
	}
	return 0, readingUnsure
}

// integer is unsigned where the type is. MariaDB takes a negative number for a large
// one, MySQL refuses it.
func integer(unsigned uint64, signed int64, isUnsigned, mariadb bool) (uint64, reading) {
	switch {
	case isUnsigned:
		return unsigned, readingRows
	case signed >= 0:
		return uint64(signed), readingRows
	case mariadb:
		return 0, readingAll
	}
	return 0, readingUnsure
}

// float is rounded by MariaDB and refused by MySQL.
func float(f float64, mariadb bool) (uint64, reading) {
	n := math.RoundToEven(f)
	switch {
	case !mariadb || !(n >= 0):
		return 0, readingUnsure
	case n < 1<<53:
		return uint64(n), readingRows
	}
	return 0, readingAll
}

// leading is the number that stands at the beginning of b, 0 if none does. A negative one
// and one that is too large stand for all rows on MySQL. MariaDB warns of what stands
// behind it.
func leading(b []byte, mariadb bool) (uint64, reading) {
	for len(b) > 0 && (b[0] == ' ' || b[0] >= '\t' && b[0] <= '\r') {
		b = b[1:]
	}
	negative := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		negative, b = b[0] == '-', b[1:]
	}
	digits := 0
	for digits < len(b) && b[digits] >= '0' && b[digits] <= '9' {
		digits++
	}
	r := readingRows
	if mariadb && digits < len(b) {
		r = readingWarned
	}
	if digits == 0 {
		return 0, r
	}
	n, err := strconv.ParseUint(string(b[:digits]), 10, 63)
	switch {
	case err == nil && (!negative || n == 0):
		return n, r
	case mariadb:
		return 0, readingUnsure
	}
	return 0, readingAll
}
