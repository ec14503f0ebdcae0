package render

import (
	"bytes"
	encoding "encoding/json"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// envelope is a result in JSON. The facts stand before the rows; rows are arrays
// in the order of the columns, whose names may repeat.
type envelope struct {
	RowCount       int                   `json:"rowCount"`
	HasMore        *bool                 `json:"hasMore"`
	Completeness   *rewrite.Completeness `json:"completeness"`
	Limit          *uint64               `json:"limit"`
	LimitSource    rewrite.Source        `json:"limitSource"`
	EffectiveLimit *uint64               `json:"effectiveLimit"`
	Offset         uint64                `json:"offset"`
	NextCursor     string                `json:"nextCursor,omitempty"`
	Truncated      bool                  `json:"truncated,omitempty"`
	RowsOmitted    *int                  `json:"rowsOmitted,omitempty"`
	RowsAffected   *uint64               `json:"rowsAffected,omitempty"`
	Total          *query.Total          `json:"total,omitempty"`
	PaginationHint string                `json:"paginationHint,omitempty"`
	Hint           string                `json:"hint,omitempty"`
	SQL            string                `json:"sql,omitempty"`
	DataNotice     string                `json:"dataNotice,omitempty"`
	Columns        []column              `json:"columns"`
	Data           [][]any               `json:"data"`
	Warnings       []warning             `json:"warnings"`
}

type column struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Masked bool   `json:"masked,omitempty"`
}

// command is the answer to a statement without rows.
type command struct {
	Command  string    `json:"command"`
	Warnings []warning `json:"warnings"`
}

// newEnvelope returns the envelope of a result. limit is the cap, and
// effectiveLimit the number of rows that the document could hold at most; both are
// null where nothing is capped. hasMore is null where it is not known.
func newEnvelope(r query.Result) envelope {
	out := envelope{
		RowCount: len(r.Rows), HasMore: hasMore(r), Completeness: &r.Outcome.Completeness,
		Limit: limit(r), LimitSource: r.Outcome.Plan.Cap.Source, EffectiveLimit: limit(r),
		Warnings: warnings(r), Columns: make([]column, len(r.Columns)), Data: make([][]any, len(r.Rows)),
	}
	if r.Notice != nil {
		out.Hint = r.Notice.Hint
	}
	for i, c := range r.Columns {
		out.Columns[i] = column{c.Name, c.Type, c.Masked}
	}
	for i, row := range r.Rows {
		out.Data[i] = make([]any, len(row))
		for j, v := range row {
			out.Data[i][j] = jsonValue(v, r.Columns[j].Class)
		}
	}
	return out
}

func jsonValue(v query.Value, class query.Class) any {
	switch {
	case v.Null:
		return nil
	case class == query.Bool && v.Text == "t":
		return true
	case class == query.Bool && v.Text == "f":
		return false
	case class == query.Number && exact(v.Text):
		return encoding.Number(v.Text)
	}
	return v.Text
}

const (
	maxSafeInteger = 1<<53 - 1
	// maxDigits is more than any number has that a double holds exactly and that
	// is worth a closer look.
	maxDigits = 40
)

// exact reports whether s is a JSON number that a reader who keeps numbers as
// doubles can print again with the same value.
func exact(s string) bool {
	if len(s) > maxDigits || !encoding.Valid([]byte(s)) {
		return false
	}
	if !strings.ContainsAny(s, ".eE") {
		n, err := strconv.ParseInt(s, 10, 64)
		return err == nil && n >= -maxSafeInteger && n <= maxSafeInteger
	}
	x, err := strconv.ParseFloat(s, 64)
	return err == nil && scientific(s) == scientific(strconv.FormatFloat(x, 'e', -1, 64))
}

// scientific returns the digits of a JSON number without zeros at either end, and
// where the decimal point stands, so that equal numbers give equal strings.
func scientific(s string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	point, _ := strconv.Atoi(exponent) // "" is 0
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	point += len(whole)
	leading := len(digits) - len(strings.TrimLeft(digits, "0"))
	digits = strings.TrimRight(digits[leading:], "0")
	if digits == "" {
		return "0"
	}
	sign := ""
	if negative {
		sign = "-"
	}
	return sign + digits + "e" + strconv.Itoa(point-leading)
}

// encode prints an envelope or a part of one, whose values always have a form.
func encode(e any) encoding.RawMessage {
	var b bytes.Buffer
	j := encoding.NewEncoder(&b)
	j.SetEscapeHTML(false)
	if err := j.Encode(e); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
