package postgres

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// FuzzSetLimit writes a limit into whatever can be read, and reads it back.
func FuzzSetLimit(f *testing.F) {
	for _, list := range [][]string{samples.Limitable, samples.Refused, samples.Unreadable, samples.Scripts} {
		for _, sql := range list {
			f.Add(sql, uint32(6))
		}
	}
	d := New()
	f.Fuzz(func(t *testing.T, sql string, n uint32) {
		rows := uint64(n%100_000) + 1
		statements, err := d.Parse(sql)
		if err != nil {
			return
		}
		var all []rewrite.Edit
		end := 0
		for _, st := range statements {
			if st.Pos < end || st.Text == "" || !strings.HasPrefix(sql[st.Pos:], st.Text) {
				t.Fatalf("statement at %d is not where it says: %q", st.Pos, st.Text)
			}
			end = st.Pos + len(st.Text)
			edits, err := d.SetLimit(st, rows)
			if err != nil {
				continue
			}
			if !st.Limitable {
				t.Fatalf("a limit was written into %q, which is not limitable", st.Text)
			}
			capped := rewrite.ApplyEdits(st.Text, edits)
			after, err := d.Parse(capped)
			if err != nil || len(after) != 1 || after[0].Text != capped {
				t.Fatalf("%q became %q: %d statements, %v", st.Text, capped, len(after), err)
			}
			l := after[0].Limit
			switch {
			case l.Form == rewrite.LimitLiteral && l.Rows <= rows, st.Kind == rewrite.KindFetch && after[0].AtMostOneRow:
			case l.Form == rewrite.LimitOpaque && (st.Limit.Form == rewrite.LimitOpaque || st.Limit.Form == rewrite.LimitParam):
			default:
				t.Fatalf("%q became %q with limit %+v", st.Text, capped, l)
			}
			if _, err := d.SetLimit(after[0], rows); err != nil {
				t.Fatalf("%q became %q, into which no limit can be written: %v", st.Text, capped, err)
			}
			for _, e := range edits {
				all = append(all, rewrite.Edit{Start: e.Start + st.Pos, End: e.End + st.Pos, Text: e.Text})
			}
		}
		if after, err := d.Parse(rewrite.ApplyEdits(sql, all)); err != nil || len(after) != len(statements) {
			t.Fatalf("%d statements became %d, %v", len(statements), len(after), err)
		}
	})
}
