package postgres

import "github.com/rowcap/rowcap/rewrite"

// describeCopy fills in the facts about a COPY. One to the client of a query or a
// table sends rows.
func describeCopy(st *rewrite.Statement, stmt node) {
	st.Kind = rewrite.KindCopy
	st.Writes = stmt.is("is_from") || writes(stmt)
	if stmt.is("is_from") || stmt.is("is_program") || stmt.get("filename").there() {
		return
	}
	st.ReturnsRows, st.Obstacle = true, "COPY sends its rows outside the row protocol"
	if sel := stmt.get("query", "SelectStmt"); sel.there() {
		st.Limit = readLimit(sel)
		st.Locks, st.Volatile = sel.has("LockingClause"), hasEffects(sel)
	}
	for option := range stmt.get("options").children {
		if def := option.get("DefElem"); def.get("defname").str() == "header" {
			arg := def.get("arg")
			st.Header = !arg.there() || isTrue(arg) && !filled(arg)
		}
	}
}
