package corpus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/rewrite"
)

// ranked returns a SELECT without its ORDER BY and LIMIT, and with one column more at
// its end: the row's rank in that order, which rows that the order does not tell
// apart share. ok is false where that cannot be asked.
func ranked(sql string) (text string, ok bool) {
	nodes, _, err := parser.New().ParseSQL(sql)
	if err != nil || len(nodes) != 1 {
		return "", false
	}
	sel, ok := nodes[0].(*ast.SelectStmt)
	if !ok || sel.OrderBy == nil || sel.Fields == nil || sel.Distinct {
		return "", false
	}
	items := sel.OrderBy.Items
	for _, item := range items {
		resolved, ok := outputs{sel.Fields.Fields}.resolve(item.Expr)
		if !ok {
			return "", false
		}
		item.Expr = resolved
	}
	shape, _, err := parser.New().ParseSQL("SELECT RANK() OVER (ORDER BY a)")
	if err != nil {
		return "", false
	}
	rank := shape[0].(*ast.SelectStmt).Fields.Fields[0]
	rank.Expr.(*ast.WindowFuncExpr).Spec.OrderBy.Items = items
	sel.Fields.Fields = append(sel.Fields.Fields, rank)
	sel.OrderBy, sel.Limit = nil, nil
	var b strings.Builder
	if err := sel.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &b)); err != nil {
		return "", false
	}
	return b.String(), true
}

// outputs are what a SELECT returns, which its ORDER BY may name by alias or number.
type outputs struct{ fields []*ast.SelectField }

// resolve returns the expression that an item of an ORDER BY stands for.
func (o outputs) resolve(item ast.ExprNode) (ast.ExprNode, bool) {
	switch e := item.(type) {
	case *ast.PositionExpr:
		if e.N < 1 || e.N > len(o.fields) || slices.ContainsFunc(o.fields[:e.N], func(f *ast.SelectField) bool { return f.WildCard != nil }) {
			return nil, false
		}
		return o.fields[e.N-1].Expr, true
	case *ast.ColumnNameExpr:
		if e.Name.Table.L != "" {
			return item, true
		}
		for _, f := range o.fields {
			if f.AsName.L == e.Name.Name.L {
				return f.Expr, true
			}
		}
	}
	return item, true
}

// ranks asks the server for the rank of each row, and reports that the rows got are
// first ones of the order, behind the statement's own offset: at every place stands
// a row of the rank that has this place.
func (c *mysqlSession) ranks(p rewrite.Plan, got answer) bool {
	text, ok := ranked(p.Statement.Text)
	if !ok {
		return false
	}
	all, err := c.run(text)
	if err != nil || all.count > len(all.rows) {
		return false
	}
	type row struct {
		rank int
		text string
	}
	var rows []row
	for _, text := range all.rows {
		values := textRow(text)
		last := values[len(values)-1]
		rank, err := strconv.Atoi(last)
		if err != nil {
			return false
		}
		rows = append(rows, row{rank, strings.TrimSuffix(text, string(rune(len(last)))+last)})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.rank, b.rank) })
	for i, text := range got.rows {
		place := int(p.Statement.Limit.Offset) + i
		if place >= len(rows) {
			return false
		}
		at := slices.Index(rows[place:], row{rows[place].rank, text})
		if at < 0 {
			return false
		}
		rows[place], rows[place+at] = rows[place+at], rows[place]
	}
	return true
}

func TestRanked(t *testing.T) {
	// The dialect brings the parser its literals.
	if _, err := mysql.New().Parse("SELECT 1"); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"SELECT a FROM t WHERE b = 1 ORDER BY c DESC, d LIMIT 5": "SELECT `a`,RANK() OVER (ORDER BY `c` DESC,`d`) FROM `t` WHERE `b`=1",
		"SELECT a + 1 x, b FROM t ORDER BY X, 2 LIMIT 1, 2":      "SELECT `a`+1 AS `x`,`b`,RANK() OVER (ORDER BY `a`+1,`b`) FROM `t`",
		"SELECT *, a x FROM t ORDER BY t.x LIMIT 1":              "SELECT *,`a` AS `x`,RANK() OVER (ORDER BY `t`.`x`) FROM `t`",
		"SELECT *, a FROM t ORDER BY 2 LIMIT 1":                  "",
		"SELECT DISTINCT a FROM t ORDER BY a LIMIT 1":            "",
		"SELECT a FROM t LIMIT 1":                                "",
		"SELECT a FROM t UNION SELECT b FROM t ORDER BY a":       "",
		"SELECT": "",
	} {
		if got, ok := ranked(text); got != want || ok != (want != "") {
			t.Errorf("ranked(%q) is %q, %t", text, got, ok)
		}
	}
}
