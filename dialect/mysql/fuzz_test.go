package mysql

import (
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// FuzzDialect reads any text in several kinds of sessions. No reading panics; a
// limit that was written leaves every byte outside of its edits, is read back, and
// written again changes nothing; where both parsers may be believed they see the
// same outermost limit.
func FuzzDialect(f *testing.F) {
	for _, form := range forms(f) {
		f.Add(form, uint8(0))
		f.Add(form, uint8(1))
	}
	for i, fragment := range fragments {
		f.Add("SELECT a FROM t "+fragment+" LIMIT 9", uint8(i))
		f.Add("(SELECT a FROM t) "+fragment, uint8(i))
	}
	f.Add("SELECT 'a\\' FROM t; SELECT 2 -- '", uint8(2))
	f.Add("SELECT \"a\\\" FROM t LIMIT 9 -- \"", uint8(4))
	f.Add("SELECT '\xe9' FROM t\xa0LIMIT 9", uint8(6))
	f.Fuzz(func(t *testing.T, text string, session uint8) {
		d := sessionOf(session)
		statements, err := d.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, st := range statements {
			if st.Pos < end || st.Pos+len(st.Text) > len(text) || text[st.Pos:st.Pos+len(st.Text)] != st.Text {
				t.Fatalf("the statement at %d is not %q", st.Pos, st.Text)
			}
			end = st.Pos + len(st.Text)
			checkEdits(t, d, st)
			checkAgreement(t, d, st)
		}
	})
}

// checkEdits writes a limit and reads it back. But for its count the tree prints as
// that of the text before.
func checkEdits(t *testing.T, d dialect, st rewrite.Statement) {
	const rows = 7
	edits, err := d.SetLimit(st, rows)
	if err != nil {
		return
	}
	edited := rewrite.ApplyEdits(st.Text, edits)
	again, err := d.Parse(edited)
	if err != nil || len(again) != 1 || again[0].Limit.Form != rewrite.LimitLiteral || again[0].Limit.Rows != rows {
		t.Fatalf("%q as %q reads back as %+v, %v", st.Text, edited, again, err)
	}
	if again[0].Limit.Offset != st.Limit.Offset || again[0].Kind != st.Kind || again[0].Locks != st.Locks || again[0].Ordered != st.Ordered {
		t.Fatalf("%q as %q: %+v became %+v", st.Text, edited, st, again[0])
	}
	before, after := treeOf(st.Text, &d.settings), treeOf(edited, &d.settings)
	if before != nil { // not kept from a script in which it is read otherwise
		if x, y := printed(t, before), printed(t, after); x != y {
			t.Fatalf("%q as %q: %s became %s", st.Text, edited, x, y)
		}
	}
	more, err := d.SetLimit(again[0], rows)
	if err != nil {
		t.Fatalf("%q as %q: %v", st.Text, edited, err)
	}
	if twice := rewrite.ApplyEdits(edited, more); twice != edited {
		t.Fatalf("%q as %q, then as %q", st.Text, edited, twice)
	}
}

// checkAgreement compares the limits that the two parsers see.
func checkAgreement(t *testing.T, d dialect, st rewrite.Statement) {
	s, obstacle := one(st.Text, &d.settings)
	if obstacle != "" || !s.isQuery() || !s.vitessReads() {
		return
	}
	r := s.read(s.findClause(), false)
	first, err := parseTiDB(r, s.settings)
	if err != nil {
		return
	}
	second, err := parseVitess(r)
	if err != nil {
		return
	}
	a, b := newTiDBTree(first, r), newVitessTree(second, r)
	if a == nil || b == nil {
		return
	}
	if x, y := a.limit(), b.limit(); x != y && !x.count.bad && !y.count.bad && !x.offset.bad && !y.offset.bad {
		t.Fatalf("%q: TiDB sees the limit %+v, Vitess %+v", r.text, x, y)
	}
}
