package postgres

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed catalog.txt
var catalogText string

// yield is what a call of a function comes to.
type yield string

// The sections of catalog.txt.
const (
	yieldUnknown   yield = ""
	yieldAggregate yield = "aggregate"
	yieldWindow    yield = "window"
	yieldSet       yield = "set"
	yieldScalar    yield = "scalar"
)

type catalogNames struct {
	functions map[string]yield
	relations map[string]bool
}

// knownNames reads catalog.txt, once.
var knownNames = sync.OnceValue(func() catalogNames {
	names := catalogNames{functions: map[string]yield{}, relations: map[string]bool{}}
	section := ""
	for line := range strings.Lines(catalogText) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case section == "relation":
			for _, name := range strings.Fields(line) {
				names.relations[name] = true
			}
		default:
			for _, name := range strings.Fields(line) {
				names.functions[name] = yield(section)
			}
		}
	}
	return names
})

// functionYield returns what a call of a function yields. Only the server's own
// functions are known: those named without a schema or with pg_catalog. A
// user's function of the same name for types of its own is taken for the
// server's.
func functionYield(name []string) yield {
	switch {
	case len(name) == 1:
		return knownNames().functions[name[0]]
	case len(name) == 2 && name[0] == "pg_catalog":
		return knownNames().functions[name[1]]
	}
	return yieldUnknown
}
