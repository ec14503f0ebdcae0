package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
)

// argument declares one argument of a tool: its schema and its checks are made of
// the same facts.
type argument struct {
	name string
	// kind is string, integer, boolean, params or queries.
	kind     string
	help     string
	required bool
	min, max uint64   // of an integer, and of the characters of a string if max is not 0
	enum     []string // of a string
}

// schema returns the JSON schema of a tool's arguments.
func schema(arguments []argument) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, a := range arguments {
		p := map[string]any{"type": a.kind, "description": a.help}
		switch a.kind {
		case "integer":
			p["minimum"], p["maximum"] = a.min, a.max
		case "string":
			if a.enum != nil {
				p["enum"] = a.enum
			}
			if a.min > 0 {
				p["minLength"] = a.min
			}
			if a.max > 0 {
				p["maxLength"] = a.max
			}
		case "params":
			p["type"], p["items"], p["maxItems"] = "array", either("string", "number", "boolean", "null"), maxParams
		}
		if a.kind == "queries" {
			p = queriesSchema(a.help)
		}
		properties[a.name] = p
		if a.required {
			required = append(required, a.name)
		}
	}
	s := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		s["required"] = required
	}
	return s
}

// either is the schema of a value of one of several types. A list of types would say the
// same, but some clients take one type only.
func either(types ...string) map[string]any {
	all := make([]any, len(types))
	for i, t := range types {
		all[i] = map[string]any{"type": t}
	}
	return map[string]any{"anyOf": all}
}

// maxParams is the most values that a statement can be given.
const maxParams = 1000

// given are the arguments of one call, by name.
type given struct {
	texts   map[string]string
	numbers map[string]uint64
	flags   map[string]bool
	params  []query.Param
	stages  []query.Stage
}

// read checks the arguments of a call. The error names the argument and says what
// it can be.
func read(arguments []argument, raw json.RawMessage) (given, error) {
	g := given{texts: map[string]string{}, numbers: map[string]uint64{}, flags: map[string]bool{}}
	values := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &values); err != nil {
			return g, fmt.Errorf("the arguments are no JSON object: %w", err)
		}
	}
	for name := range values {
		if !slices.ContainsFunc(arguments, func(a argument) bool { return a.name == name }) {
			return g, fmt.Errorf("argument %q is not known: use %s", name, names(arguments))
		}
	}
	for _, a := range arguments {
		value, ok := values[a.name]
		if !ok || string(value) == "null" {
			if a.required {
				return g, fmt.Errorf("argument %q is missing: %s", a.name, a.help)
			}
			continue
		}
		if err := g.read(a, value); err != nil {
			return g, err
		}
	}
	return g, nil
}

func names(arguments []argument) string {
	all := make([]string, len(arguments))
	for i, a := range arguments {
		all[i] = a.name
	}
	return strings.Join(all, ", ")
}

func (g *given) read(a argument, value json.RawMessage) error {
	switch a.kind {
	case "integer":
		n, err := strconv.ParseUint(string(value), 10, 64)
		if err != nil || n < a.min || n > a.max {
			return fmt.Errorf("argument %q is %s: use a whole number from %d to %d, or leave it out", a.name, short(value), a.min, a.max)
		}
		g.numbers[a.name] = n
	case "boolean":
		b := string(value) == "true"
		if !b && string(value) != "false" {
			return fmt.Errorf("argument %q is %s: use true or false", a.name, short(value))
		}
		g.flags[a.name] = b
	case "params":
		return g.readParams(a, value)
	case "queries":
		return g.readQueries(a, value)
	default:
		var s string
		if err := json.Unmarshal(value, &s); err != nil {
			return fmt.Errorf("argument %q is %s: use a string", a.name, short(value))
		}
		if a.enum != nil && !slices.Contains(a.enum, s) {
			return fmt.Errorf("argument %q is %q: use one of %s", a.name, s, strings.Join(a.enum, ", "))
		}
		if n := uint64(len([]rune(s))); n < a.min || a.max > 0 && n > a.max {
			return fmt.Errorf("argument %q has %d characters: use %d to %d", a.name, n, a.min, a.max)
		}
		g.texts[a.name] = s
	}
	return nil
}

// readParams reads a list of values. Numbers keep their digits.
func (g *given) readParams(a argument, value json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var list []any
	if err := d.Decode(&list); err != nil || len(list) > maxParams {
		return fmt.Errorf("argument %q is %s: use a list of at most %d strings, numbers, booleans and nulls", a.name, short(value), maxParams)
	}
	g.params = make([]query.Param, len(list))
	for i, v := range list {
		switch v := v.(type) {
		case nil:
			g.params[i].Null = true
		case string:
			g.params[i].Text = v
		case json.Number:
			g.params[i] = query.Param{Text: v.String(), Number: true}
		case bool:
			g.params[i].Text = strconv.FormatBool(v)
		default:
			return fmt.Errorf("argument %q holds a list or an object: use strings, numbers, booleans and nulls", a.name)
		}
	}
	return nil
}

// short is a value for an error message.
func short(value json.RawMessage) string {
	if r := []rune(string(value)); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return string(value)
}
