package property

import (
	"slices"
	"strings"

	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// checkAnswer checks the rows that came for one statement: got is what the server sent
// for the text with edits, whole what it sent for the caller's own, and reference
// all rows that there would be without any limit.
func checkAnswer(t fataler, st sqlgen.Statement, p rewrite.Plan, got, whole answer, reference *answer) {
	if !slices.Equal(got.columns, whole.columns) {
		t.Fatalf("columns\n%q, of the original\n%q", got.columns, whole.columns)
	}
	if got.columns == nil {
		if got.tag != whole.tag {
			t.Fatalf("the server did %q, with the original %q", got.tag, whole.tag)
		}
		return
	}
	if most, bounded := asked(p); bounded && uint64(len(got.rows)) > most {
		t.Fatalf("%d rows came, planned were %d", len(got.rows), most)
	}
	if st.Examined {
		if o := counted(p, len(got.rows)); o.Completeness == rewrite.Complete {
			t.Fatalf("said to be complete, and the server may have stopped before: %s, %v", p.Method, p.Cap)
		}
		if st.Cut {
			return
		}
	}
	total := len(whole.rows)
	if len(p.Edits) == 0 && !st.Settled {
		total = len(got.rows)
	}
	o := counted(p, len(got.rows))
	checkOutcome(t, p, o, uint64(total))
	if p.Metered() && o.Rows > p.Cap.Rows {
		t.Fatalf("%d rows are delivered under a cap of %v", o.Rows, p.Cap)
	}
	if want := min(uint64(total), p.Cap.Rows); o.Rows != want && p.Metered() {
		t.Fatalf("%d rows are delivered of %d under a cap of %v", o.Rows, total, p.Cap)
	}
	if !st.Settled {
		return
	}
	all := whole
	if reference != nil {
		all = *reference
	}
	checkRows(t, st, got.rows, whole.rows, all.rows)
}

// asked is how many rows the text that is sent can return.
func asked(p rewrite.Plan) (uint64, bool) {
	switch p.Method {
	case rewrite.MethodProbe:
		return p.Cap.Rows + 1, true
	case rewrite.MethodExact:
		return p.Cap.Rows, true
	case rewrite.MethodOwn:
		return p.Cap.Rows, p.Cap.Rows != rewrite.NoLimit && !p.Statement.Limit.WithTies
	}
	return 0, false
}

// checkOutcome holds what is said of an answer against the rows that there are.
func checkOutcome(t fataler, p rewrite.Plan, o rewrite.Outcome, total uint64) {
	missing := o.Rows < total
	switch o.Completeness {
	case rewrite.Complete:
		if missing {
			t.Fatalf("said to be complete with %d of %d rows: %s, %v", o.Rows, total, p.Method, p.Cap)
		}
	case rewrite.Truncated:
		if !missing {
			t.Fatalf("said to be truncated with all %d rows: %s, %v", total, p.Method, p.Cap)
		}
	case rewrite.Unknown:
		if !p.Statement.CutByServer && (p.Method != rewrite.MethodExact || o.Rows != p.Cap.Rows) {
			t.Fatalf("said to be unknown with %d of %d rows: %s, %v", o.Rows, total, p.Method, p.Cap)
		}
	}
}

// checkRows checks that got are the first rows of whole in its order, where ties may
// fall in any way: they are among all rows that there are without limit and offset, as
// often at most, and equal whole's in the columns that it is ordered by.
func checkRows(t fataler, st sqlgen.Statement, got, whole, all [][]string) {
	if len(got) > len(whole) {
		t.Fatalf("%d rows came, there are %d", len(got), len(whole))
	}
	left := map[string]int{}
	for _, r := range all {
		left[strings.Join(r, "\x01")]++
	}
	for i, r := range got {
		if k := strings.Join(r, "\x01"); left[k] == 0 {
			t.Fatalf("row %d is %q, which the original does not have (so often)", i, r)
		} else {
			left[k]--
		}
		if st.Total && !slices.Equal(r, whole[i]) {
			t.Fatalf("row %d is %q, of the original %q", i, r, whole[i])
		}
		for _, k := range st.Keys {
			if r[k] != whole[i][k] {
				t.Fatalf("row %d has %q in column %d, by which the rows are ordered; the original has %q", i, r[k], k, whole[i][k])
			}
		}
	}
}

// counted is what is said of an answer with so many rows.
func counted(p rewrite.Plan, rows int) rewrite.Outcome {
	m := p.Meter()
	for range rows {
		m.Row()
	}
	return m.Outcome()
}
