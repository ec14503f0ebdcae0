package fuzz

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// fataler is what testing.T and rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkEdits checks that statements and edits stand in order where they belong, and
// that the text that is sent is the caller's with the edits made.
func checkEdits(t fataler, s rewrite.Script) {
	t.Helper()
	var want strings.Builder
	last, end := 0, 0
	for _, p := range s.Plans {
		st := p.Statement
		if st.Pos < end || st.Pos+len(st.Text) > len(s.Text) || s.Text[st.Pos:st.Pos+len(st.Text)] != st.Text {
			t.Fatalf("%q: the statement at %d is not %q", s.Text, st.Pos, st.Text)
		}
		end = st.Pos + len(st.Text)
		if len(p.Edits) > 3 || len(p.Edits) > 0 && p.Method != rewrite.MethodProbe && p.Method != rewrite.MethodExact {
			t.Fatalf("%q: method %s has the edits %+v", s.Text, p.Method, p.Edits)
		}
		for _, e := range p.Edits {
			if e.Start < last || e.End < e.Start || e.Start < st.Pos || e.End > end || len(e.Text) > 60 {
				t.Fatalf("%q: the edit %+v does not stand in order within [%d, %d)", s.Text, e, st.Pos, end)
			}
			want.WriteString(s.Text[last:e.Start])
			want.WriteString(e.Text)
			last = e.End
		}
	}
	want.WriteString(s.Text[last:])
	if s.SQL() != want.String() {
		t.Fatalf("%q: sent is %q, the edits make %q", s.Text, s.SQL(), want.String())
	}
}

// checkTokens checks that no edit cuts a token, and that all tokens outside of edits
// are tokens of what is sent.
func checkTokens(t fataler, d rewrite.Tokenizer, s rewrite.Script) {
	t.Helper()
	edits := s.Edits()
	if len(edits) == 0 {
		return
	}
	sent := map[rewrite.Token]bool{}
	for token := range d.Tokens(s.SQL()) {
		sent[token] = true
	}
	next, shift := 0, 0
	for token := range d.Tokens(s.Text) {
		for next < len(edits) && edits[next].End <= token.Start {
			shift += len(edits[next].Text) - (edits[next].End - edits[next].Start)
			next++
		}
		if next < len(edits) && edits[next].Start < token.End {
			if e := edits[next]; token.Start < e.Start || token.End > e.End {
				t.Fatalf("%q: the edit %+v cuts the token %q", s.Text, e, s.Text[token.Start:token.End])
			}
			continue // replaced
		}
		moved := rewrite.Token{Start: token.Start + shift, End: token.End + shift, Kind: token.Kind}
		if !sent[moved] {
			t.Fatalf("%q: %q is no token of %q any more", s.Text, s.Text[token.Start:token.End], s.SQL())
		}
	}
}

// checkReadsBack parses what is sent: the same statements, each with the limit that was
// planned.
func checkReadsBack(t fataler, d rewrite.Dialect, s rewrite.Script) {
	t.Helper()
	if len(s.Edits()) == 0 {
		return
	}
	back, err := d.Parse(s.SQL())
	if err != nil || len(back) != len(s.Plans) {
		t.Fatalf("%q as %q: %d statements read back as %d, %v", s.Text, s.SQL(), len(s.Plans), len(back), err)
	}
	for i, p := range s.Plans {
		before, after := p.Statement, back[i]
		if before.Kind != after.Kind || before.ReturnsRows != after.ReturnsRows || before.Writes != after.Writes || before.Locks != after.Locks ||
			before.Volatile != after.Volatile || before.Ordered != after.Ordered || before.Grouped != after.Grouped ||
			before.CatalogOnly != after.CatalogOnly || before.Limit.Offset != after.Limit.Offset {
			t.Fatalf("%q as %q: %+v reads back as %+v", s.Text, s.SQL(), before, after)
		}
		if len(p.Edits) == 0 {
			continue
		}
		rows := p.Cap.Rows
		if p.Method == rewrite.MethodProbe {
			rows++
		}
		form := before.Limit.Form
		switch l := after.Limit; {
		case form == rewrite.LimitOpaque || form == rewrite.LimitParam:
			if l.Form != rewrite.LimitOpaque {
				t.Fatalf("%q as %q: the expression became %+v", s.Text, s.SQL(), l)
			}
		case before.Kind == rewrite.KindFetch:
			if l.Form != rewrite.LimitLiteral && !after.AtMostOneRow || l.Rows > rows {
				t.Fatalf("%q as %q: the count became %+v, planned are %d", s.Text, s.SQL(), l, rows)
			}
		case l.Form != rewrite.LimitLiteral || l.Rows != rows || l.WithTies:
			t.Fatalf("%q as %q: the limit became %+v, planned are %d", s.Text, s.SQL(), l, rows)
		}
	}
}

// checkAgain plans what is sent once more: nothing is left to change, and no row more
// is let through.
func checkAgain(t fataler, r *rewrite.Rewriter, s rewrite.Script, ask rewrite.Ask) {
	t.Helper()
	again := r.Script(s.SQL(), ask)
	if len(again.Plans) != len(s.Plans) {
		t.Fatalf("%q as %q: %d statements are %d", s.Text, s.SQL(), len(s.Plans), len(again.Plans))
	}
	for i, p := range again.Plans {
		first := s.Plans[i]
		if form := first.Statement.Limit.Form; form == rewrite.LimitOpaque || form == rewrite.LimitParam {
			if p.Cap.Rows != first.Cap.Rows {
				t.Fatalf("%q as %q: the cap %+v is %+v the second time", s.Text, s.SQL(), first.Cap, p.Cap)
			}
			continue // LEAST(…) is an expression again
		}
		most := first.Cap.Rows
		if first.Method == rewrite.MethodProbe {
			most++
		}
		if len(p.Edits) > 0 || first.Metered() && p.Metered() && p.Cap.Rows > most {
			t.Fatalf("%q as %q: %+v is planned again as %+v", s.Text, s.SQL(), first, p)
		}
	}
}
