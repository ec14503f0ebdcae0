package property

import (
	"reflect"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// checkEdits checks that edits are in order, apart from each other, small and within
// their statements, and that the text sent is the caller's with the edits made.
func checkEdits(t fataler, s rewrite.Script) {
	var want strings.Builder
	last := 0
	for _, p := range s.Plans {
		st := p.Statement
		if s.Err == nil && s.Text[st.Pos:st.Pos+len(st.Text)] != st.Text {
			t.Fatalf("statement %q does not stand at %d of %q", st.Text, st.Pos, s.Text)
		}
		if len(p.Edits) > 0 && p.Method != rewrite.MethodProbe && p.Method != rewrite.MethodExact {
			t.Fatalf("method %s has edits: %v", p.Method, p.Edits)
		}
		if len(p.Edits) > 3 {
			t.Fatalf("%d edits for one limit: %v", len(p.Edits), p.Edits)
		}
		for _, e := range p.Edits {
			if e.Start < last || e.End < e.Start || e.Start < st.Pos || e.End > st.Pos+len(st.Text) {
				t.Fatalf("edit %v overlaps or leaves its statement", e)
			}
			if old := s.Text[e.Start:e.End]; old == e.Text || len(e.Text) > 40 || len(old) > 60 {
				t.Fatalf("edit %v of %q is not minimal", e, old)
			}
			want.WriteString(s.Text[last:e.Start])
			want.WriteString(e.Text)
			last = e.End
		}
	}
	want.WriteString(s.Text[last:])
	if s.SQL() != want.String() {
		t.Fatalf("sent is %q, the edits make %q", s.SQL(), want.String())
	}
}

// checkAgain plans what is sent once more: nothing is left to change, and no row more
// is let through.
func checkAgain(t fataler, r *rewrite.Rewriter, s rewrite.Script, ask rewrite.Ask) {
	again := r.Script(s.SQL(), ask)
	if len(again.Plans) != len(s.Plans) {
		t.Fatalf("%d statements are %d after the edits", len(s.Plans), len(again.Plans))
	}
	for i, p := range again.Plans {
		first := s.Plans[i]
		if first.Statement.Limit.Form == rewrite.LimitOpaque || first.Statement.Limit.Form == rewrite.LimitParam {
			if p.Cap.Rows != first.Cap.Rows {
				t.Fatalf("the cap %v is %v the second time", first.Cap, p.Cap)
			}
			continue // LEAST(…) is an expression again
		}
		if len(p.Edits) > 0 {
			t.Fatalf("what is sent is edited again: %v", p.Edits)
		}
		switch first.Method {
		case rewrite.MethodProbe:
			if p.Cap.Rows > first.Cap.Rows+1 {
				t.Fatalf("the cap %v grows to %v", first.Cap, p.Cap)
			}
		case rewrite.MethodExact, rewrite.MethodGuard, rewrite.MethodOwn:
			if p.Cap.Rows > first.Cap.Rows {
				t.Fatalf("the cap %v grows to %v", first.Cap, p.Cap)
			}
		}
	}
}

// checkShape plans the text after a sibling and compares with what parsing says.
func checkShape(t fataler, p *planner, sibling, text string, ask rewrite.Ask, s rewrite.Script, tally *tally) {
	if !p.sameShape(sibling, text) {
		tally.count("no shape, or another")
		return
	}
	shaped, hit := p.byShape(sibling, text, ask)
	if hit {
		tally.count("planned by the shape")
	} else {
		tally.count("a shape that was not learnt")
	}
	if shaped.SQL() != s.SQL() || !reflect.DeepEqual(shaped.Plans, s.Plans) || (shaped.Err == nil) != (s.Err == nil) {
		t.Fatalf("after %q\nby shape sends   %q\nby parsing sends %q\n%+v\n%+v", sibling, shaped.SQL(), s.SQL(), shaped.Plans, s.Plans)
	}
}
