package postgres

import "strings"

// readings are the settings by which texts are read; see Dialect.With. SET NAMES and
// its like stand for client_encoding in the tree.
var readings = []string{"standard_conforming_strings", "client_encoding"}

// unsettles reports a statement that may change one of those settings: it says so,
// it calls set_config, or it runs what cannot be seen here.
func unsettles(stmt node) bool {
	switch stmt.key() {
	case "VariableSetStmt":
		name := strings.ToLower(stmt.get("name").str())
		return name == "" || name == readings[0] || name == readings[1] // RESET ALL has none
	case "DiscardStmt", "DoStmt", "CallStmt", "ExecuteStmt":
		return true
	case "ExplainStmt":
		return analyzes(stmt) && stmt.has("ExecuteStmt") || callsSetConfig(stmt)
	case "UpdateStmt":
		// The view pg_settings is written to by its rules.
		return stmt.get("relation", "relname").str() == "pg_settings" || callsSetConfig(stmt)
	}
	return callsSetConfig(stmt)
}

func callsSetConfig(n node) bool {
	for m := range n.below {
		if m.key() != "FuncCall" {
			continue
		}
		if name := m.get("funcname").strings(); len(name) > 0 && name[len(name)-1] == "set_config" {
			return true
		}
	}
	return false
}
