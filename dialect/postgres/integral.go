package postgres

import (
	"math"
	"slices"
	"strconv"
)

// boundable reports a limit of which LEAST with a bigint makes the same as the server
// makes of the limit alone, errors included. LIMIT casts its value to bigint, which
// fails for numbers that are too large, for NaN, and for types that are no numbers. LEAST
// would choose the bigint over such a number, or be what the error speaks of. So
// the limit must be an integer for certain, or a constant that fits.
func boundable(count node) bool {
	c := count.get("A_Const")
	if f := c.get("fval", "fval"); f.there() {
		v, err := strconv.ParseFloat(f.str(), 64)
		return err == nil && v < math.MaxInt64
	}
	// A string has no type of its own, and becomes a bigint either way.
	if c.get("sval").there() || integral(count.only()) {
		return true
	}
	choices := count.get("MinMaxExpr", "args") // LEAST or GREATEST of such
	if !choices.there() {
		return false
	}
	for item := range choices.children {
		if !boundable(item) {
			return false
		}
	}
	return true
}

// integral reports an expression whose type is smallint, integer or bigint, whatever
// the database holds. A parameter is taken for one: its type follows from the
// integers around it, unless the client says otherwise.
func integral(n node) bool {
	switch n.key() {
	case "A_Const":
		_, err := strconv.ParseInt(n.get("fval", "fval").str(), 10, 64) // beyond 32 bits
		return n.get("ival").there() || err == nil
	case "ParamRef":
		return true
	case "TypeCast":
		return integerBits(n.get("typeName")) > 0
	case "A_Expr":
		op := n.get("name").strings()
		left := n.get("lexpr")
		return n.get("kind").text() == "AEXPR_OP" && len(op) == 1 && slices.Contains([]string{"+", "-", "*", "/", "%"}, op[0]) &&
			(!left.there() || integral(left.only())) && integral(n.get("rexpr").only())
	case "FuncCall":
		name := n.get("funcname").strings()
		return functionYield(name) != yieldUnknown && slices.Contains(integers, name[len(name)-1])
	case "MinMaxExpr", "CoalesceExpr":
		return allIntegral(n.get("args"))
	case "CaseExpr":
		for when := range n.get("args").children {
			if !integral(when.get("CaseWhen", "result").only()) {
				return false
			}
		}
		otherwise := n.get("defresult")
		return !otherwise.there() || integral(otherwise.only())
	case "SubLink":
		sel := n.get("subselect", "SelectStmt")
		targets := sel.get("targetList")
		return n.get("subLinkType").text() == "EXPR_SUBLINK" && sel.get("op").text() == "SETOP_NONE" &&
			targets.count() == 1 && integral(targets.only().get("ResTarget", "val").only())
	}
	return false
}

// integerBits returns the size of the integer type that a type's name stands for, 0 if
// it is another type's.
func integerBits(typeName node) uint8 {
	name := typeName.get("names").strings()
	if len(name) == 2 && name[0] == "pg_catalog" {
		name = name[1:]
	}
	if len(name) != 1 || typeName.get("arrayBounds").there() || typeName.is("setof") {
		return 0
	}
	switch name[0] {
	case "int2":
		return 16
	case "int4":
		return 32
	case "int8":
		return 64
	}
	return 0
}

// integers are functions of pg_catalog of which every overload returns an integer type.
var integers = []string{"count", "length", "char_length", "array_length", "cardinality", "nextval", "currval", "lastval"}

func allIntegral(list node) bool {
	for item := range list.children {
		if !integral(item.only()) {
			return false
		}
	}
	return true
}
