package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// describe fills in the facts about a statement from its tree.
func (d Dialect) describe(st *rewrite.Statement, stmt node) {
	d.describeKind(st, stmt)
	st.Unsettles = unsettles(stmt)
}

func (d Dialect) describeKind(st *rewrite.Statement, stmt node) {
	switch stmt.key() {
	case "SelectStmt":
		d.describeSelect(st, stmt)
	case "InsertStmt":
		describeWrite(st, stmt, rewrite.KindInsert)
	case "UpdateStmt":
		describeWrite(st, stmt, rewrite.KindUpdate)
	case "DeleteStmt":
		describeWrite(st, stmt, rewrite.KindDelete)
	case "MergeStmt":
		describeWrite(st, stmt, rewrite.KindMerge)
	case "CreateTableAsStmt":
		st.Kind, st.Writes = rewrite.KindSelectInto, true
		st.Prepared = stmt.get("query", "ExecuteStmt", "name").str()
	case "CopyStmt":
		describeCopy(st, stmt)
	case "ExplainStmt":
		st.Kind, st.ReturnsRows, st.Obstacle = rewrite.KindExplain, true, "EXPLAIN takes no limit"
		st.Writes = analyzes(stmt) && (writes(stmt) || stmt.has("CreateTableAsStmt"))
		if made := stmt.get("query", "CreateTableAsStmt"); made.there() && analyzes(stmt) {
			st.Prepared = made.get("query", "ExecuteStmt", "name").str()
		}
	case "VariableShowStmt":
		st.Kind, st.ReturnsRows, st.Obstacle = rewrite.KindShow, true, "SHOW takes no limit"
		st.Shows = stmt.get("name").str()
		st.AtMostOneRow = !strings.EqualFold(st.Shows, "all") // however it is quoted (GetPGVariable in guc_funcs.c)
	case "CallStmt":
		// A procedure answers with one row of its output parameters or none.
		// What it does is not known, so it counts as a write.
		st.Kind, st.ReturnsRows, st.Obstacle = rewrite.KindCall, true, "CALL takes no limit"
		st.Writes, st.AtMostOneRow = true, true
	case "PrepareStmt":
		st.Kind = rewrite.KindPrepare
		st.Prepared = stmt.get("name").str()
		inner := rewrite.Statement{}
		d.describe(&inner, stmt.get("query").only())
		st.Inner = &inner
	case "ExecuteStmt":
		st.Prepared = stmt.get("name").str()
		st.Kind, st.ReturnsRows, st.Obstacle = rewrite.KindExecute, true, "EXECUTE runs a statement that was prepared before"
	case "VariableSetStmt":
		st.Kind = rewrite.KindUtility
		switch stmt.get("kind").text() {
		case "VAR_SET_VALUE", "VAR_SET_CURRENT", "VAR_SET_DEFAULT", "VAR_RESET":
			st.Sets = stmt.get("name").str()
		}
	case "DeallocateStmt":
		st.Kind, st.Prepared = rewrite.KindUtility, stmt.get("name").str()
	case "DeclareCursorStmt":
		st.Kind = rewrite.KindDeclare
	case "FetchStmt":
		d.describeFetch(st, stmt)
	default:
		// PostgreSQL sends rows for no other statement (UtilityReturnsTuples
		// in src/backend/tcop/utility.c).
		st.Kind = rewrite.KindUtility
		st.Writes = stmt.key() == "DoStmt" || stmt.key() == "TruncateStmt"
	}
}

func (d Dialect) describeSelect(st *rewrite.Statement, sel node) {
	st.Writes = writes(sel)
	if first := leftmost(sel); first.get("intoClause").there() {
		st.Kind, st.Writes = rewrite.KindSelectInto, true
		return
	}
	st.Kind, st.ReturnsRows = rewrite.KindSelect, true
	st.Limit = readLimit(sel)
	st.Locks = sel.has("LockingClause")
	st.Volatile = hasEffects(sel)
	st.Ordered = sel.get("sortClause").there()
	st.Grouped = sel.get("groupClause").there()
	st.AtMostOneRow = atMostOneRow(sel, st.Limit)
	st.CatalogOnly = !st.Writes && !st.Volatile && catalogOnly(sel)
	st.Obstacle = d.obstacle()
	st.Limitable = st.Obstacle == ""
}

func describeWrite(st *rewrite.Statement, stmt node, k rewrite.Kind) {
	st.Kind, st.Writes = k, true
	if stmt.get("returningList").there() || stmt.get("returningClause").there() {
		st.ReturnsRows, st.Obstacle = true, "RETURNING takes no limit"
	}
}

// leftmost returns the first SELECT of a set operation, where its INTO stands.
func leftmost(sel node) node {
	for sel.get("larg").there() {
		sel = sel.get("larg")
	}
	return sel
}

// writes reports a data-modifying statement at n or in a WITH clause below it.
func writes(n node) bool {
	for m := range n.below {
		switch m.key() {
		case "InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt":
			return true
		}
	}
	return false
}

// analyzes reports an EXPLAIN that runs its statement.
func analyzes(explain node) bool {
	on := false
	for option := range explain.get("options").children {
		def := option.get("DefElem")
		if def.get("defname").str() != "analyze" {
			continue
		}
		arg := def.get("arg")
		on = !arg.there() || isTrue(arg)
	}
	return on
}

// isTrue reads an option's value as defGetBoolean does (src/backend/commands/define.c);
// what it would refuse counts as true.
func isTrue(arg node) bool {
	if number := arg.get("Integer"); number.there() {
		return number.get("ival").int() != 0
	}
	switch arg.get("String", "sval").str() {
	case "false", "off":
		return false
	}
	return !arg.get("Boolean").there() || arg.get("Boolean").is("boolval")
}
