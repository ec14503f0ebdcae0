package postgres

// readers are functions of pg_catalog that read more than catalogues, beside those
// with effects.
var readers = []string{"table_to_xml*", "schema_to_xml*", "database_to_xml*", "pg_logical_slot_peek_*", "pg_get_sequence_data",
	"pg_read_file", "pg_read_binary_file", "pg_ls_dir"}

// catalogOnly reports a SELECT that reads at least one relation, of which each is a
// system catalogue or view, calls no function but the server's own, and makes up no
// rows beside the catalogue's (series.go). That is for clients' own listings and is no
// bound: a join of catalogues may have any number of rows.
//
// A temporary table under a catalogue's name would be taken for the catalogue.
func catalogOnly(sel node) bool {
	r := catalogReader{}
	return r.walk(sel, nil) && r.relations > 0
}

// catalogReader walks a statement. Its methods return false at the first thing that
// is not the catalogue's.
type catalogReader struct{ relations int }

// walk looks at n and everything below; withs are the names of the WITH queries that
// are in scope.
func (r *catalogReader) walk(n node, withs []string) bool {
	switch n.key() {
	case "RangeVar":
		return r.relation(n, withs)
	case "FuncCall":
		name := n.get("funcname").strings()
		last := name[len(name)-1]
		if functionYield(name) == yieldUnknown || matches(last, readers) || matches(last, builders) || madeUp(n) {
			return false
		}
	case "LockingClause":
		return true // names relations of FROM
	}
	with := n.get("withClause")
	if with.there() {
		var ok bool
		if withs, ok = r.with(with, withs); !ok {
			return false
		}
	}
	for child := range n.children {
		if child.key() != "withClause" && !r.walk(child, withs) {
			return false
		}
	}
	return true
}

// with walks the queries of a WITH clause and returns the names in scope behind it.
// Each query sees those before it, and under RECURSIVE all.
func (r *catalogReader) with(clause node, withs []string) ([]string, bool) {
	outer := len(withs)
	all := withs[:outer:outer]
	for cte := range clause.get("ctes").children {
		all = append(all, cte.get("CommonTableExpr", "ctename").str())
	}
	seen := outer
	for cte := range clause.get("ctes").children {
		scope := all[:seen:seen]
		if clause.is("recursive") {
			if countsUp(cte) {
				return nil, false
			}
			scope = all
		}
		if !r.walk(cte.only(), scope) {
			return nil, false
		}
		seen++
	}
	return all, true
}

func (r *catalogReader) relation(n node, withs []string) bool {
	schema, name := n.get("schemaname").str(), n.get("relname").str()
	if schema == "" {
		for _, with := range withs {
			if with == name {
				return true
			}
		}
	}
	r.relations++
	switch schema {
	case "information_schema":
		return true
	case "pg_catalog", "":
		// Large objects are users' data.
		return knownNames().relations[name] && name != "pg_largeobject"
	}
	return false
}
