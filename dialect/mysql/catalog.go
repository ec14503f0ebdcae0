package mysql

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// isCatalog reports a database that belongs to the server. Only the first of them
// has a name in which case never counts.
func isCatalog(database string) bool {
	switch database {
	case "performance_schema", "mysql", "sys":
		return true
	}
	return strings.EqualFold(database, "information_schema")
}

func lower(s string) string { return strings.ToLower(s) }

// catalogOnly reports that query reads tables of the server's own databases and
// no others. database is the session's current one.
func catalogOnly(query ast.Node, with *ast.WithClause, database string) bool {
	f := tableFinder{home: isCatalog(database), outer: with}
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
	return f.catalog && !f.other
}

// tableFinder looks at the tables of a query.
type tableFinder struct {
	// home reports that the current database is a catalogue.
	home bool
	// names are the common tables that may be meant by a bare name.
	names map[string]bool
	outer *ast.WithClause
	// catalog and other report tables of a catalogue and any other table.
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
			f.note(isCatalog(n.Schema.O))
		case f.names[n.Name.L]:
			// What it reads was looked at before.
		default:
			f.note(f.home)
		}
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
