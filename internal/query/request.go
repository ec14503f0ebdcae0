package query

import (
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// Count says what a Request wants to know of the number of rows that its
// statement has without a cap.
type Count string

const (
	// CountNone asks for nothing; what the rows themselves tell is told.
	CountNone Count = "none"
	// CountEstimate asks the server's planner.
	CountEstimate Count = "estimate"
	// CountExact counts, within a time budget.
	CountExact Count = "exact"
)

// Request is one statement to be read, and what is asked about its rows.
type Request struct {
	// SQL is one statement that reads.
	SQL string
	// Stages are queries that SQL, and later ones of them, can read by name.
	Stages []Stage
	// Limit is the number of rows asked for, 0 if none was given.
	Limit uint64
	// Offset is the number of rows to skip of those that the statement returns. It
	// counts from the statement's own OFFSET.
	Offset uint64
	// After are the values of Answer.Key in the row before the first one to be read; then
	// Offset only says how many rows came before, and skips none.
	After []Param
	// Params are the values of the statement's parameters ($1 or ?), in order.
	Params []Param
	// Count is what to find out about the number of rows; the zero value is
	// CountNone.
	Count Count
	// TotalOrder reports that the statement's order is known to be total, so that pages
	// neither repeat nor skip rows as long as none changes.
	TotalOrder bool
	// CutAbove is the number of characters above which the caller may leave out rows at the
	// end of the answer, to be read on from there; 0 if it never does.
	CutAbove int
	// DryRun plans the statement and does not run it.
	DryRun bool
	// Explain asks for the server's plan of the statement in place of its rows.
	Explain bool
	// AsWritten sends the statement as it is; its rows are capped as they come.
	AsWritten bool
	// Own reports a statement of rowcap's own over the catalogue, which no mask changes.
	Own bool
}

// Param is the value of one parameter as text. The server reads it as the type
// that the statement needs there.
type Param struct {
	Text string
	Null bool
	// Number reports that Text is a number; MySQL and MariaDB are sent one then.
	Number bool
}

// Answer is the answer to a Request.
type Answer struct {
	Result
	// Dialect is the name of the dialect that the server speaks.
	Dialect string
	// Limit is the cap as it was resolved for the statement, whatever the offset.
	Limit rewrite.Cap
	// SQL is the text that was sent, or would have been.
	SQL string
	// Offset is the number of rows skipped.
	Offset uint64
	// Pages reports that the rows after these can be asked for with Offset.
	Pages bool
	// Key are the columns, by their numbers from 0, whose values say where the next page
	// begins: see Request.After. It is nil if the order is not known to be total, or the
	// answer is the last page.
	Key []int
	// Unstable reports that pages behind this one can repeat or skip rows.
	Unstable bool
	// Ran is false for a dry run.
	Ran bool
	// Committed reports that what the statement changed is committed.
	Committed bool
	// Masked are the masked columns that the statement read as NULL, as
	// schema.table.column.
	Masked []string
	// Total is the number of rows without a cap, nil if it was not asked for.
	Total *Total
}

// Total is a number of rows.
type Total struct {
	// Value is nil where Kind is unknown.
	Value *uint64 `json:"value"`
	// Kind is exact, at_least, estimate or unknown.
	Kind string `json:"kind"`
}

// bounds on what one request may take.
const (
	// DefaultTimeout is the time that a statement may take.
	DefaultTimeout = 30 * time.Second
	// countBudget is the time that an exact count may take.
	countBudget = 5 * time.Second
	// grace is how much longer the client waits than the server, so that the
	// server's own error comes first.
	grace = 2 * time.Second
	// maxBytes bounds what is kept of one answer.
	maxBytes = 64 << 20
	// maxOffset bounds what may have to be read and dropped.
	maxOffset = 1_000_000_000
)
