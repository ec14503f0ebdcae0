package query

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// canPage reports that the rows of a statement can be read from an offset on.
func canPage(p rewrite.Plan) bool {
	st := p.Statement
	return st.Kind == rewrite.KindSelect && st.Limitable && !st.Locks && !st.Volatile && !st.Limit.WithTies && !st.CutByServer &&
		(st.Limit.Form == rewrite.LimitNone || st.Limit.Form == rewrite.LimitLiteral)
}

// from changes the order for a statement's first rows into one for those from
// offset on. Where the offset can be proved right in the text it stands there;
// elsewhere the rows before it are read and dropped.
func (o order) from(r *rewrite.Rewriter, offset uint64) (order, error) {
	d, p := r.Dialect(), o.plan
	if !canPage(p) {
		return o, refusedPage(p.Statement)
	}
	if offset > maxOffset {
		return o, &rewrite.RefusedError{Message: fmt.Sprintf("the offset %d is too large", offset), Hint: fmt.Sprintf("use at most %d, or narrow the WHERE clause", maxOffset)}
	}
	page, probe := p.Cap.Rows, uint64(1)
	if l := p.Statement.Limit; l.Form == rewrite.LimitLiteral {
		if left := leftOf(l, offset); left <= page {
			page, probe = left, 0
			p.Cap, p.Method = rewrite.Cap{Rows: left, Source: rewrite.SourceUserSQL}, rewrite.MethodOwn
			p.Why = "the statement's own limit ends within the page"
		}
	}
	if page == rewrite.NoLimit {
		return o, &rewrite.RefusedError{Message: "without any cap there are no pages", Hint: "give a limit"}
	}
	if probe == 1 {
		p.Method = rewrite.MethodProbe
	}
	if !r.Policy().PushDown {
		if o.skip = offset; probe == 1 {
			p.Method = rewrite.MethodGuard
		}
	} else if text, edits, ok := offsetInText(d, p.Statement, page+probe, offset); ok {
		p.Edits, o.skip = edits, 0
		o.sent = o.text[:p.Statement.Pos] + text + o.text[p.Statement.Pos+len(p.Statement.Text):]
	} else {
		edits, err := d.SetLimit(p.Statement, offset+page+probe)
		if err != nil {
			return o, &rewrite.RefusedError{Message: "the statement cannot be read from an offset on: " + err.Error(), Hint: "write LIMIT and OFFSET into the statement"}
		}
		p.Edits, o.skip = at(p.Statement.Pos, edits), offset
		o.sent = rewrite.ApplyEdits(o.text, p.Edits)
	}
	o.plan = p
	return o, nil
}

// offsetInText writes limit and offset into the statement, and proves by reading
// the text again that they are what it says.
func offsetInText(d rewrite.Dialect, st rewrite.Statement, rows, offset uint64) (text string, edits []rewrite.Edit, ok bool) {
	if st.Limit.Offset > 0 {
		return "", nil, false
	}
	edits, err := d.SetLimit(st, rows)
	if err != nil || len(edits) != 1 {
		return "", nil, false
	}
	edits = []rewrite.Edit{{Start: edits[0].Start, End: edits[0].End, Text: edits[0].Text + fmt.Sprintf(" OFFSET %d", offset)}}
	text = rewrite.ApplyEdits(st.Text, edits)
	back, err := d.Parse(text)
	if err != nil || len(back) != 1 {
		return "", nil, false
	}
	want := rewrite.Limit{Form: rewrite.LimitLiteral, Rows: rows, Offset: offset}
	if got := back[0]; got.Limit != want || got.Kind != st.Kind || got.Writes != st.Writes || got.Volatile != st.Volatile ||
		got.Ordered != st.Ordered || got.Grouped != st.Grouped || got.Text != text {
		return "", nil, false
	}
	return text, at(st.Pos, edits), true
}

// at moves edits of a statement to its place in the script.
func at(pos int, edits []rewrite.Edit) []rewrite.Edit {
	moved := make([]rewrite.Edit, len(edits))
	for i, e := range edits {
		moved[i] = rewrite.Edit{Start: e.Start + pos, End: e.End + pos, Text: e.Text}
	}
	return moved
}

func refusedPage(st rewrite.Statement) *rewrite.RefusedError {
	why := "its rows cannot be read from an offset on"
	switch {
	case st.Kind == rewrite.KindShow || st.Kind == rewrite.KindExplain:
		why = "SHOW, DESCRIBE and EXPLAIN have no pages"
	case st.Limit.Form == rewrite.LimitParam || st.Limit.Form == rewrite.LimitOpaque:
		why = "its own limit is not a plain number"
	case st.Locks:
		why = "it locks the rows that it reads"
	}
	return &rewrite.RefusedError{Message: "the statement has no pages: " + why, Hint: "leave out cursor and offset, and narrow the statement instead"}
}
