package query

import (
	"math"
	"strconv"
)

// rows reads a parameter as a number of rows.
func (p Param) rows() (uint64, bool) {
	if p.Null {
		return 0, false
	}
	n, err := strconv.ParseUint(p.Text, 10, 64)
	return n, err == nil
}

// bytes returns a parameter for PostgreSQL, which reads its text as the type that
// the statement needs.
func (p Param) bytes() []byte {
	if p.Null {
		return nil
	}
	return []byte(p.Text)
}

// value returns a parameter for MySQL: integers and numbers as such where they
// keep their value, everything else as text.
func (p Param) value() any {
	switch {
	case p.Null:
		return nil
	case !p.Number:
		return p.Text
	}
	if n, err := strconv.ParseInt(p.Text, 10, 64); err == nil {
		return n
	}
	if n, err := strconv.ParseUint(p.Text, 10, 64); err == nil {
		return n
	}
	if x, err := strconv.ParseFloat(p.Text, 64); err == nil && !math.IsInf(x, 0) && strconv.FormatFloat(x, 'g', -1, 64) == p.Text {
		return x
	}
	return p.Text
}
