package query

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// valid returns s with U+FFFD in place of bytes that are not UTF-8.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// value returns b as a Value; nil is NULL.
func (g *gather) value(b []byte) Value {
	if b == nil {
		return Value{Null: true}
	}
	if !utf8.Valid(b) {
		g.result.Unreadable++
		return Value{Text: valid(string(b))}
	}
	return Value{Text: string(b)}
}

// andMore says how many warnings were not kept.
func andMore(kept []ServerWarning, dropped int) []ServerWarning {
	if dropped == 0 {
		return kept
	}
	return append(kept, ServerWarning{Level: kept[len(kept)-1].Level, Message: fmt.Sprintf("%d more warnings of this statement are not shown", dropped)})
}

// hexText returns b as MySQL's client shows binary strings.
func hexText(b []byte) string { return "0x" + strings.ToUpper(hex.EncodeToString(b)) }

// mysqlFloat prints x as MySQL prints a FLOAT (bits is 32) or DOUBLE (64) whose
// column has no fixed number of decimals: my_gcvt in strings/dtoa.cc.
func mysqlFloat(x float64, bits int) string {
	const mostDigits = 15 // MAX_DECPT_FOR_F_FORMAT
	s := strconv.FormatFloat(x, 'e', -1, bits)
	mantissa, exponent, ok := strings.Cut(s, "e")
	e, err := strconv.Atoi(exponent)
	if !ok || err != nil {
		return s
	}
	if point := e + 1; point < 1-mostDigits || point > mostDigits {
		return mantissa + "e" + strconv.Itoa(e)
	}
	return strconv.FormatFloat(x, 'f', -1, bits)
}
