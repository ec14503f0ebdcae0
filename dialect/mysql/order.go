package mysql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/rowcap/rowcap/rewrite"
)

// node is the tree that TiDB's parser makes of a query or of a definition, nil if it
// makes none.
func (s *source) node() ast.StmtNode {
	if s.tooLarge != "" || s.unread != "" || !s.isQuery() && !s.is(0, "CREATE") && !s.is(0, "ALTER") || s.routine() {
		return nil
	}
	node, err := parseTiDB(s.read(s.findClause(), false), s.settings)
	if err != nil {
		return nil
	}
	return node
}

// orderAndSchema reads the order of a query over one table, and what a statement says
// of a table's columns. It knows what TiDB's parser reads.
func (s *source) orderAndSchema(node ast.StmtNode) (*rewrite.Order, []rewrite.Columns) {
	switch n := node.(type) {
	case *ast.SelectStmt:
		return s.order(n), nil
	case *ast.CreateTableStmt:
		return nil, tableFacts(n)
	case *ast.CreateIndexStmt:
		if n.KeyType == ast.IndexKeyTypeUnique {
			return nil, keyFacts(n.Table.Name.L, n.IndexPartSpecifications, false)
		}
	case *ast.AlterTableStmt:
		var facts []rewrite.Columns
		for _, spec := range n.Specs {
			if spec.Tp == ast.AlterTableAddConstraint {
				facts = append(facts, constraintFacts(n.Table.Name.L, spec.Constraint)...)
			}
		}
		return nil, facts
	}
	return nil, nil
}

// order reads the order of a query over one table, nil where a key is neither a column
// nor the number of one, as its values may tell rows apart.
func (s *source) order(q *ast.SelectStmt) *rewrite.Order {
	if q.OrderBy == nil || q.From == nil || q.GroupBy != nil || q.Having != nil || q.Distinct || q.With != nil || q.From.TableRefs.Right != nil {
		return nil
	}
	from, ok := q.From.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return nil
	}
	table, ok := from.Source.(*ast.TableName)
	if !ok {
		return nil
	}
	o := &rewrite.Order{Table: table.Name.L}
	for _, item := range q.OrderBy.Items {
		name, ok := keyColumn(q, item.Expr)
		if !ok {
			return nil
		}
		o.Columns = append(o.Columns, name)
	}
	o.Columns = append(o.Columns, heldColumns(q.Where)...)
	depth := 0
	for i := range s.tokens {
		switch {
		case s.isOp(i, '('):
			depth++
		case s.isOp(i, ')'):
			depth--
		case depth == 0 && s.is(i, "ORDER") && i+2 < len(s.tokens):
			o.Start, o.End = int(s.tokens[i+2].start), int(s.tokens[i+2].end)
		}
	}
	return o
}

// keyColumn returns the column that a sort key names: by its number or name in the
// output, or else by its name in the table.
func keyColumn(q *ast.SelectStmt, key ast.ExprNode) (string, bool) {
	if p, ok := key.(*ast.PositionExpr); ok {
		if p.N < 1 || p.N > len(q.Fields.Fields) {
			return "", false
		}
		return columnName(q.Fields.Fields[p.N-1].Expr)
	}
	name, ok := columnName(key)
	if !ok || key.(*ast.ColumnNameExpr).Name.Table.L != "" {
		return name, ok
	}
	for _, f := range q.Fields.Fields {
		if strings.EqualFold(f.AsName.L, name) {
			return columnName(f.Expr)
		}
	}
	return name, true
}

func columnName(e ast.ExprNode) (string, bool) {
	if c, ok := e.(*ast.ColumnNameExpr); ok {
		return c.Name.Name.L, true
	}
	return "", false
}

// heldColumns returns the columns that a condition holds to one value each.
func heldColumns(e ast.ExprNode) (names []string) {
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return heldColumns(e.Expr)
	case *ast.BinaryOperationExpr:
		switch e.Op {
		case opcode.LogicAnd:
			return append(heldColumns(e.L), heldColumns(e.R)...)
		case opcode.EQ:
			for _, side := range []ast.ExprNode{e.L, e.R} {
				if name, ok := columnName(side); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// tableFacts reads CREATE TABLE.
func tableFacts(n *ast.CreateTableStmt) []rewrite.Columns {
	table := n.Table.Name.L
	facts := []rewrite.Columns{{Table: table}}
	for _, c := range n.Cols {
		names := []string{c.Name.Name.L}
		for _, option := range c.Options {
			switch option.Tp {
			case ast.ColumnOptionPrimaryKey:
				facts = append(facts, rewrite.Columns{Table: table, Names: names, Unique: true, NotNull: true})
			case ast.ColumnOptionUniqKey:
				facts = append(facts, rewrite.Columns{Table: table, Names: names, Unique: true})
			case ast.ColumnOptionNotNull:
				facts = append(facts, rewrite.Columns{Table: table, Names: names, NotNull: true})
			}
		}
	}
	for _, c := range n.Constraints {
		facts = append(facts, constraintFacts(table, c)...)
	}
	return facts
}

func constraintFacts(table string, c *ast.Constraint) []rewrite.Columns {
	switch c.Tp {
	case ast.ConstraintPrimaryKey:
		return keyFacts(table, c.Keys, true)
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		return keyFacts(table, c.Keys, false)
	}
	return nil
}

// keyFacts reads the columns of a unique key, none if a part of it is an expression or
// the beginning of a column.
func keyFacts(table string, keys []*ast.IndexPartSpecification, primary bool) []rewrite.Columns {
	f := rewrite.Columns{Table: table, Unique: true, NotNull: primary}
	for _, k := range keys {
		if k.Column == nil || k.Length > 0 {
			return nil
		}
		f.Names = append(f.Names, k.Column.Name.L)
	}
	return []rewrite.Columns{f}
}
