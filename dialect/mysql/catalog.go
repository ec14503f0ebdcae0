package mysql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// isCatalog reports a table that belongs to the server. Only the first of its databases
// has a name in which case never counts. Users can make objects in mysql and in sys, so
// that there the table's name decides, and MariaDB's tables of numbers (seq_1_to_30) are
// to be had in every database.
func (s *settings) isCatalog(database, table string) bool {
	if sequence := "seq_"; len(table) >= len(sequence) && strings.EqualFold(table[:len(sequence)], sequence) {
		return false
	}
	switch database {
	case "performance_schema":
		return true
	case "sys":
		return sysTables[table]
	case "mysql":
		if s.mariadb {
			return mariadbTables[table]
		}
		return mysqlTables[table]
	}
	return strings.EqualFold(database, "information_schema")
}

func lower(s string) string { return strings.ToLower(s) }

// catalogOnly reports that query reads tables of the server's own databases and
// no others, and that its values come of these alone: it calls no function but the
// server's own, and assigns to no variable.
func catalogOnly(query ast.Node, with *ast.WithClause, s *source) bool {
	f := tableFinder{source: s, outer: with}
	if with != nil {
		if with.IsRecursive {
			return false // it may make rows of its own without end
		}
		f.names = make(map[string]bool, len(with.CTEs))
		for _, cte := range with.CTEs {
			cte.Query.Query.Accept(&f)
			f.names[cte.Name.L] = true
		}
	}
	query.Accept(&f)
	return f.catalog && !f.other && !s.callsAnother()
}

// tableFinder looks at the tables of a query, and at what else its rows may come of.
type tableFinder struct {
	*source
	// names are the common tables that may be meant by a bare name.
	names map[string]bool
	outer *ast.WithClause
	// catalog and other report tables of a catalogue and anything else.
	catalog, other bool
}

// Enter looks at one node.
func (f *tableFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.WithClause:
		if n == f.outer {
			return n, true // read before
		}
		f.other = true // inner scopes of names are not followed
	case *ast.TableName:
		switch {
		case n.Schema.L != "":
			f.note(f.isCatalog(n.Schema.O, n.Name.O))
		case f.names[n.Name.L]:
			// What it reads was looked at before.
		default:
			f.note(f.isCatalog(f.database, n.Name.O))
		}
	case *ast.FuncCallExpr:
		f.other = f.other || n.Schema.L != "" || !nativeFunctions[n.FnName.L] && !parserFunctions[n.FnName.L]
	case *ast.AggregateFuncExpr:
		f.other = f.other || !aggregates[lower(n.F)]
	case *ast.WindowFuncExpr:
		f.other = f.other || !windowFunctions[lower(n.Name)] && !aggregates[lower(n.Name)]
	case *ast.JSONSumCrc32Expr:
		f.other = true // only TiDB has it
	case *ast.VariableExpr:
		f.other = f.other || n.Value != nil
	}
	return n, f.other
}

func (f *tableFinder) note(catalog bool) {
	if catalog {
		f.catalog = true
	} else {
		f.other = true
	}
}

// Leave goes on.
func (f *tableFinder) Leave(n ast.Node) (ast.Node, bool) { return n, !f.other }

// callsAnother reports a call that the tree shows as one of the server's own functions
// and that may be one of a user's: by the parser's own name of a form, in quotes, or with
// a blank before the bracket.
func (s *source) callsAnother() bool {
	for i := 1; i < len(s.tokens); i++ {
		if !s.isOp(i, '(') {
			continue
		}
		t := s.tokens[i-1]
		switch t.kind {
		case tokenName:
			return true
		case tokenWord:
			name := lower(s.text[t.start:t.end])
			if parserFunctions[name] || !s.ignoreSpace && s.tokens[i].gap && touching[name] {
				return true
			}
		}
	}
	return false
}
