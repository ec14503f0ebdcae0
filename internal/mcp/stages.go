package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/rowcap/rowcap/internal/query"
)

// maxStages is the most queries that one call of query_nested may have.
const maxStages = 20

// stageArguments are the arguments of each query.
var stageArguments = []argument{
	{name: "name", kind: "string", required: true, min: 1, max: 60, help: "Name by which later queries read this one."},
	{name: "sql", kind: "string", required: true, min: 1, max: maxSQL, help: "One SELECT."},
	{name: "limit", kind: "integer", min: 1, max: MaxLimit, help: "Rows of this query at most; of the last one, rows returned."},
}

var queriesArgument = argument{name: "queries", kind: "queries", required: true, help: "The queries in order; the rows of the last one are returned."}

func queriesSchema(help string) map[string]any {
	return map[string]any{"type": "array", "description": help, "minItems": 1, "maxItems": maxStages, "items": schema(stageArguments)}
}

func (g *given) readQueries(a argument, value json.RawMessage) error {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil || len(list) == 0 || len(list) > maxStages {
		return fmt.Errorf("argument %q is %s: use a list of 1 to %d objects with name, sql and limit", a.name, short(value), maxStages)
	}
	for i, item := range list {
		if !bytes.HasPrefix(bytes.TrimSpace(item), []byte("{")) {
			return fmt.Errorf("query %d of %q is %s: use an object with name, sql and limit", i+1, a.name, short(item))
		}
		one, err := read(stageArguments, item)
		if err != nil {
			return fmt.Errorf("query %d of %q: %w", i+1, a.name, err)
		}
		g.stages = append(g.stages, query.Stage{Name: one.texts["name"], SQL: one.texts["sql"], Limit: one.numbers["limit"]})
	}
	return nil
}
