package mysql

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/rowcap/rowcap/rewrite"
)

// rows notes whether the rows of q, the outermost SELECT or the first of a set
// operation, are those of one table, and their order.
func (f *readFinder) rows(q *ast.SelectStmt) {
	if f.Queries != 1 || len(f.Tables) != 1 || q.Kind != ast.SelectStmtKindSelect || q.Distinct || q.GroupBy != nil || q.Having != nil || q.With != nil ||
		q.LockInfo != nil || q.From == nil || q.From.TableRefs.Right != nil || q.SelectStmtOpts != nil && q.SelectStmtOpts.CalcFoundRows {
		return
	}
	source, ok := q.From.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return
	}
	if _, ok := source.Source.(*ast.TableName); !ok {
		return
	}
	for _, field := range q.Fields.Fields {
		if _, column := field.Expr.(*ast.ColumnNameExpr); field.WildCard == nil && !column || field.AsName.L != "" {
			return
		}
	}
	f.Rows = true
	if q.OrderBy == nil {
		return
	}
	var order []rewrite.OrderItem
	for _, item := range q.OrderBy.Items {
		column, ok := item.Expr.(*ast.ColumnNameExpr)
		if !ok {
			return
		}
		order = append(order, rewrite.OrderItem{Column: column.Name.Name.O, Desc: item.Desc})
	}
	f.Order = order
}
