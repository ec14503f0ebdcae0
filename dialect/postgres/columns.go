package postgres

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed columns.txt
var columnsText string

// knownColumns is columns.txt: what the server's own schemas hold.
type knownColumns struct {
	// relations has the columns of pg_catalog's relations by their names, and of
	// information_schema's behind that schema's name and a dot.
	relations map[string]map[string]bool
	// outputs has the columns that a function with output parameters returns.
	outputs map[string][]string
	// operators has the names of pg_catalog's operators.
	operators map[string]bool
}

// systemColumns are columns of every table, which views do not have.
var systemColumns = []string{"tableoid", "ctid", "xmin", "xmax", "cmin", "cmax"}

// knownShapes reads columns.txt, once.
var knownShapes = sync.OnceValue(func() knownColumns {
	known := knownColumns{relations: map[string]map[string]bool{}, outputs: map[string][]string{}, operators: map[string]bool{}}
	section := ""
	for line := range strings.Lines(columnsText) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(strings.TrimSpace(line), "[]")
		case section == "operators":
			for _, name := range words {
				known.operators[name] = true
			}
		case section == "functions":
			known.outputs[words[0]] = words[1:]
		default:
			columns := map[string]bool{}
			names := words[1:]
			if section == "tables" {
				names = append(names, systemColumns...)
			}
			for _, name := range names {
				columns[name] = true
			}
			known.relations[words[0]] = columns
		}
	}
	return known
})
