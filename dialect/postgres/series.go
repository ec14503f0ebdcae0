package postgres

import "slices"

// builders are functions whose result may be as large as a number in the text says, so
// that a set made of it is no longer of the catalogue's size.
var builders = []string{"array_fill", "repeat", "lpad", "rpad"}

// madeUp reports a call that may yield more rows than the catalogue's values, and the
// constants of the text, hold: generate_series between numbers of the caller's. The
// other sets that the server brings come from its own state or from their arguments.
func madeUp(call node) bool {
	name := call.get("funcname").strings()
	if name[len(name)-1] != "generate_series" {
		return false
	}
	for arg := range call.get("args").children {
		if !smallCount(arg) {
			return true
		}
	}
	return false
}

// smallCount reports an expression that is 0, 1 or a number of elements: the size of
// an array column, or a column that counts columns; or sums of those.
func smallCount(n node) bool {
	if n.key() == "" {
		n = n.only() // an element of a list
	}
	switch n.key() {
	case "TypeCast":
		return smallCount(n.get("arg"))
	case "arg", "lexpr", "rexpr":
		return smallCount(n.only())
	case "A_Const":
		// 0 and 1 are told from other numbers; see Shape.
		return n.get("ival").there() && n.get("ival", "ival").int()>>1 == 0
	case "ColumnRef":
		name := n.get("fields").strings()
		return len(name) > 0 && slices.Contains([]string{"relnatts", "indnatts", "indnkeyatts"}, name[len(name)-1])
	case "FuncCall":
		name := n.get("funcname").strings()
		return functionYield(name) == yieldScalar && n.get("args").has("ColumnRef") &&
			slices.Contains([]string{"array_lower", "array_upper", "array_length", "cardinality"}, name[len(name)-1])
	case "A_Expr":
		op := n.get("name").strings()
		return len(op) == 1 && (op[0] == "+" || op[0] == "-") && n.get("lexpr").there() &&
			smallCount(n.get("lexpr")) && smallCount(n.get("rexpr"))
	case "CoalesceExpr":
		for arg := range n.get("args").children {
			if !smallCount(arg) {
				return false
			}
		}
		return true
	}
	return false
}

// countsUp reports a query of WITH RECURSIVE that feeds on itself alone: its second
// part reads its own rows and no other relation's.
func countsUp(cte node) bool {
	name, again := cte.get("CommonTableExpr", "ctename").str(), cte.get("CommonTableExpr", "ctequery", "SelectStmt", "rarg")
	itself, others := false, false
	for m := range again.below {
		if m.key() != "RangeVar" {
			continue
		}
		if m.get("schemaname").str() == "" && m.get("relname").str() == name {
			itself = true
		} else {
			others = true
		}
	}
	return itself && !others
}
