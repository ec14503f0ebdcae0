package mcp

// envelopeSchema is the schema of structuredContent: the facts before the rows.
func envelopeSchema() map[string]any {
	typed := func(kind, help string) map[string]any { return map[string]any{"type": kind, "description": help} }
	orNull := func(kind, help string) map[string]any {
		s := either(kind, "null")
		s["description"] = help
		return s
	}
	text := map[string]any{"type": "string"}
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"rowCount":       typed("integer", "Rows in data."),
			"hasMore":        orNull("boolean", "Whether rows are missing after these; null if that is not known."),
			"completeness":   map[string]any{"anyOf": []any{map[string]any{"type": "string", "enum": []string{"complete", "truncated", "unknown"}}, map[string]any{"type": "null"}}, "description": "The same in a word; null for a dry run."},
			"limit":          orNull("integer", "The cap on rows, null if there is none."),
			"limitSource":    map[string]any{"type": "string", "enum": []string{"none", "user_sql", "tool_param", "default", "capped", "session"}, "description": "Whose cap it is."},
			"effectiveLimit": orNull("integer", "The most rows that this page could hold."),
			"offset":         typed("integer", "Rows skipped by offset or cursor."),
			"nextCursor":     typed("string", "Give it as cursor, with the same arguments, for the next rows."),
			"truncated":      typed("boolean", "True if rows or long values were cut for their size."),
			"rowsOmitted":    typed("integer", "Rows left out for the size of the response."),
			"rowsAffected":   typed("integer", "Rows that the statement changed; only of execute."),
			"total": map[string]any{"type": "object", "description": "The number of rows without a cap, if count was given.", "required": []string{"value", "kind"},
				"properties": map[string]any{"value": orNull("integer", "The number."), "kind": map[string]any{"type": "string", "enum": []string{"exact", "at_least", "estimate", "unknown"}}}},
			"paginationHint": text, "hint": text, "sql": typed("string", "The SQL that was sent, or would be."), "dataNotice": text,
			"columns": map[string]any{"type": "array", "items": map[string]any{"type": "object", "required": []string{"name", "type"}, "properties": map[string]any{"name": text, "type": text, "masked": typed("boolean", "True if the operator masks the column.")}}},
			"data": map[string]any{"type": "array", "description": "Rows in the order of columns. Numbers that a double cannot hold are strings.",
				"items": map[string]any{"type": "array", "items": either("string", "number", "boolean", "null")}},
			"warnings": map[string]any{"type": "array", "items": map[string]any{"type": "object", "required": []string{"kind", "message"},
				"properties": map[string]any{"kind": text, "message": text, "level": text, "code": text, "detail": text, "hint": text}}},
		},
		"required": []string{"rowCount", "hasMore", "completeness", "limit", "limitSource", "effectiveLimit", "offset", "columns", "data", "warnings"},
	}
}
