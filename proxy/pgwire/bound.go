package pgwire

import (
	"encoding/binary"
	"strconv"

	"github.com/rowcap/rowcap/rewrite"
)

// The types of integers (src/include/catalog/pg_type.dat).
const (
	typeInt8 = 20
	typeInt2 = 21
	typeInt4 = 23
)

// reads reports a plan whose cap depends on a value that a Bind may bring.
func reads(p *rewrite.Plan) bool {
	l := &p.Statement.Limit
	return l.Form == rewrite.LimitParam && !l.WithTies && p.Cap.Source == rewrite.SourceCapped && p.Cap.Rows != rewrite.NoLimit
}

// limitType returns the type of the parameter that is a statement's limit: the one that
// the Parse declared, or else the one that the server gives it; 0 if it is not
// known. types is the end of the Parse.
func limitType(l rewrite.Limit, types []byte) uint32 {
	if at := 2 + 4*(l.Param-1); len(types) >= at+4 {
		if t := binary.BigEndian.Uint32(types[at:]); t != 0 {
			return t
		}
	}
	switch l.Bits {
	case 16:
		return typeInt2
	case 32:
		return typeInt4
	case 64:
		return typeInt8
	}
	return 0
}

// boundLimit reads a parameter from what follows the names in a Bind. ok is false if
// it is no row count, or may not be read as one: then the server alone knows.
func boundLimit(b []byte, param int, typ uint32) (rows uint64, ok bool) {
	formats, b, ok := takeList(b, 2)
	if !ok || len(b) < 2 {
		return 0, false
	}
	count := int(binary.BigEndian.Uint16(b))
	b = b[2:]
	if param < 1 || param > count {
		return 0, false
	}
	var value []byte
	for range param {
		if len(b) < 4 {
			return 0, false
		}
		n := int32(binary.BigEndian.Uint32(b))
		b = b[4:]
		value = nil
		if n < 0 {
			continue // NULL
		}
		if int64(n) > int64(len(b)) {
			return 0, false
		}
		value, b = b[:n:n], b[n:]
	}
	binaryFormat := false
	switch {
	case len(formats) == 2:
		binaryFormat = formats[1] == 1
	case len(formats) >= 2*param:
		binaryFormat = formats[2*param-1] == 1
	}
	if !binaryFormat {
		return digits(value)
	}
	return integer(value, typ)
}

// takeList takes a list off b: its 16-bit count and that many items of the given size.
func takeList(b []byte, size int) (items, rest []byte, ok bool) {
	if len(b) < 2 {
		return nil, nil, false
	}
	n := int(binary.BigEndian.Uint16(b)) * size
	if len(b) < 2+n {
		return nil, nil, false
	}
	return b[2 : 2+n], b[2+n:], true
}

// digits reads a number in text format. Whatever the type, digits alone are read as
// that number.
func digits(b []byte) (uint64, bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(string(b), 10, 63)
	return n, err == nil
}

// integer reads a number in binary format.
func integer(b []byte, typ uint32) (uint64, bool) {
	var n int64
	switch {
	case typ == typeInt2 && len(b) == 2:
		n = int64(int16(binary.BigEndian.Uint16(b)))
	case typ == typeInt4 && len(b) == 4:
		n = int64(int32(binary.BigEndian.Uint32(b)))
	case typ == typeInt8 && len(b) == 8:
		n = int64(binary.BigEndian.Uint64(b))
	default:
		return 0, false
	}
	return uint64(n), n >= 0
}
