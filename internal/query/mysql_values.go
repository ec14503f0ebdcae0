package query

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// mysqlColumn is a column and how its values are printed.
type mysqlColumn struct {
	Column
	binary   bool
	year     bool
	decimals int // of FLOAT and DOUBLE; -1 if the number is not fixed
}

func newMySQLColumn(t *sql.ColumnType) mysqlColumn {
	c := mysqlColumn{Column: Column{Name: valid(t.Name()), Type: t.DatabaseTypeName()}, decimals: -1}
	switch strings.TrimPrefix(c.Type, "UNSIGNED ") {
	case "TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT", "DECIMAL":
		c.Class = Number
	case "YEAR":
		c.Class, c.year = Number, true
	case "FLOAT", "DOUBLE":
		c.Class = Number
		if _, scale, ok := t.DecimalSize(); ok && scale != math.MaxInt64 {
			c.decimals = int(scale)
		}
	case "BLOB", "TINYBLOB", "MEDIUMBLOB", "LONGBLOB", "BINARY", "VARBINARY", "BIT", "GEOMETRY", "VECTOR":
		c.Class, c.binary = Binary, true
	case "JSON":
		c.Class = JSON
	}
	return c
}

// text prints a value as the server does.
func (c mysqlColumn) text(v any) (text []byte, err error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []byte:
		if c.binary {
			return []byte(hexText(v)), nil
		}
		if v == nil {
			v = []byte{}
		}
		return v, nil
	case int64:
		if c.year {
			return fmt.Appendf(nil, "%04d", v), nil
		}
		return strconv.AppendInt(nil, v, 10), nil
	case uint64:
		return strconv.AppendUint(nil, v, 10), nil
	case float32:
		return c.float(float64(v), 32), nil
	case float64:
		return c.float(v, 64), nil
	case string:
		return []byte(v), nil
	}
	return nil, fmt.Errorf("column %q holds a value of an unexpected kind %T", c.Name, v)
}

func (c mysqlColumn) float(x float64, bits int) []byte {
	if c.decimals >= 0 {
		return strconv.AppendFloat(nil, x, 'f', c.decimals, bits)
	}
	return []byte(mysqlFloat(x, bits))
}

// gatherMySQL takes one answer to its end, or where the order only reads until no
// further row is of interest. It keeps most bytes at most, 0 for any number.
func gatherMySQL(rows *sql.Rows, types []*sql.ColumnType, r *rewrite.Rewriter, o order, most int) (result Result, stopped bool, err error) {
	own := make([]mysqlColumn, len(types))
	columns := make([]Column, len(types))
	values := make([]any, len(types))
	into := make([]any, len(types))
	for i, t := range types {
		own[i] = newMySQLColumn(t)
		columns[i] = own[i].Column
		into[i] = &values[i]
	}
	g := newGather(o.plan, columns)
	g.skip, g.most = o.skip, most
	for rows.Next() {
		if !g.wants() {
			if g.stopped && !o.writes {
				return g.done(r), true, nil
			}
			continue
		}
		if err := rows.Scan(into...); err != nil {
			return Result{}, false, err
		}
		row := make([]Value, len(own))
		for i, c := range own {
			text, err := c.text(values[i])
			if err != nil {
				return Result{}, false, err
			}
			row[i] = g.value(text)
		}
		if err := g.keep(row); err != nil {
			return Result{}, false, err
		}
	}
	if err := rows.Err(); err != nil {
		return Result{}, false, err
	}
	if o.writes {
		g.result.Affected = &g.seen
	}
	return g.done(r), false, nil
}
