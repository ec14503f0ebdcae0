package postgres

import (
	"context"
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/internal/dbtest"
)

var updateColumns = flag.Bool("update-columns", false, "write columns.txt from PostgreSQL 15 to 18")

// columnsQuery lists section, name and one column of it; for operators, the name.
const columnsQuery = `
SELECT CASE c.relkind WHEN 'r' THEN 'tables' ELSE 'views' END,
       CASE n.nspname WHEN 'information_schema' THEN 'information_schema.' ELSE '' END || c.relname, a.attname
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
UNION
SELECT 'functions', CASE n.nspname WHEN 'information_schema' THEN 'information_schema.' ELSE '' END || p.proname, o.name
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, unnest(p.proargnames, p.proargmodes) AS o(name, mode)
WHERE n.nspname IN ('pg_catalog', 'information_schema') AND o.mode IN ('o', 'b', 't') AND p.prokind = 'f'
  AND (SELECT count(*) FROM unnest(p.proargmodes) AS m WHERE m IN ('o', 'b', 't')) > 1
UNION
SELECT 'operators', o.oprname, '' FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE n.nspname = 'pg_catalog'`

// section is a part of columns.txt: names, and the columns of each.
type section map[string]map[string]bool

// serverColumns returns what columns.txt is to hold for one version at least.
func serverColumns(t *testing.T, major int) map[string]section {
	server := dbtest.PostgresVersion(t, major)
	c, err := pgconn.Connect(context.Background(), server.DSN(server.Database(t)))
	must(t, err)
	defer c.Close(context.Background())
	results, err := c.Exec(context.Background(), columnsQuery).ReadAll()
	must(t, err)
	found := map[string]section{}
	for _, row := range results[0].Rows {
		kind, name, column := string(row[0]), string(row[1]), string(row[2])
		if found[kind] == nil {
			found[kind] = section{}
		}
		if found[kind][name] == nil {
			found[kind][name] = map[string]bool{}
		}
		if column != "" {
			found[kind][name][column] = true
		}
	}
	return found
}

// TestColumns holds columns.txt to every server: each column, function and operator of
// its own schemas is there, and, over all versions, nothing else.
func TestColumns(t *testing.T) {
	all := map[string]section{"tables": {}, "views": {}, "functions": {}, "operators": {}}
	seen := 0
	for major := 15; major <= 18; major++ {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			found := serverColumns(t, major)
			seen++
			for kind, names := range found {
				for name, columns := range names {
					if all[kind][name] == nil {
						all[kind][name] = map[string]bool{}
					}
					maps.Copy(all[kind][name], columns)
				}
			}
			if *updateColumns {
				return
			}
			for kind, names := range found {
				for name, columns := range names {
					if !holds(kind, name, columns) {
						t.Errorf("%s %s %v is not in columns.txt: run go test -run TestColumns -update-columns", kind, name, slices.Sorted(maps.Keys(columns)))
					}
				}
			}
		})
	}
	if seen < 4 {
		return // each of the versions that are not there has said so
	}
	text := columnsFile(all)
	if *updateColumns {
		must(t, os.WriteFile("columns.txt", []byte(text), 0o644))
	} else if text != columnsText {
		t.Error("columns.txt holds something that no version has: run go test -run TestColumns -update-columns")
	}
}

func holds(kind, name string, columns map[string]bool) bool {
	known := knownShapes()
	for column := range columns {
		switch kind {
		case "functions":
			if !slices.Contains(known.outputs[name], column) {
				return false
			}
		case "tables", "views":
			if !known.relations[name][column] {
				return false
			}
		}
	}
	return kind != "operators" || known.operators[name]
}

func columnsFile(all map[string]section) string {
	var b strings.Builder
	b.WriteString("# What the schemas pg_catalog and information_schema hold in PostgreSQL 15 to 18, any of\n" +
		"# them: the columns of tables and of views, what functions with several output\n" +
		"# parameters return, and the names of operators. Written by TestColumns.\n")
	for _, kind := range []string{"tables", "views", "functions", "operators"} {
		b.WriteString("\n[" + kind + "]\n")
		for _, name := range slices.Sorted(maps.Keys(all[kind])) {
			b.WriteString(strings.Join(append([]string{name}, slices.Sorted(maps.Keys(all[kind][name]))...), " ") + "\n")
		}
	}
	return b.String()
}
