package postgres

import "github.com/rowcap/rowcap/rewrite"

// order reads the order of a query over one table, nil where a key is neither a column
// nor the number of one, as its values may tell rows apart.
func (i *inspection) order(sel node) *rewrite.Order {
	from := sel.get("fromClause")
	if sel.key() != "SelectStmt" || sel.get("op").text() != "SETOP_NONE" || from.count() != 1 || sel.get("groupClause").there() ||
		sel.get("distinctClause").there() || sel.get("havingClause").there() || sel.get("withClause").there() {
		return nil
	}
	table, sort := from.only().get("RangeVar"), sel.get("sortClause")
	if !table.there() || !sort.there() || table.get("alias", "colnames").there() {
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
	o.Columns = append(o.Columns, heldColumns(sel.get("whereClause"))...)
	return o
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

// heldColumns returns the columns that a condition holds to one value each.
func heldColumns(n node) (names []string) {
	if n.get("BoolExpr", "boolop").text() == "AND_EXPR" {
		for arg := range n.get("BoolExpr", "args").children {
			names = append(names, heldColumns(arg)...)
		}
		return names
	}
	e := n.get("A_Expr")
	if op := e.get("name").strings(); e.get("kind").text() != "AEXPR_OP" || len(op) != 1 || op[0] != "=" {
		return nil
	}
	for _, side := range []string{"lexpr", "rexpr"} {
		if name, ok := column(e.get(side)); ok {
			names = append(names, name)
		}
	}
	return names
}

// schemaFacts reads what CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX say of
// columns.
func schemaFacts(stmt node) (facts []rewrite.Columns) {
	table := stmt.get("relation", "relname").str()
	switch stmt.key() {
	case "CreateStmt":
		facts = []rewrite.Columns{{Table: table}}
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
