package render

import (
	"bufio"
	"bytes"
	encoding "encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// Options say how an answer is made ready for a reader that takes a response as a
// whole.
type Options struct {
	// Format is the format of the text: markdown, csv or json.
	Format string
	// CellChars bounds each value and ResponseChars the whole text, with its facts
	// and warnings, both in Unicode characters; 0 is no bound. The JSON holds the same
	// rows as the text.
	CellChars, ResponseChars int
	// MaxLimit is the most that a request may ask for, 0 for no bound.
	MaxLimit uint64
	// LimitOf stands in hints behind the limit to be raised, with a blank at its end.
	LimitOf string
	// ShowSQL adds the SQL that was sent.
	ShowSQL bool
	// Cursor returns the cursor for the rows from offset on; nil if nothing pages.
	Cursor func(offset uint64) string
	// Boundary is a word that the data cannot hold: see Response.Text.
	Boundary string
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
}

// New makes a Response of an answer. Rows at the end that do not fit into
// ResponseChars are left out, and the facts say so; one row always stays.
func New(a query.Answer, o Options) Response {
	rows, cells := cutCells(a.Rows, a.Columns, o.CellChars)
	a.Rows = rows
	fits := func(n int) (Response, bool) {
		r := respond(a, n, cells, o)
		return r, o.ResponseChars <= 0 || utf8.RuneCountInString(r.Text) <= o.ResponseChars
	}
	whole, ok := fits(len(rows))
	if ok || len(rows) <= 1 {
		return whole
	}
	n := sort.Search(len(rows)-1, func(i int) bool { _, ok := fits(i + 1); return !ok })
	r, _ := fits(max(n, 1))
	return r
}

// respond makes a response of the first n rows.
func respond(a query.Answer, n, cells int, o Options) Response {
	r := &a.Result
	dropped := len(r.Rows) - n
	r.Rows = r.Rows[:n]
	more := r.Outcome.Completeness == rewrite.Truncated
	pages := a.Ran && a.Pages && o.Cursor != nil && (more || dropped > 0)
	plan := &r.Outcome.Plan
	plan.Warnings = plan.Warnings[:len(plan.Warnings):len(plan.Warnings)]
	cut := ""
	if cells > 0 {
		verb := "values are"
		if cells == 1 {
			verb = "value is"
		}
		plan.Warnings = append(plan.Warnings, rewrite.Warning{Kind: "cells_cut",
			Message: fmt.Sprintf("%d %s longer than %d characters, cut and marked", cells, verb, o.CellChars)})
		cut = "take a part of a long value with SUBSTRING"
	}
	switch {
	case dropped > 0:
		cut = "select fewer columns, narrow the query, or take a part of long values with SUBSTRING"
		r.Outcome.Completeness, r.Outcome.Rows = rewrite.Truncated, uint64(n)
		r.Notice = &rewrite.Notice{
			Message: fmt.Sprintf("showing the first %s; more rows exist", rowsText(n)),
			Detail:  fmt.Sprintf("the response is limited to %d characters", o.ResponseChars),
			Hint:    cut,
		}
	case more && r.Notice != nil:
		notice := *r.Notice
		notice.Hint = toolHint(*plan, notice.Hint, o)
		r.Notice = &notice
	}
	if !a.Ran {
		r.Notice = nil
	}
	e := newEnvelope(*r)
	e.Offset, e.Total = a.Offset, a.Total
	if a.Limit.Source != rewrite.SourceNone && a.Limit.Rows != rewrite.NoLimit && a.Offset > 0 {
		e.Limit, e.LimitSource = &a.Limit.Rows, a.Limit.Source
	}
	if pages {
		e.NextCursor = o.Cursor(a.Offset + uint64(n))
		e.PaginationHint = "call again with the same arguments and nextCursor as cursor"
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
	e.DataNotice = dataNotice
	if !a.Ran {
		e.dry()
	}
	return Response{JSON: encode(e), Text: text(a, e, o), Rows: n}
}

// toolHint is the hint of a notice for a caller that can pass a limit.
func toolHint(p rewrite.Plan, hint string, o Options) string {
	c, most := p.Cap, o.MaxLimit
	if p.Statement.Kind != rewrite.KindSelect || c.Source != rewrite.SourceDefault && c.Source != rewrite.SourceToolParam || most != 0 && c.Rows >= most {
		return hint
	}
	if most == 0 {
		return strings.TrimSpace("pass a higher limit "+o.LimitOf) + ", narrow the WHERE clause, or aggregate"
	}
	return fmt.Sprintf("pass a higher limit %s(up to %d), narrow the WHERE clause, or aggregate", o.LimitOf, most)
}

func rowsText(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// text prints the answer in the format that was asked for.
func text(a query.Answer, e envelope, o Options) string {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	switch {
	case o.Format == "json":
		return string(encode(e))
	case !a.Ran && o.Format == "csv":
		w.WriteString("# dry run, nothing was sent; SQL: " + oneLine(a.SQL) + "\r\n")
	case !a.Ran:
		w.WriteString("Nothing was sent. This would be:\n\n")
		fence(w, a.SQL)
	case o.Format == "csv":
		csvPage(w, a, e, o.Boundary)
	default:
		markdownPage(w, a, e, o.Boundary)
	}
	w.Flush()
	return b.String()
}

// encode prints an envelope, whose values always have a form.
func encode(e envelope) encoding.RawMessage {
	var b bytes.Buffer
	j := encoding.NewEncoder(&b)
	j.SetEscapeHTML(false)
	if err := j.Encode(e); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
