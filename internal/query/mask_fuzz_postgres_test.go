//go:build cgo

package query

import (
	"encoding/json"
	"strings"
	"testing"

	pg_query "github.com/pganalyze/pg_query_go/v6"
)

// FuzzMaskPostgres holds what maskFuzz says for PostgreSQL, by the tree of its own parser.
func FuzzMaskPostgres(f *testing.F) {
	maskFuzz{dialect: "postgres", nothing: "NULL::text", seeds: postgresAttacks, flowOf: postgresFlow}.fuzz(f)
}

func postgresFlow(t *testing.T, text string) (flow, bool) {
	out, err := pg_query.ParseToJSON(text)
	if err != nil {
		return flow{}, false
	}
	var tree any
	if err := json.Unmarshal([]byte(out), &tree); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v := flow{names: map[string]bool{}, alone: map[string]bool{}}
	v.walk(tree)
	for _, name := range v.called {
		v.stars = v.stars || v.alone[name]
	}
	return v, true
}

// node returns what a node of a kind has, nil for one of another kind.
func node(v any, kind string) map[string]any {
	m, _ := v.(map[string]any)
	inside, _ := m[kind].(map[string]any)
	return inside
}

func (v *flow) walk(at any) {
	switch at := at.(type) {
	case []any:
		for _, x := range at {
			v.walk(x)
		}
	case map[string]any:
		if s := node(at, "SelectStmt"); s != nil && shutSelect(s) {
			return
		}
		if r := node(at, "RangeVar"); r != nil {
			v.table(r)
		}
		if r := node(at, "ColumnRef"); r != nil {
			fields, _ := r["fields"].([]any)
			for _, field := range fields {
				v.stars = v.stars || node(field, "A_Star") != nil
				if name, ok := node(field, "String")["sval"].(string); ok {
					v.names[strings.ToLower(name)] = true
					v.alone[strings.ToLower(name)] = v.alone[strings.ToLower(name)] || len(fields) == 1
				}
			}
		}
		for _, x := range at {
			v.walk(x)
		}
	}
}

// table notes a table that is read. A name for its columns, or for the table, may stand
// for a whole row.
func (v *flow) table(r map[string]any) {
	name, _ := r["relname"].(string)
	schema, _ := r["schemaname"].(string)
	if columns := modelTables[name]; columns != nil && isMasked(columns[len(columns)-1]) && (schema == "" || schema == "shop") {
		v.open = append(v.open, name)
		alias, _ := r["alias"].(map[string]any)
		v.stars = v.stars || alias["colnames"] != nil
		called, ok := alias["aliasname"].(string)
		if !ok {
			called = name
		}
		v.called = append(v.called, strings.ToLower(called))
	}
}

// shutSelect reports a query that shows a masked table's columns, with NULL for those that
// are masked, and does nothing else.
func shutSelect(s map[string]any) bool {
	for part := range s {
		switch part {
		case "targetList", "fromClause", "limitOption", "op":
		default:
			return false
		}
	}
	from, _ := s["fromClause"].([]any)
	items, _ := s["targetList"].([]any)
	if len(from) != 1 {
		return false
	}
	name, _ := node(from[0], "RangeVar")["relname"].(string)
	if columns := modelTables[name]; len(columns) == 0 || len(columns) != len(items) {
		return false
	}
	for i, item := range items {
		target := node(item, "ResTarget")
		column := modelTables[name][i]
		if isMasked(column) {
			null, _ := node(node(target["val"], "TypeCast")["arg"], "A_Const")["isnull"].(bool)
			if !null || target["name"] != strings.ToLower(column) {
				return false
			}
			continue
		}
		fields, _ := node(target["val"], "ColumnRef")["fields"].([]any)
		if target["name"] != nil || len(fields) != 1 || node(fields[0], "String")["sval"] != column {
			return false
		}
	}
	return true
}
