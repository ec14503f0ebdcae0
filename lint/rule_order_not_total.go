package lint

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

var orderNotTotal = Rule{
	Code: "RC113", Name: "order-not-total", Severity: SeverityWarning,
	Summary: "A query with a limit is ordered by columns that do not tell all rows apart.",
	Why: "Among rows that are equal in the order the server takes any, so pages overlap or leave rows out. It is found where --schema says which keys a table has, and the query reads that table only; " +
		"an order by expressions is left out, as these may tell the rows apart.",
	Bad:   "SELECT id FROM invoices ORDER BY day LIMIT 50",
	Good:  "SELECT id FROM invoices ORDER BY day, id LIMIT 50",
	check: checkOrderNotTotal,
}

func checkOrderNotTotal(s *Statement) []hit {
	st := s.Plan.Statement
	if s.Schema == nil || !s.query() || !st.Ordered || st.Limit.Form == rewrite.LimitNone || st.AtMostOneRow || st.Limit.WithTies {
		return nil
	}
	o := s.parts().Order
	if o == nil {
		return nil
	}
	if total, known := s.Schema.total(o.Table, o.Columns); total || !known {
		return nil
	}
	hint := "add columns to the order that tell all rows apart"
	if keys := s.Schema.keys(o.Table); len(keys) > 0 {
		hint = "add the key to the order: " + strings.Join(keys[0], ", ")
	}
	return []hit{{start: o.Start, end: o.End, message: fmt.Sprintf("the order does not tell all rows of %s apart", o.Table), hint: hint}}
}
