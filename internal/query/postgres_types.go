package query

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// typeNames knows the names of PostgreSQL's types by their numbers. Those that
// are not built in are asked of the server.
type typeNames struct {
	builtIn *pgtype.Map
	asked   map[uint32]string
}

func newTypeNames() *typeNames {
	return &typeNames{builtIn: pgtype.NewMap(), asked: map[uint32]string{}}
}

// unknownType stands before the number of a type whose name is not known yet.
const unknownType = "oid "

func (t *typeNames) column(name string, oid uint32) Column {
	c := Column{Name: valid(name)}
	switch oid {
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.OIDOID, pgtype.NumericOID, pgtype.Float4OID, pgtype.Float8OID:
		c.Class = Number
	case pgtype.BoolOID:
		c.Class = Bool
	case pgtype.JSONOID, pgtype.JSONBOID:
		c.Class = JSON
	case pgtype.ByteaOID:
		c.Class = Binary
	}
	if known, ok := t.builtIn.TypeForOID(oid); ok {
		c.Type = known.Name
	} else if known, ok := t.asked[oid]; ok {
		c.Type = known
	} else {
		c.Type = unknownType + strconv.FormatUint(uint64(oid), 10)
	}
	return c
}

// fill replaces the numbers of types in results by their names. Where the server
// does not tell (as in a failed transaction) the numbers stay.
func (t *typeNames) fill(ctx context.Context, conn *pgconn.PgConn, results []Result) {
	var missing []string
	each := func(do func(c *Column, oid uint32)) {
		for _, r := range results {
			for i := range r.Columns {
				if digits, ok := strings.CutPrefix(r.Columns[i].Type, unknownType); ok {
					if oid, err := strconv.ParseUint(digits, 10, 32); err == nil {
						do(&r.Columns[i], uint32(oid))
					}
				}
			}
		}
	}
	each(func(_ *Column, oid uint32) {
		if _, ok := t.asked[oid]; !ok {
			missing = append(missing, fmt.Sprint(oid))
		}
	})
	if len(missing) > 0 && conn.TxStatus() != 'E' {
		answers, err := conn.Exec(ctx, "SELECT oid, typname FROM pg_catalog.pg_type WHERE oid IN ("+strings.Join(missing, ",")+")").ReadAll()
		if err == nil && len(answers) == 1 {
			for _, row := range answers[0].Rows {
				if oid, err := strconv.ParseUint(string(row[0]), 10, 32); err == nil {
					t.asked[uint32(oid)] = valid(string(row[1]))
				}
			}
		}
	}
	each(func(c *Column, oid uint32) {
		if name, ok := t.asked[oid]; ok {
			c.Type = name
		}
	})
}
