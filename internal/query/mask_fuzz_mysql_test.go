package query

import (
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"
)

// FuzzMaskMySQL holds what maskFuzz says for MySQL, by TiDB's tree.
func FuzzMaskMySQL(f *testing.F) {
	maskFuzz{dialect: "mysql", nothing: "NULL", seeds: mysqlAttacks, flowOf: mysqlFlow}.fuzz(f)
}

func mysqlFlow(_ *testing.T, text string) (flow, bool) {
	nodes, _, err := parser.New().ParseSQL(text)
	if err != nil || len(nodes) != 1 {
		return flow{}, false
	}
	v := &mysqlVisitor{flow: flow{names: map[string]bool{}}, shut: map[*ast.TableName]bool{}}
	nodes[0].Accept(v)
	return v.flow, true
}

// mysqlVisitor collects a flow. shut are the tables that are read by a query that shows
// NULL in the places of the masked columns.
type mysqlVisitor struct {
	flow
	shut map[*ast.TableName]bool
}

func (v *mysqlVisitor) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.SelectStmt:
		if table := shutTable(n); table != nil {
			v.shut[table] = true
		}
	case *ast.TableName:
		name := n.Name.L
		if columns := modelTables[name]; columns != nil && isMasked(columns[len(columns)-1]) && (n.Schema.L == "" || n.Schema.L == "shop") && !v.shut[n] {
			v.open = append(v.open, name)
		}
	case *ast.ColumnName:
		v.names[n.Name.L] = true
	case *ast.SelectField:
		v.stars = v.stars || n.WildCard != nil
	case *ast.Join:
		v.stars = v.stars || n.NaturalJoin
	}
	return n, false
}

func (v *mysqlVisitor) Leave(n ast.Node) (ast.Node, bool) { return n, true }

// shutTable returns the table that a query shows with NULL for the masked columns, nil if
// the query is another one.
func shutTable(s *ast.SelectStmt) *ast.TableName {
	if s.From == nil || s.From.TableRefs.Right != nil || s.Where != nil || s.GroupBy != nil || s.Having != nil || s.OrderBy != nil || s.Limit != nil || s.With != nil || s.Distinct || s.Fields == nil {
		return nil
	}
	source, ok := s.From.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return nil
	}
	table, ok := source.Source.(*ast.TableName)
	if !ok || len(s.Fields.Fields) != len(modelTables[table.Name.L]) {
		return nil
	}
	for i, field := range s.Fields.Fields {
		column := modelTables[table.Name.L][i]
		if field.Expr == nil {
			return nil
		}
		var b strings.Builder
		if err := field.Expr.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &b)); err != nil {
			return nil
		}
		if isMasked(column) && (b.String() != "NULL" || field.AsName.L != strings.ToLower(column)) || !isMasked(column) && b.String() != "`"+column+"`" {
			return nil
		}
	}
	return table
}
