package postgres

import "github.com/rowcap/rowcap/rewrite"

// atMostOneRow reports a SELECT that cannot return a second row: its own limit is 0
// or 1; it is a single VALUES row; or it returns no sets and either reads from
// nothing or aggregates all it reads into one group.
func atMostOneRow(sel node, l rewrite.Limit) bool {
	if l.Form == rewrite.LimitLiteral && l.Rows <= 1 && !l.WithTies {
		return true
	}
	if sel.get("op").text() != "SETOP_NONE" {
		return false
	}
	if values := sel.get("valuesLists"); values.there() {
		// Set-returning functions are not allowed in VALUES.
		return values.count() == 1
	}
	if sel.get("groupClause").there() || sel.get("fromClause").there() && !aggregates(sel) {
		return false
	}
	// Sort keys and DISTINCT ON are computed with the output, so a set among
	// them multiplies the rows as well.
	for _, clause := range []string{"targetList", "sortClause", "distinctClause"} {
		if mayReturnSet(sel.get(clause)) {
			return false
		}
	}
	return true
}

// aggregates reports a SELECT that makes one group of all its rows, provided that it
// has no GROUP BY: by HAVING, or by an aggregate in its output.
func aggregates(sel node) bool {
	return sel.get("havingClause").there() || callsAggregate(sel.get("targetList"))
}

// callsAggregate reports an aggregate call at n or below, but not inside a
// sub-select, where it may belong to that.
func callsAggregate(n node) bool {
	switch n.key() {
	case "SelectStmt", "subselect":
		return false
	case "JsonObjectAgg", "JsonArrayAgg":
		return !n.get("constructor", "over").there()
	case "FuncCall":
		if functionYield(n.get("funcname").strings()) == yieldAggregate && !n.get("over").there() {
			return true
		}
	}
	for child := range n.children {
		if callsAggregate(child) {
			return true
		}
	}
	return false
}

// mayReturnSet reports an expression at n or below that could yield more than one
// row: a call of anything but the server's own scalar functions and aggregates,
// a field selection (x).f, which may be such a call, or a user's operator. What
// happens inside a sub-select stays there.
func mayReturnSet(n node) bool {
	switch n.key() {
	case "subselect":
		return false
	case "FuncCall":
		if y := functionYield(n.get("funcname").strings()); y == yieldUnknown || y == yieldSet {
			return true
		}
	case "A_Indirection":
		for step := range n.get("indirection").children {
			if !step.get("A_Indices").there() {
				return true
			}
		}
	case "A_Expr":
		if !knownOperator(n.get("name").strings()) {
			return true
		}
	}
	for child := range n.children {
		if mayReturnSet(child) {
			return true
		}
	}
	return false
}

// knownOperator reports an operator of the server's own, by its name: one without a
// schema or with pg_catalog, made of the characters of the operators that
// PostgreSQL brings.
func knownOperator(name []string) bool {
	if len(name) == 2 && name[0] == "pg_catalog" {
		return true
	}
	if len(name) != 1 {
		return false
	}
	switch name[0] {
	case "+", "-", "*", "/", "%", "^", "=", "<>", "<", ">", "<=", ">=", "||", "&", "|", "#", "~", "<<", ">>",
		"~~", "!~~", "~~*", "!~~*", "~*", "!~", "!~*", "BETWEEN", "NOT BETWEEN", "BETWEEN SYMMETRIC", "NOT BETWEEN SYMMETRIC",
		"->", "->>", "#>", "#>>", "@>", "<@", "?", "?|", "?&", "@?", "@@", "#-", "&&", "|/", "||/", "@", "^@", "-|-", "<->":
		return true
	}
	return false
}
