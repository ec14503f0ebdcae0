package dialecttest

import (
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// checkSetLimit writes a limit into a statement, reads it back, and writes it once
// more.
func checkSetLimit(t *testing.T, d rewrite.Dialect, sql string, rows uint64) {
	t.Helper()
	st, ok := one(t, d, sql)
	if !ok {
		return
	}
	if st.Limit.AtBind {
		return
	}
	if !st.Limitable {
		t.Errorf("%q: not limitable: %s", sql, st.Obstacle)
		return
	}
	capped, ok := setLimit(t, d, st, rows)
	if !ok {
		return
	}
	again, ok := setLimit(t, d, capped, rows)
	if !ok {
		return
	}
	if capped.Limit.Form == rewrite.LimitLiteral && again.Text != capped.Text {
		t.Errorf("%q: limit %d written twice: %q, then %q", sql, rows, capped.Text, again.Text)
	}
}

// setLimit writes a limit, checks what comes of it, and returns the new statement.
func setLimit(t *testing.T, d rewrite.Dialect, st rewrite.Statement, rows uint64) (rewrite.Statement, bool) {
	t.Helper()
	edits, err := d.SetLimit(st, rows)
	if err != nil {
		t.Errorf("%q: SetLimit(%d): %v", st.Text, rows, err)
		return st, false
	}
	last := 0
	for _, e := range edits {
		if e.Start < last || e.End < e.Start || e.End > len(st.Text) {
			t.Errorf("%q: SetLimit(%d): edits out of order or range: %+v", st.Text, rows, edits)
			return st, false
		}
		last = e.End
	}
	text := rewrite.ApplyEdits(st.Text, edits)
	after, ok := one(t, d, text)
	if !ok {
		return st, false
	}
	checkLimit(t, st, after, rows)
	for _, fact := range []struct {
		name          string
		before, after bool
	}{
		{"kind", true, st.Kind == after.Kind},
		{"returns rows", st.ReturnsRows, after.ReturnsRows},
		{"limitable", st.Limitable, after.Limitable},
		{"writes", st.Writes, after.Writes},
		{"locks", st.Locks, after.Locks},
		{"volatile", st.Volatile, after.Volatile},
		{"ordered", st.Ordered, after.Ordered},
		{"grouped", st.Grouped, after.Grouped},
		{"catalog only", st.CatalogOnly, after.CatalogOnly},
		{"offset", true, st.Limit.Offset == after.Limit.Offset},
	} {
		if fact.before != fact.after {
			t.Errorf("%q: with limit %d as %q: fact %q changed", st.Text, rows, text, fact.name)
		}
	}
	return after, true
}

// checkLimit checks that after's limit is rows, or an expression where before's was
// one. A FETCH that asks for fewer rows keeps its own number.
func checkLimit(t *testing.T, before, after rewrite.Statement, rows uint64) {
	t.Helper()
	want := rows
	switch {
	case before.Limit.Form == rewrite.LimitParam || before.Limit.Form == rewrite.LimitOpaque:
		if after.Limit.Form != rewrite.LimitOpaque {
			t.Errorf("%q: limit %d written as %q reads back as form %d", before.Text, rows, after.Text, after.Limit.Form)
		}
		return
	case before.Kind == rewrite.KindFetch && before.AtMostOneRow:
		if !after.AtMostOneRow {
			t.Errorf("%q: %q may return more than one row", before.Text, after.Text)
		}
		return
	case before.Kind == rewrite.KindFetch && before.Limit.Form == rewrite.LimitLiteral:
		want = min(rows, before.Limit.Rows)
	}
	if after.Limit.Form != rewrite.LimitLiteral || after.Limit.Rows != want || after.Limit.WithTies {
		t.Errorf("%q: limit %d written as %q reads back as %+v", before.Text, rows, after.Text, after.Limit)
	}
}
