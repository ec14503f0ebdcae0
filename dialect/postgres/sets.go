package postgres

import "slices"

// An operator or function of the user's may have the name of one of the server's, for
// other types, and return a set. Its rows count as the catalogue's where it stands in a
// SELECT list or in FROM. So what stands there without a schema has to be one of those that
// clients use in their listings.

// clientCalls are the server's functions that clients call without a schema where a set
// would make more rows. Names that end in * are prefixes.
var clientCalls = []string{
	"pg_*", "has_*", "format_type", "quote_ident", "quote_literal", "obj_description", "col_description", "shobj_description",
	"acldefault", "aclexplode", "current_database", "current_schema", "current_schemas", "current_setting", "version",
	"count", "max", "min", "sum", "array_agg", "string_agg", "bool_or", "bool_and", "json_agg", "json_build_object", "row_to_json",
	"array_to_string", "array_length", "array_lower", "array_upper", "array_position", "array_remove", "cardinality",
	"generate_series", "generate_subscripts", "unnest", "concat", "replace", "substring", "split_part", "oidvectortypes",
}

// clientOperators are the operators that may stand there without a schema.
var clientOperators = []string{"=", "<>", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "||", "~", "!~", "~~", "!~~", "@>", "->", "->>"}

// settings of A_Expr.kind that have words in the place of an operator's name.
var operatorWords = []string{"BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC"}

// walk looks at n and everything below.
func (r *catalogReader) walk(n node, s scope) bool {
	switch n.key() {
	case "SelectStmt":
		_, ok := r.query(n, s, nil)
		return ok
	case "SubLink":
		// What it returns is one value.
		if !catalogOperator(n.get("operName").strings()) || !r.walk(n.get("testexpr"), s) {
			return false
		}
		s.sets = false
		_, ok := r.query(n.get("subselect", "SelectStmt"), s, nil)
		return ok
	case "FuncCall":
		return r.call(n, s, true)
	case "CaseExpr", "CoalesceExpr":
		s.sets = false // the server refuses sets in them
	case "A_Expr":
		name := n.get("name").strings()
		if !catalogOperator(name) || s.sets && len(name) == 1 && !slices.Contains(clientOperators, name[0]) && !slices.Contains(operatorWords, name[0]) {
			return false
		}
	case "RangeVar":
		return false // those of FROM are looked at there
	case "useOp":
		return catalogOperator(n.strings())
	case "ColumnRef":
		return !s.sets || s.frame.isColumn(n.get("fields").strings())
	case "A_Indirection":
		if s.sets && !s.isField(n) {
			return false
		}
	}
	for child := range n.children {
		if !r.walk(child, s) {
			return false
		}
	}
	return true
}

// call looks at a function's call. nested says that its arguments may be sets where it may
// be one.
func (r *catalogReader) call(n node, s scope, nested bool) bool {
	name := n.get("funcname").strings()
	last := name[len(name)-1]
	if len(name) == 2 && name[0] == "information_schema" {
		if functionOutputs(name) == nil {
			return false
		}
	} else if functionYield(name) == yieldUnknown || matches(last, readers) || matches(last, builders) || madeUp(n) {
		return false
	}
	// Only an aggregate may have these, and none returns a set. Nor may its arguments.
	aggregate := n.is("agg_star") || n.is("agg_distinct") || n.is("agg_within_group") || n.get("agg_order").there() ||
		n.get("agg_filter").there() || n.get("over").there()
	if s.sets && !aggregate && len(name) == 1 && !matches(last, clientCalls) {
		return false
	}
	s.sets = s.sets && nested && !aggregate && functionYield(name) != yieldAggregate
	for child := range n.children {
		if child.key() != "funcname" && !r.walk(child, s) {
			return false
		}
	}
	return true
}

// function looks at a function in FROM, or several of ROWS FROM.
func (r *catalogReader) function(n node, s scope) (item, bool) {
	it := item{name: n.get("alias", "aliasname").str(), columns: columns{}}
	var last []string
	for f := range n.get("functions").children {
		call := f.get("List", "items").only().get("FuncCall")
		if !call.there() || !r.call(call, s, false) {
			return it, false
		}
		last = call.get("funcname").strings()
	}
	if it.name == "" && len(last) > 0 {
		it.name = last[len(last)-1]
	}
	switch outputs := functionOutputs(last); {
	case n.is("is_rowsfrom"):
	case n.get("alias", "colnames").there():
		it.columns = it.columns.renamed(n.get("alias", "colnames").strings())
	case n.get("coldeflist").there():
		for def := range n.get("coldeflist").children {
			it.columns.add(def.get("ColumnDef", "colname").str(), nil)
		}
	case outputs != nil:
		for _, name := range outputs {
			it.columns.add(name, nil)
		}
	case len(last) > 0 && last[len(last)-1] != "unnest": // which may return rows
		it.columns.add(it.name, nil)
	}
	return it, true
}

// isField reports (x).name where that is a column of a row for certain, or x[i] alone.
func (s scope) isField(n node) bool {
	names := 0
	for step := range n.get("indirection").children {
		if step.get("String").there() {
			if names++; names > 1 || !slices.Contains(s.frame.fields(n.get("arg").only()), step.get("String", "sval").str()) {
				return false
			}
		}
	}
	return true
}

// functionOutputs returns the columns of what one of the server's functions returns, nil
// if it is no row or not known.
func functionOutputs(name []string) []string {
	switch {
	case len(name) == 1:
		return knownShapes().outputs[name[0]]
	case len(name) == 2 && name[0] == "pg_catalog":
		return knownShapes().outputs[name[1]]
	case len(name) == 2 && name[0] == "information_schema":
		return knownShapes().outputs["information_schema."+name[1]]
	}
	return nil
}

// catalogOperator reports an operator that has the name of one of the server's, and no
// other schema. No name is that of IN.
func catalogOperator(name []string) bool {
	switch {
	case len(name) == 0:
		return true
	case len(name) == 1:
		return knownShapes().operators[name[0]] || slices.Contains(operatorWords, name[0])
	}
	return len(name) == 2 && name[0] == "pg_catalog"
}
