package rewrite

import (
	"fmt"
	"strings"
)

// Remarks says what a reader of an answer could get wrong beside missing rows.
func Remarks(o Outcome) []Warning {
	var all []Warning
	st := o.Plan.Statement
	missing := o.Completeness != Complete
	if missing && st.Grouped {
		all = append(all, Warning{Kind: "groups_missing", Message: "groups are missing from this result: do not add up its rows as totals"})
	}
	if missing && st.Kind == KindSelect && !st.Ordered {
		all = append(all, Warning{Kind: "arbitrary_rows", Message: "the statement has no ORDER BY: which of its rows are shown is arbitrary"})
	}
	if l := st.Limit; !missing && o.Plan.Cap.Source == SourceUserSQL && l.Form == LimitLiteral && l.Rows > 0 && o.Rows == o.Plan.Cap.Rows && o.Rows > 0 {
		all = append(all, Warning{Kind: "own_limit_reached",
			Message: fmt.Sprintf("the statement's own limit of %d was reached: rows beyond it were not asked for", l.Rows)})
	}
	return all
}

// UnstableOrder says that pages by OFFSET need an order that never changes.
func UnstableOrder(st Statement) Warning {
	if !st.Ordered {
		return Warning{Kind: "unstable_order", Message: "pages without ORDER BY can repeat or skip rows"}
	}
	return Warning{Kind: "unstable_order", Message: "pages can repeat or skip rows if rows change meanwhile or ORDER BY has ties"}
}

// CutForSize is the notice of an answer to st that was cut for its size, and what to do.
func CutForSize(st Statement, shown uint64, chars int) Notice {
	n := Notice{
		Message: fmt.Sprintf("showing the first %s; more rows exist", rows(shown)),
		Detail:  fmt.Sprintf("the response is limited to %d characters", chars),
		Hint:    "select fewer columns, narrow the query, or take a part of long values with SUBSTRING",
	}
	if st.Writes {
		n.Detail += "; all changes were made"
		n.Hint = notAgain
	}
	return n
}

// CellsCut says that values were cut.
func CellsCut(n, chars int) Warning {
	verb := "values are"
	if n == 1 {
		verb = "value is"
	}
	return Warning{Kind: "cells_cut", Message: fmt.Sprintf("%d %s longer than %d characters, cut and marked", n, verb, chars)}
}

// LongCellHint is what to do about values of an answer to st that were cut.
func LongCellHint(st Statement) string {
	if st.Writes {
		return notAgain
	}
	return "take a part of a long value with SUBSTRING"
}

// NextPageHint is what to do with a cursor.
const NextPageHint = "call again with the same arguments and nextCursor as cursor"

// Masked says which columns an answer does not show.
func Masked(columns []string) Warning {
	return Warning{Kind: "columns_masked",
		Message: "the operator masks " + strings.Join(columns, ", ") + ": shown as [masked], and NULL wherever else the statement reads them, so do not conclude anything from their values"}
}

// ChangesUncounted says that a statement may have changed more rows than it tells of.
func ChangesUncounted() Warning {
	return Warning{Kind: "changes_uncounted", Message: "the changes are committed, and how many rows were changed is not known, as a WITH can change rows too: read them with a SELECT, and do not run the statement again"}
}

// Committed says what a statement did that changed rows.
func Committed(n uint64) string {
	if n == 1 {
		return "1 row was changed, and the change is committed"
	}
	return fmt.Sprintf("%d rows were changed, and the changes are committed", n)
}
