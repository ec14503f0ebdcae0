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
func (s *session) bindLimit(st *statement, plan rewrite.Plan, b []byte) (rewrite.Plan, []byte, error) {
	long := func(i int) bool { return st.long[i] }
	e, err := packet.DecodeExecute(b, s.caps, st.params, st.types, long)
	st.long = nil
	if err != nil || plan.Bind > len(e.Params) {
		return plan, nil, &packet.MalformedError{Packet: "COM_STMT_EXECUTE", Why: "its parameters cannot be read"}
	}
	st.types = make([]packet.ParamType, len(e.Params))
	for i, p := range e.Params {
		st.types[i] = packet.ParamType{Type: p.Type, Unsigned: p.Unsigned, Name: append([]byte(nil), p.Name...)}
	}
	p := &e.Params[plan.Bind-1]
	value, ok := limitValue(*p)
	keep := ok && value <= plan.Cap.Rows
	plan, value = plan.Bound(value, ok)
	if !keep {
		*p = packet.Param{
			ParamType: packet.ParamType{Type: packet.TypeLongLong, Unsigned: true, Name: p.Name},
			Value:     binary.LittleEndian.AppendUint64(nil, value),
		}
	}
	return plan, e.Append(nil, s.caps), nil
}

// limitValue is the number of rows that a value of LIMIT asks for. ok is false
// where a server may take it for something else: negative numbers, fractions, text
// that is no number, values sent ahead. NULL asks for no row (it is read as 0).
func limitValue(p packet.Param) (rows uint64, ok bool) {
	switch {
	case p.Long:
		return 0, false
	case p.Null, p.Type == packet.TypeNull:
		return 0, true
	}
	v := p.Value
	switch p.Type {
	case packet.TypeTiny:
		return integer(uint64(v[0]), uint64(int64(int8(v[0]))), p.Unsigned)
	case packet.TypeShort, packet.TypeYear:
		n := binary.LittleEndian.Uint16(v)
		return integer(uint64(n), uint64(int64(int16(n))), p.Unsigned)
	case packet.TypeLong, packet.TypeInt24:
		n := binary.LittleEndian.Uint32(v)
		return integer(uint64(n), uint64(int64(int32(n))), p.Unsigned)
	case packet.TypeLongLong:
		n := binary.LittleEndian.Uint64(v)
		return integer(n, n, p.Unsigned)
	case packet.TypeDouble:
		f := math.Float64frombits(binary.LittleEndian.Uint64(v))
		if f >= 0 && f < 1<<53 && f == math.Trunc(f) {
			return uint64(f), true
		}
	case packet.TypeVarchar, packet.TypeVarString, packet.TypeString:
		if size := packet.LenencSize(v[0]); size == 1 {
			return digits(v[1:])
		}
	}
	return 0, false
}

// integer is unsigned where the type is, else signed if that is not negative.
func integer(unsigned, signed uint64, isUnsigned bool) (uint64, bool) {
	if isUnsigned {
		return unsigned, true
	}
	return signed, int64(signed) >= 0
}

// digits is the number that b spells in digits alone.
func digits(b []byte) (uint64, bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(b), 10, 63)
	return n, err == nil
}
