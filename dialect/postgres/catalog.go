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
// A user's object may have the name of one of the server's. Where that could add rows,
// it is looked at more closely (sets.go, witness.go); what is left is in docs/limits.md.
func catalogOnly(sel node) bool {
	r := catalogReader{}
	_, ok := r.query(sel, scope{sets: true}, nil)
	return ok && r.relations > 0
}

// catalogReader walks a statement. Its methods return false at the first thing that
// is not the catalogue's.
type catalogReader struct {
	relations int
	// queries is how many queries were begun.
	queries int
}

// query walks one SELECT, or one side of a set operation, and returns its output. self
// is the WITH query that it is, if its second part may read it.
func (r *catalogReader) query(sel node, s scope, self *item) (out columns, ok bool) {
	r.queries++
	outermost := r.queries == 1
	if s.withs, ok = r.with(sel.get("withClause"), s); !ok {
		return out, false
	}
	inner := s
	switch values := sel.get("valuesLists"); {
	case sel.get("larg").there():
		if out, ok = r.query(sel.get("larg"), s, nil); !ok {
			return out, false
		}
		if self != nil && self.columns == nil {
			self.columns = out
		}
		if _, ok = r.query(sel.get("rarg"), s, nil); !ok {
			return out, false
		}
		s.sets = false // what stands in its ORDER BY is an output's name
	case values.there():
		out = columns{}
		for i := range values.only().get("List", "items").count() {
			out.add(columnNumber(i), nil)
		}
		s.sets = false
	default:
		inner.frame = &frame{outer: s.frame}
		for from := range sel.get("fromClause").children {
			if !r.from(from.only(), inner) {
				return out, false
			}
		}
		if outermost && !witnessed(sel, inner.frame) {
			return out, false
		}
		out = inner.frame.outputs(sel.get("targetList"))
	}
	for child := range sel.children {
		below := inner
		switch child.key() {
		case "withClause", "fromClause", "larg", "rarg", "lockingClause":
			continue
		case "targetList", "groupClause", "sortClause", "distinctClause":
			// A set among these makes several rows of one.
		default:
			below.sets = false
		}
		if !r.walk(child, below) {
			return out, false
		}
	}
	return out, true
}

// from walks an item of FROM and puts it into the scope's frame.
func (r *catalogReader) from(n node, s scope) bool {
	alias := n.get("alias", "aliasname").str()
	names := n.get("alias", "colnames").strings()
	switch n.key() {
	case "RangeVar":
		it, ok := r.relation(n, s)
		if !ok {
			return false
		}
		if alias != "" {
			it.name, it.schema = alias, ""
		}
		if len(names) > 0 {
			it.columns = it.columns.renamed(names)
		}
		s.frame.items = append(s.frame.items, it)
		return true
	case "JoinExpr":
		if alias != "" || !r.from(n.get("larg").only(), s) || !r.from(n.get("rarg").only(), s) {
			return false // an alias hides the names inside
		}
		s.sets = false
		return r.walk(n.get("quals"), s)
	case "RangeSubselect":
		below := s
		if !n.is("lateral") {
			below.frame = s.frame.outer
		}
		out, ok := r.query(n.get("subquery", "SelectStmt"), below, nil)
		s.frame.items = append(s.frame.items, item{name: alias, columns: out.renamed(names)})
		return ok
	case "RangeFunction":
		it, ok := r.function(n, s)
		s.frame.items = append(s.frame.items, it)
		return ok
	case "RangeTableSample":
		return r.from(n.get("relation").only(), s)
	}
	s.sets = false
	s.frame.items = append(s.frame.items, item{name: alias})
	return r.walk(n, s)
}

// with walks the queries of a WITH clause and returns those in scope behind it. Each
// query sees those before it, and under RECURSIVE all.
func (r *catalogReader) with(clause node, s scope) (withs []*item, ok bool) {
	outer := len(s.withs)
	all := s.withs[:outer:outer]
	for cte := range clause.get("ctes").children {
		all = append(all, &item{name: cte.get("CommonTableExpr", "ctename").str()})
	}
	seen := outer
	for cte := range clause.get("ctes").children {
		below := scope{withs: all[:seen:seen], frame: s.frame, sets: s.sets}
		if clause.is("recursive") {
			if countsUp(cte) {
				return nil, false
			}
			below.withs = all
		}
		it, names := all[seen], cte.get("CommonTableExpr", "aliascolnames").strings()
		if len(names) > 0 {
			it.columns = it.columns.renamed(names)
		}
		out, ok := r.query(cte.get("CommonTableExpr", "ctequery", "SelectStmt"), below, it)
		if !ok {
			return nil, false
		}
		it.columns = out.renamed(names)
		seen++
	}
	return all, true
}

// relation returns a relation of FROM, if it is a catalogue or a WITH query.
func (r *catalogReader) relation(n node, s scope) (item, bool) {
	schema, name := n.get("schemaname").str(), n.get("relname").str()
	if schema == "" {
		if with := s.with(name); with != nil {
			return item{name: name, columns: with.columns}, true
		}
	}
	r.relations++
	it := item{name: name, schema: schema, bare: schema == ""}
	switch schema {
	case "information_schema":
		it.columns = catalogColumns("information_schema." + name)
		return it, it.columns != nil
	case "pg_catalog", "":
		// Large objects are users' data.
		it.columns = catalogColumns(name)
		return it, knownNames().relations[name] && name != "pg_largeobject"
	}
	return it, false
}
