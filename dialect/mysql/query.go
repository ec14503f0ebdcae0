package mysql

import "github.com/pingcap/tidb/pkg/parser/ast"

// queryFacts are what a tree tells of a query's outermost level.
type queryFacts struct {
	ordered, grouped, oneRow, catalog bool
	// nested reports that the whole query stands in brackets under its outermost
	// ORDER BY or LIMIT.
	nested bool
	// braced reports that brackets stand around the query's own limit, behind a
	// WITH.
	braced bool
}

// facts notes what TiDB's tree tells of the outermost level.
func (t *tidbTree) facts(f *queryFacts, s *source) {
	if t.set != nil {
		f.ordered, f.braced = t.set.OrderBy != nil, t.set.IsInBraces
		f.nested = len(t.set.SelectList.Selects) == 1
		f.catalog = catalogOnly(t.set, t.set.With, s)
		return
	}
	q := t.query
	f.ordered, f.braced = q.OrderBy != nil, q.IsInBraces
	f.grouped = q.GroupBy != nil
	f.oneRow = oneRow(q) && !s.spacedAggregate()
	f.catalog = catalogOnly(q, q.With, s)
}

// oneRow reports a query that has no second row by its nature: it reads no table,
// or it aggregates without groups.
func oneRow(q *ast.SelectStmt) bool {
	if q.Kind != ast.SelectStmtKindSelect || q.GroupBy != nil {
		return false
	}
	if q.From == nil {
		return true
	}
	finder := aggregateFinder{}
	for _, field := range q.Fields.Fields {
		if field.Expr != nil {
			field.Expr.Accept(&finder)
		}
	}
	return finder.found
}

// aggregates are the functions that make a group of all rows, in both servers.
var aggregates = map[string]bool{
	"count": true, "sum": true, "avg": true, "min": true, "max": true, "group_concat": true,
	"bit_and": true, "bit_or": true, "bit_xor": true, "json_arrayagg": true, "json_objectagg": true,
	"std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
}

// aggregateFinder looks for an aggregate of the query itself, not of one inside.
type aggregateFinder struct{ found bool }

// Enter skips subqueries.
func (f *aggregateFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SubqueryExpr:
		return n, true
	case *ast.AggregateFuncExpr:
		f.found = f.found || aggregates[lower(n.F)]
	}
	return n, f.found
}

// Leave goes on.
func (f *aggregateFinder) Leave(n ast.Node) (ast.Node, bool) { return n, true }
