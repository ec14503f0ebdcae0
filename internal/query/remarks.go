package query

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// remarks says what a reader of an answer could get wrong beside missing rows.
func remarks(o rewrite.Outcome) []rewrite.Warning {
	var all []rewrite.Warning
	st := o.Plan.Statement
	missing := o.Completeness != rewrite.Complete
	if missing && st.Grouped {
		all = append(all, rewrite.Warning{Kind: "groups_missing", Message: "groups are missing from this result: do not add up its rows as totals"})
	}
	if missing && st.Kind == rewrite.KindSelect && !st.Ordered {
		all = append(all, rewrite.Warning{Kind: "arbitrary_rows", Message: "the statement has no ORDER BY: which of its rows are shown is arbitrary"})
	}
	if l := st.Limit; !missing && o.Plan.Cap.Source == rewrite.SourceUserSQL && l.Form == rewrite.LimitLiteral && l.Rows > 0 && o.Rows == o.Plan.Cap.Rows && o.Rows > 0 {
		all = append(all, rewrite.Warning{Kind: "own_limit_reached",
			Message: fmt.Sprintf("the statement's own limit of %d was reached: rows beyond it were not asked for", l.Rows)})
	}
	return all
}

// unstable says that pages by OFFSET need an order that never changes.
func unstable(st rewrite.Statement) rewrite.Warning {
	if !st.Ordered {
		return rewrite.Warning{Kind: "unstable_order", Message: "pages without ORDER BY can repeat or skip rows"}
	}
	return rewrite.Warning{Kind: "unstable_order", Message: "pages can repeat or skip rows if rows change meanwhile or ORDER BY has ties"}
}
