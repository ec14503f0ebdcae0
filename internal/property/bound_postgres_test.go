package property

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5/pgconn"
	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/rewrite"
)

// integerSizes are the types of integers with their sizes (pg_type.dat).
var integerSizes = map[uint32]int{21: 2, 23: 4, 20: 8}

func (p *postgresSession) drawValue(t *rapid.T, n int64) value {
	v := value{v: n, binary: rapid.Bool().Draw(t, "binary")}
	types := []uint32{0, 0, 20, 23, 21}
	v.declared = rapid.SampledFrom(types).Draw(t, "declared")
	if rapid.IntRange(0, 11).Draw(t, "NULL") == 11 {
		v.v = nil
	}
	return v
}

// encode writes a value for a parameter of type typ. A number of another type than the
// integers is sent as text, and so is one that the type cannot hold.
func (v value) encode(typ uint32) (b []byte, format int16) {
	n, ok := v.v.(int64)
	if !ok {
		return nil, 0
	}
	size := integerSizes[typ]
	if !v.binary || size == 0 || size == 2 && n != int64(int16(n)) || size == 4 && n != int64(int32(n)) {
		return fmt.Append(nil, n), 0
	}
	whole := binary.BigEndian.AppendUint64(nil, uint64(n))
	return whole[8-size:], 1
}

func (p *postgresSession) runBound(t fataler, text string, values []value, _ *uint64) ([]answer, []uint32, *failure) {
	ctx := context.Background()
	p.must(t, "BEGIN")
	defer p.must(t, "ROLLBACK")
	declared := make([]uint32, len(values))
	for i, v := range values {
		declared[i] = v.declared
	}
	st, err := p.conn.Prepare(ctx, "", text, declared)
	if err != nil {
		return nil, nil, p.failure(t, text, err)
	}
	encoded, formats := make([][]byte, len(st.ParamOIDs)), make([]int16, len(st.ParamOIDs))
	for i, typ := range st.ParamOIDs {
		encoded[i], formats[i] = values[i].encode(typ)
	}
	r := p.conn.ExecPrepared(ctx, "", encoded, formats, nil).Read()
	if r.Err != nil {
		return nil, st.ParamOIDs, p.failure(t, text, r.Err)
	}
	return []answer{postgresAnswer(r)}, st.ParamOIDs, nil
}

// bind is what the door does: PostgreSQL's text holds the limit down, and the value
// tells whose the limit is.
func (p *postgresSession) bind(t fataler, plan rewrite.Plan, v value, typ uint32) (rewrite.Plan, value) {
	l := plan.Statement.Limit
	believed := v.declared
	if believed == 0 && l.Bits > 0 {
		believed = map[uint8]uint32{16: 21, 32: 23, 64: 20}[l.Bits]
		if typ != 0 && believed != typ {
			t.Fatalf("the limit is said to be an integer of %d bits, the server says type %d", l.Bits, typ)
		}
	}
	b, format := v.encode(typ)
	n, known := v.v.(int64)
	known = known && n >= 0 && (format == 0 || believed == typ && integerSizes[typ] == len(b))
	if !known || l.WithTies || plan.Cap.Source != rewrite.SourceCapped || plan.Cap.Rows == rewrite.NoLimit {
		return plan, v
	}
	now, sent := plan.Bound(uint64(n), true)
	if most := min(uint64(n), plan.Cap.Rows+1); sent > math.MaxInt64 || sent > most && plan.Method == rewrite.MethodProbe {
		t.Fatalf("%d rows are to be asked for, %d was bound under a cap of %v", sent, n, plan.Cap)
	}
	return now, v
}

// postgresAnswer copies a result.
func postgresAnswer(r *pgconn.Result) answer {
	a := answer{tag: r.CommandTag.String()}
	for _, f := range r.FieldDescriptions {
		a.columns = append(a.columns, fmt.Sprintf("%q %d %d %d %d", f.Name, f.DataTypeOID, f.TypeModifier, f.TableOID, f.TableAttributeNumber))
	}
	for _, values := range r.Rows {
		row := make([]string, len(values))
		for i, v := range values {
			row[i] = null
			if v != nil {
				row[i] = string(v)
			}
		}
		a.rows = append(a.rows, row)
	}
	return a
}
