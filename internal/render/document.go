package render

import (
	encoding "encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// Options say how an answer is made ready for its reader.
type Options struct {
	// Format is one of Formats.
	Format string
	// CellChars bounds each value, and ResponseChars the whole text, with its facts and
	// warnings, and the rows in the JSON, both in Unicode characters; 0 is no bound.
	CellChars, ResponseChars int
	// MaxLimit is the most that a request may ask for, 0 for no bound.
	MaxLimit uint64
	// LimitOf stands in hints behind the limit to be raised, with a blank at its end.
	LimitOf string
	// ShowSQL adds the SQL that was sent.
	ShowSQL bool
	// Cursor returns the cursor for the rows from offset on; nil if nothing pages.
	Cursor func(offset uint64) string
	// Boundary is a word that the data cannot hold, by which it is set apart for a reader
	// that calls tools: see Response.Text. It is empty for a person at a command line.
	Boundary string
}

// document is an answer ready to be printed: its rows within their size, and the facts.
type document struct {
	query.Answer
	facts    envelope
	boundary string
}

// Response is an answer within its size, for programs and for people.
type Response struct {
	// JSON is the envelope as one JSON document.
	JSON encoding.RawMessage
	// Text is the answer in the format that was asked for. What came from the
	// database is set apart by the Boundary, and called data.
	Text string
	// Rows is the number of rows that both hold.
	Rows int
	// rowChars is the number of characters of the rows in the JSON.
	rowChars int
}

// New makes a Response of an answer. Rows at the end that do not fit into
// ResponseChars are left out, and the facts say so; one row always stays.
func New(a query.Answer, o Options) Response {
	rows, cells := cutCells(a.Rows, a.Columns, o.CellChars)
	a.Rows = rows
	fits := func(n int) (Response, bool) {
		d := newDocument(a, n, cells, o)
		r := Response{JSON: encode(d.facts), Rows: n, rowChars: utf8.RuneCount(encode(d.facts.Data))}
		if r.Text = string(r.JSON); o.Format != "json" {
			r.Text = d.text(o.Format)
		}
		return r, o.ResponseChars <= 0 || max(utf8.RuneCountInString(r.Text), r.rowChars) <= o.ResponseChars
	}
	whole, ok := fits(len(rows))
	if ok || len(rows) <= 1 {
		return whole
	}
	n := sort.Search(len(rows)-1, func(i int) bool { _, ok := fits(i + 1); return !ok })
	r, _ := fits(max(n, 1))
	return r
}

// newDocument takes the first n rows of an answer, in which so many cells were cut.
func newDocument(a query.Answer, n, cells int, o Options) document {
	r := &a.Result
	dropped := len(r.Rows) - n
	r.Rows = r.Rows[:n]
	more := r.Outcome.Completeness == rewrite.Truncated
	pages := a.Ran && a.Pages && o.Cursor != nil && (more || dropped > 0)
	plan := &r.Outcome.Plan
	plan.Warnings = plan.Warnings[:len(plan.Warnings):len(plan.Warnings)]
	cut := ""
	if cells > 0 {
		plan.Warnings = append(plan.Warnings, rewrite.CellsCut(cells, o.CellChars))
		cut = rewrite.LongCellHint(plan.Statement)
	}
	switch {
	case dropped > 0:
		if pages && a.Unstable && !more && a.Offset == 0 { // elsewhere the answer says so by itself
			plan.Warnings = append(plan.Warnings, rewrite.UnstableOrder(plan.Statement))
		}
		notice := rewrite.CutForSize(plan.Statement, uint64(n), o.ResponseChars)
		cut = notice.Hint
		r.Outcome.Completeness, r.Outcome.Rows = rewrite.Truncated, uint64(n)
		r.Notice = &notice
	case more && r.Notice != nil:
		notice := *r.Notice
		notice.Hint = toolHint(*plan, notice.Hint, pages, o)
		r.Notice = &notice
	}
	if !a.Ran {
		r.Notice = nil
	}
	e := newEnvelope(*r)
	e.Offset, e.Total = a.Offset, a.Total
	if a.Committed {
		e.RowsAffected = r.Affected
	}
	if a.Limit.Source != rewrite.SourceNone && a.Limit.Rows != rewrite.NoLimit && a.Offset > 0 {
		e.Limit, e.LimitSource = &a.Limit.Rows, a.Limit.Source
	}
	if pages {
		e.NextCursor = o.Cursor(a.Offset + uint64(n))
		e.PaginationHint = rewrite.NextPageHint
	} else if dropped > 0 {
		e.RowsOmitted = &dropped
	}
	if cut != "" {
		e.Truncated = true
		if dropped > 0 || e.Hint == "" {
			e.Hint = cut
		}
	}
	if o.ShowSQL || !a.Ran {
		e.SQL = a.SQL
	}
	if !a.Ran {
		e.HasMore, e.Completeness = nil, nil
	} else if o.Boundary != "" {
		e.DataNotice = dataNotice
	}
	return document{a, e, o.Boundary}
}

// toolHint is the hint of a notice for a caller that can pass a limit, and a cursor where
// there are pages.
func toolHint(p rewrite.Plan, hint string, pages bool, o Options) string {
	c, most := p.Cap, o.MaxLimit
	switch {
	case o.Boundary == "" || p.Statement.Kind != rewrite.KindSelect || p.Statement.Writes:
		return hint
	case pages && (c.Source == rewrite.SourceCapped || most != 0 && c.Rows >= most):
		return "read on with cursor, narrow the WHERE clause, or aggregate"
	case c.Source != rewrite.SourceDefault && c.Source != rewrite.SourceToolParam || most != 0 && c.Rows >= most:
		return hint
	}
	if most == 0 {
		return strings.TrimSpace("pass a higher limit "+o.LimitOf) + ", narrow the WHERE clause, or aggregate"
	}
	return fmt.Sprintf("pass a higher limit %s(up to %d), narrow the WHERE clause, or aggregate", o.LimitOf, most)
}
