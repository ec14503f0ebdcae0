package postgres

import "github.com/rowcap/rowcap/rewrite"

// order reads the order of a query over one table, nil where a key is neither a column
// nor the number of one, as its values may tell rows apart.
func (i *inspection) order(sel node) *rewrite.Order {
	table, sort := oneTable(sel), sel.get("sortClause")
	if !table.there() || !sort.there() {
		return nil
	}
	o := &rewrite.Order{Table: table.get("relname").str()}
	for key := range sort.children {
		name, ok := keyColumn(sel, key.get("SortBy", "node"))
		if !ok {
			return nil
		}
		o.Columns = append(o.Columns, name)
	}
	if at := i.w.at(sort.location()); at >= 0 {
		o.Start, o.End = int(i.w.tokens[at].start), int(i.w.tokens[at].end)
	}
	for _, e := range equalities(sel.get("whereClause")) {
		if !readsColumn(e.other) {
			o.Columns = append(o.Columns, e.column)
		}
	}
	return o
}

// oneTable returns the table of a query over one that makes a row of each of its rows,
// nothing for another.
func oneTable(sel node) node {
	from := sel.get("fromClause")
	if sel.key() != "SelectStmt" || sel.get("op").text() != "SETOP_NONE" || from.count() != 1 || sel.get("groupClause").there() ||
		sel.get("distinctClause").there() || sel.get("havingClause").there() || sel.get("withClause").there() {
		return node{}
	}
	if table := from.only().get("RangeVar"); !table.get("alias", "colnames").there() {
		return table
	}
	return node{}
}

// pinnedBy returns the columns of the one table that a query reads which its condition sets
// equal to a literal or a parameter.
func pinnedBy(sel node) *rewrite.Pinned {
	table := oneTable(sel)
	if !table.there() || mayReturnSet(sel.get("targetList")) || mayReturnSet(sel.get("sortClause")) {
		return nil
	}
	h := &rewrite.Pinned{Table: table.get("relname").str()}
	for _, e := range equalities(sel.get("whereClause")) {
		if isValue(e.other) {
			h.Columns = append(h.Columns, e.column)
		}
	}
	return h
}

// keyColumn returns the column that a sort key names: by its number or name in the
// output, or else by its name in the table.
func keyColumn(sel, key node) (string, bool) {
	targets := sel.get("targetList")
	if number := key.get("A_Const", "ival"); number.there() {
		n := number.get("ival").int()
		for target := range targets.children {
			if n--; n == 0 {
				return column(target.get("ResTarget", "val"))
			}
		}
		return "", false
	}
	name, ok := column(key)
	if ok && key.get("ColumnRef", "fields").count() == 1 {
		for target := range targets.children {
			if target.get("ResTarget", "name").str() == name {
				return column(target.get("ResTarget", "val"))
			}
		}
	}
	return name, ok
}

// column returns the name of a column, without its table's.
func column(n node) (string, bool) {
	fields := n.get("ColumnRef", "fields")
	if !fields.there() || fields.has("A_Star") {
		return "", false
	}
	names := fields.strings()
	return names[len(names)-1], true
}

// equality is a column that a condition sets equal to another expression.
type equality struct {
	column string
	other  node
}

// equalities returns those that hold for all rows which a condition takes.
func equalities(n node) (all []equality) {
	if n.get("BoolExpr", "boolop").text() == "AND_EXPR" {
		for arg := range n.get("BoolExpr", "args").children {
			all = append(all, equalities(arg)...)
		}
		return all
	}
	e := n.get("A_Expr")
	if op := e.get("name").strings(); e.get("kind").text() != "AEXPR_OP" || len(op) != 1 || op[0] != "=" {
		return nil
	}
	for _, sides := range [][2]string{{"lexpr", "rexpr"}, {"rexpr", "lexpr"}} {
		if name, ok := column(e.get(sides[0])); ok {
			all = append(all, equality{name, e.get(sides[1])})
		}
	}
	return all
}

// isValue reports a literal or a parameter, also behind a sign or in a cast.
func isValue(n node) bool {
	if cast := n.get("TypeCast", "arg"); cast.there() {
		return isValue(cast)
	}
	if e := n.get("A_Expr"); e.get("kind").text() == "AEXPR_OP" && !e.get("lexpr").there() && e.get("name").count() == 1 {
		return isValue(e.get("rexpr"))
	}
	return n.has("A_Const") || n.has("ParamRef")
}

// readsColumn reports a column at n or below, but not in a query of its own.
func readsColumn(n node) bool {
	switch n.key() {
	case "SubLink":
		return false
	case "ColumnRef":
		return true
	}
	for child := range n.children {
		if readsColumn(child) {
			return true
		}
	}
	return false
}

// schemaFacts reads what CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX say of
// columns.
func schemaFacts(stmt node) (facts []rewrite.Columns) {
	table := stmt.get("relation", "relname").str()
	switch stmt.key() {
	case "CreateStmt":
		facts = []rewrite.Columns{{Table: table}}
		if !stmt.get("partbound").there() {
			for parent := range stmt.get("inhRelations").children { // whose keys do not hold for its heirs' rows
				facts = append(facts, rewrite.Columns{Table: parent.get("RangeVar", "relname").str()})
			}
		}
		for element := range stmt.get("tableElts").children {
			def := element.get("ColumnDef")
			for c := range def.get("constraints").children {
				facts = append(facts, constraintFacts(table, c.get("Constraint"), []string{def.get("colname").str()})...)
			}
			facts = append(facts, constraintFacts(table, element.get("Constraint"), element.get("Constraint", "keys").strings())...)
		}
	case "AlterTableStmt":
		for command := range stmt.get("cmds").children {
			c := command.get("AlterTableCmd")
			if c.get("subtype").text() == "AT_SetNotNull" {
				facts = append(facts, rewrite.Columns{Table: table, Names: []string{c.get("name").str()}, NotNull: true})
			}
			if what := c.get("subtype").text(); what == "AT_DropConstraint" || what == "AT_DropColumn" || what == "AT_DropNotNull" {
				facts = append(facts, rewrite.Columns{Table: table}) // it may be a key's: nothing is known for certain
			}
			if made := c.get("def", "Constraint"); c.get("subtype").text() == "AT_AddConstraint" {
				facts = append(facts, constraintFacts(table, made, made.get("keys").strings())...)
			}
		}
	case "IndexStmt":
		if !stmt.is("unique") || stmt.get("whereClause").there() {
			return nil
		}
		var names []string
		for param := range stmt.get("indexParams").children {
			name := param.get("IndexElem", "name")
			if !name.there() {
				return nil
			}
			names = append(names, name.str())
		}
		facts = append(facts, rewrite.Columns{Table: table, Names: names, Unique: true})
	}
	return facts
}

// constraintFacts reads one constraint of the columns names.
func constraintFacts(table string, c node, names []string) []rewrite.Columns {
	switch c.get("contype").text() {
	case "CONSTR_PRIMARY":
		return []rewrite.Columns{{Table: table, Names: names, Unique: true, NotNull: true}}
	case "CONSTR_UNIQUE":
		return []rewrite.Columns{{Table: table, Names: names, Unique: true}}
	case "CONSTR_NOTNULL":
		return []rewrite.Columns{{Table: table, Names: names, NotNull: true}}
	}
	return nil
}
