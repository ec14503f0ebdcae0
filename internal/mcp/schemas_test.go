package mcp

import (
	"fmt"
	"testing"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// TestSchemasHaveSingleTypes walks through the schemas of all tools: each part has one
// type, or is one of several that have.
func TestSchemasHaveSingleTypes(t *testing.T) {
	var c Config
	for _, name := range []string{"one", "two"} {
		source, err := query.NewSource(query.Options{DSN: "postgres://nobody@127.0.0.1:1/none", Policy: rewrite.DefaultPolicy(), Timeout: query.DefaultTimeout, Sessions: 1})
		if err != nil {
			t.Fatal(err)
		}
		c.Sources = append(c.Sources, Source{Name: name, Database: source})
	}
	c.Execute = true
	tools := connectTo(t, c).tools
	parts := 0
	var walk func(where string, schema map[string]any)
	walk = func(where string, schema map[string]any) {
		parts++
		either, several := schema["anyOf"].([]any)
		if kind, one := schema["type"].(string); one == several {
			t.Errorf("%s has the type %v, and anyOf %v", where, schema["type"], either)
		} else if items, ok := schema["items"].(map[string]any); ok {
			walk(where+"[]", items)
		} else if kind == "array" {
			t.Errorf("%s does not say what it is a list of", where)
		}
		for i, s := range either {
			walk(fmt.Sprintf("%s|%d", where, i), s.(map[string]any))
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, s := range properties {
			walk(where+"."+name, s.(map[string]any))
		}
	}
	for name, tool := range tools {
		walk(name+" takes ", tool.InputSchema.(map[string]any))
		walk(name+" returns ", tool.OutputSchema.(map[string]any))
	}
	if len(tools) != 15 || parts < 500 {
		t.Errorf("%d tools with %d parts", len(tools), parts)
	}
}
