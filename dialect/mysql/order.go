package mysql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	"github.com/pingcap/tidb/pkg/parser/types"
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

// orderAndSchema reads the order of a query over one table and what it holds to one
// value, and what a statement says of a table's columns. It knows what TiDB's parser
// reads.
func (s *source) orderAndSchema(node ast.StmtNode) (a rewrite.Anatomy) {
	switch n := node.(type) {
	case *ast.SelectStmt:
		a.Order, a.Pinned = s.order(n), pinnedBy(n)
	case *ast.CreateTableStmt:
		a.Schema = tableFacts(n)
	case *ast.CreateIndexStmt:
		if n.KeyType == ast.IndexKeyTypeUnique {
			a.Schema = keyFacts(n.Table.Name.L, n.IndexPartSpecifications, false)
		}
	case *ast.AlterTableStmt:
		for _, spec := range n.Specs {
			switch spec.Tp {
			case ast.AlterTableAddConstraint:
				a.Schema = append(a.Schema, constraintFacts(n.Table.Name.L, spec.Constraint)...)
			case ast.AlterTableDropPrimaryKey, ast.AlterTableDropIndex, ast.AlterTableDropColumn, ast.AlterTableModifyColumn, ast.AlterTableChangeColumn,
				ast.AlterTableRenameColumn: // it may be a key's: nothing is known for certain
				a.Schema = append(a.Schema, rewrite.Columns{Table: n.Table.Name.L})
			}
		}
	}
	return a
}

// order reads the order of a query over one table, nil where a key is neither a column
// nor the number of one, as its values may tell rows apart.
func (s *source) order(q *ast.SelectStmt) *rewrite.Order {
	table := oneTable(q)
	if q.OrderBy == nil || table == nil {
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
	for _, e := range equalities(q.Where) {
		if !readsColumn(e.other) {
			o.Columns = append(o.Columns, e.column)
		}
	}
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

// oneTable returns the table of a query over one that makes a row of each of its rows,
// nil for another.
func oneTable(q *ast.SelectStmt) *ast.TableName {
	if q.From == nil || q.GroupBy != nil || q.Having != nil || q.Distinct || q.With != nil || q.From.TableRefs.Right != nil {
		return nil
	}
	from, ok := q.From.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return nil
	}
	table, _ := from.Source.(*ast.TableName)
	return table
}

// pinnedBy returns the columns of the one table that a query reads which its condition sets
// equal to a literal or a parameter.
func pinnedBy(q *ast.SelectStmt) *rewrite.Pinned {
	table := oneTable(q)
	if table == nil {
		return nil
	}
	h := &rewrite.Pinned{Table: table.Name.L}
	for _, e := range equalities(q.Where) {
		if sign, ok := e.other.(*ast.UnaryOperationExpr); ok && (sign.Op == opcode.Minus || sign.Op == opcode.Plus) {
			e.other = sign.V
		}
		switch v := e.other.(type) {
		case *param:
			h.Columns = append(h.Columns, e.column)
		case *value:
			if _, text := v.datum.(string); text {
				h.Columns = append(h.Columns, e.column)
			} else {
				h.Numbers = append(h.Numbers, e.column)
			}
		}
	}
	return h
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

// equality is a column that a condition sets equal to another expression.
type equality struct {
	column string
	other  ast.ExprNode
}

// equalities returns those that hold for all rows which a condition takes.
func equalities(e ast.ExprNode) (all []equality) {
	switch e := e.(type) {
	case *ast.ParenthesesExpr:
		return equalities(e.Expr)
	case *ast.BinaryOperationExpr:
		switch e.Op {
		case opcode.LogicAnd:
			return append(equalities(e.L), equalities(e.R)...)
		case opcode.EQ:
			for _, sides := range [][2]ast.ExprNode{{e.L, e.R}, {e.R, e.L}} {
				if name, ok := columnName(sides[0]); ok {
					all = append(all, equality{name, sides[1]})
				}
			}
		}
	}
	return all
}

// columnFinder looks for a column outside of queries within an expression.
type columnFinder struct{ found bool }

func (f *columnFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n.(type) {
	case *ast.ColumnNameExpr:
		f.found = true
	case *ast.SubqueryExpr:
		return n, true
	}
	return n, f.found
}

func (f *columnFinder) Leave(n ast.Node) (ast.Node, bool) { return n, !f.found }

func readsColumn(e ast.ExprNode) bool {
	var f columnFinder
	e.Accept(&f)
	return f.found
}

// tableFacts reads CREATE TABLE.
func tableFacts(n *ast.CreateTableStmt) []rewrite.Columns {
	table := n.Table.Name.L
	facts := []rewrite.Columns{{Table: table}}
	for _, c := range n.Cols {
		names := []string{c.Name.Name.L}
		if c.Tp.EvalType() == types.ETInt || c.Tp.EvalType() == types.ETDecimal || c.Tp.EvalType() == types.ETReal {
			facts = append(facts, rewrite.Columns{Table: table, Names: names, Number: true})
		}
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
