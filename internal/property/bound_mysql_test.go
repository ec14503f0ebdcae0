package property

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// drawValue draws n as an integer, with or without a sign, as text, as a float, or NULL.
func (m *mysqlSession) drawValue(t *rapid.T, n int64) value {
	switch kind := rapid.IntRange(0, 11).Draw(t, "kind"); {
	case kind == 7 && n >= 0:
		return value{v: uint64(n)}
	case kind == 8:
		return value{v: strconv.FormatInt(n, 10)}
	case kind == 9 && n >= 0 && n < 1<<53:
		return value{v: float64(n)}
	case kind == 10:
		return value{}
	case kind == 11 && n > 1<<60:
		return value{v: uint64(math.MaxUint64)}
	}
	return value{v: n}
}

func (m *mysqlSession) runBound(t fataler, text string, values []value, bound *uint64) (out []answer, _ []uint32, failed *failure) {
	before := "START TRANSACTION"
	if bound != nil {
		before += fmt.Sprintf("; SET sql_select_limit = %d", *bound)
	}
	if m.conn == nil || !m.exec(t, before) {
		m.connect()
		m.exec(t, before)
	}
	defer func() {
		if m.conn != nil {
			m.exec(t, "ROLLBACK; DO RELEASE_ALL_LOCKS(); SET sql_select_limit = DEFAULT")
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	st, err := m.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, nil, m.failure(err)
	}
	defer st.Close()
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v.v
	}
	rows, err := st.QueryContext(ctx, args...)
	if err != nil {
		return nil, nil, m.failure(err)
	}
	out, failed = m.read(t, text, rows)
	return out, nil, failed
}

// bind is what the door does: it sends on a value that is within the cap, or of which
// only the server knows what it means, and another in the place of all others.
func (m *mysqlSession) bind(t fataler, plan rewrite.Plan, v value, _ uint32) (rewrite.Plan, value) {
	if plan.Bind == 0 {
		return plan, v
	}
	n, ok, sure := v.rows(m.drawn.Dialect == sqlgen.MariaDB)
	now, sent := plan.Bound(n, ok)
	if sent > plan.Cap.Rows+1 {
		t.Fatalf("%d is to be sent under a cap of %v", sent, plan.Cap)
	}
	if ok && n <= plan.Cap.Rows && sent != n {
		t.Fatalf("%d is to be sent in the place of %d, which is within the cap %v", sent, n, plan.Cap)
	}
	if !sure || sent == n {
		return now, v
	}
	return now, value{v: sent}
}

// overflows reports that a limit and an offset together are more than MySQL counts to.
// It then returns no row of a UNION without ALL and ORDER BY; TestUnionOverflow.
func (m *mysqlSession) overflows(v values) bool {
	offset, ok, _ := v[sqlgen.ParamOffset].rows(false)
	if m.drawn.Dialect != sqlgen.MySQL || !ok || offset == 0 {
		return false
	}
	count, ok, _ := v[sqlgen.ParamCount].rows(false)
	return !ok || count > math.MaxUint64-offset
}

// rows is the number of rows that a value asks for, as the door reads it. ok is false
// where it asks for all, and sure where the server refuses it: MySQL refuses negative
// integers and floats, of which MariaDB makes a number.
func (v value) rows(mariadb bool) (n uint64, ok, sure bool) {
	switch x := v.v.(type) {
	case nil:
		return 0, true, true
	case int64:
		if x < 0 {
			return 0, false, mariadb
		}
		return uint64(x), true, true
	case uint64:
		return x, true, true
	case float64: // as drawn, a whole number below 1 << 53
		if !mariadb {
			return 0, false, false
		}
		return uint64(x), true, true
	case string: // as drawn, a number
		n, err := strconv.ParseUint(x, 10, 63)
		return n, err == nil, true
	}
	return 0, false, false
}
