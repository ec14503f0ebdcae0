package mysql

import (
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// decimal is a decimal number as it was written.
type decimal string

// String returns the number.
func (d decimal) String() string { return string(d) }

// binary is a hexadecimal or bit literal as it was written.
type binary string

// ToString returns the literal.
func (b binary) ToString() string { return string(b) }

// value is a literal in TiDB's tree. TiDB's parser takes its values from a
// driver; this one keeps literals and calculates nothing.
type value struct {
	ast.TexprNode
	datum      any
	charset    string
	projection int
}

// param is a question mark in TiDB's tree.
type param struct {
	value
	// offset is the byte offset in the text that was parsed.
	offset int
}

// installValues gives TiDB's parser its driver, once for the process.
var installValues = sync.OnceFunc(func() {
	ast.NewValueExpr = func(v any, charset, _ string) ast.ValueExpr {
		if v, ok := v.(ast.ValueExpr); ok {
			return v
		}
		return &value{datum: v, charset: charset, projection: -1}
	}
	ast.NewParamMarkerExpr = func(offset int) ast.ParamMarkerExpr {
		return &param{offset: offset}
	}
	ast.NewDecimal = func(s string) (any, error) { return decimal(s), nil }
	ast.NewHexLiteral = func(s string) (any, error) { return binary(s), nil }
	ast.NewBitLiteral = func(s string) (any, error) { return binary(s), nil }
	// Introducers that the servers know and TiDB does not.
	for _, name := range []string{"armscii8", "big5", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "cp932", "dec8", "eucjpms",
		"euckr", "gb2312", "geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u", "latin2", "latin5", "latin7", "macce", "macroman",
		"sjis", "swe7", "tis620", "ucs2", "ujis", "utf16", "utf16le", "utf32", "utf8mb3"} {
		if _, err := charset.GetCharsetInfo(name); err != nil {
			charset.AddCharset(&charset.Charset{Name: name, DefaultCollation: name + "_bin", Collations: map[string]*charset.Collation{}, Desc: name, Maxlen: 4})
		}
	}
})

func (v *value) text() string {
	switch d := v.datum.(type) {
	case nil:
		return "NULL"
	case bool:
		if d {
			return "TRUE"
		}
		return "FALSE"
	case int64:
		return strconv.FormatInt(d, 10)
	case uint64:
		return strconv.FormatUint(d, 10)
	case int:
		return strconv.Itoa(d)
	case float64:
		return strconv.FormatFloat(d, 'e', -1, 64)
	case decimal:
		return string(d)
	case binary:
		return string(d)
	}
	return fmt.Sprint(v.datum)
}

// Restore prints the literal.
func (v *value) Restore(ctx *format.RestoreCtx) error {
	switch d := v.datum.(type) {
	case string:
		ctx.WritePlain("_" + v.charset)
		ctx.WriteString(d)
	case binary:
		ctx.WritePlain("_" + v.charset + " " + string(d))
	default:
		ctx.WritePlain(v.text())
	}
	return nil
}

// Format prints the literal.
func (v *value) Format(w io.Writer) { _, _ = io.WriteString(w, v.text()) }

// Accept lets a visitor see the literal.
func (v *value) Accept(visitor ast.Visitor) (ast.Node, bool) {
	node, _ := visitor.Enter(v)
	return visitor.Leave(node)
}

// SetValue replaces the literal.
func (v *value) SetValue(val any) { v.datum = val }

// GetValue returns the literal.
func (v *value) GetValue() any { return v.datum }

// GetString returns the literal if it is a string.
func (v *value) GetString() string {
	s, _ := v.datum.(string)
	return s
}

// GetDatumString returns the literal if it is a string.
func (v *value) GetDatumString() string { return v.GetString() }

// GetProjectionOffset returns how much of a joined literal names its column.
func (v *value) GetProjectionOffset() int { return v.projection }

// SetProjectionOffset sets it.
func (v *value) SetProjectionOffset(offset int) { v.projection = offset }

// Restore prints the question mark.
func (p *param) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain("?")
	return nil
}

// Format prints the question mark.
func (p *param) Format(w io.Writer) { _, _ = io.WriteString(w, "?") }

// Accept lets a visitor see the question mark.
func (p *param) Accept(visitor ast.Visitor) (ast.Node, bool) {
	node, _ := visitor.Enter(p)
	return visitor.Leave(node)
}

// SetOrder is not of interest: offset tells the parameter.
func (p *param) SetOrder(int) {}
