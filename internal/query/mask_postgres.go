package query

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

func (p *postgres) catalog() catalog { return postgresCatalog{p} }

// postgresCatalog looks things up in a PostgreSQL session.
type postgresCatalog struct{ session *postgres }

const postgresObjects = `SELECT u.i, c.oid, n.nspname, c.relname, c.relkind IN ('v', 'm'), CASE WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid) END
FROM pg_catalog.json_array_elements_text($1::pg_catalog.json) WITH ORDINALITY AS u(name, i)
JOIN pg_catalog.pg_class c ON c.oid = pg_catalog.to_regclass(u.name) JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace ORDER BY u.i`

const postgresRelatives = `WITH RECURSIVE near(root, oid) AS (SELECT c.oid, c.oid FROM pg_catalog.pg_class c WHERE c.oid::pg_catalog.text IN (SELECT pg_catalog.json_array_elements_text($1::pg_catalog.json))
UNION SELECT near.root, e.b FROM near JOIN (SELECT inhrelid AS a, inhparent AS b FROM pg_catalog.pg_inherits UNION ALL SELECT inhparent, inhrelid FROM pg_catalog.pg_inherits) e ON e.a = near.oid)
SELECT near.root, n.nspname, c.relname FROM near JOIN pg_catalog.pg_class c ON c.oid = near.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE near.root <> near.oid`

// Columns that the login may not read are left out: to name them would be an error. A
// domain is given as the type it is made of, as it may forbid NULL.
const postgresColumns = `SELECT a.attrelid, a.attname, pg_catalog.format_type(CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END, NULL), CASE WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE a.attrelid::pg_catalog.text IN (SELECT pg_catalog.json_array_elements_text($1::pg_catalog.json)) AND a.attnum > 0 AND NOT a.attisdropped
AND pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') ORDER BY a.attrelid, a.attnum`

// A function of a row can be written like one of its columns: $3 are all names.
// Functions in C and of the server itself that never depend on a table are taken at
// their word. An aggregate's own mark says nothing of the function that it calls.
const postgresRoutines = `SELECT n.nspname, p.proname FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND NOT (l.lanname IN ('c', 'internal') AND p.provolatile = 'i' AND p.prokind = 'f')
AND (p.proname IN (SELECT pg_catalog.json_array_elements_text($1::pg_catalog.json))
 OR p.pronargs = 1 AND pg_catalog.lower(p.proname) IN (SELECT pg_catalog.json_array_elements_text($3::pg_catalog.json))
  AND EXISTS (SELECT FROM pg_catalog.pg_type t WHERE t.oid = p.proargtypes[0] AND t.typtype IN ('c', 'd', 'p'))
 OR EXISTS (SELECT FROM pg_catalog.pg_operator o WHERE o.oprcode = p.oid AND o.oprname IN (SELECT pg_catalog.json_array_elements_text($2::pg_catalog.json)))) ORDER BY 1, 2 LIMIT 100`

func (c postgresCatalog) objects(ctx context.Context, tables []rewrite.TableRead) ([]*object, error) {
	objects := make([]*object, len(tables))
	if len(tables) == 0 {
		return objects, nil
	}
	names := make([]string, len(tables))
	for i, t := range tables {
		names[i] = postgresName(t)
	}
	rows, err := asked(ctx, c.session, postgresObjects, list(names))
	if err != nil {
		return nil, err
	}
	byOID := map[string][]*object{}
	for _, row := range rows {
		i, err := strconv.Atoi(row[0].Text)
		if err != nil {
			return nil, err
		}
		o := &object{schema: row[2].Text, name: row[3].Text, view: row[4].Text == "t", definition: row[5].Text}
		objects[i-1] = o
		byOID[row[1].Text] = append(byOID[row[1].Text], o)
	}
	oids := make([]string, 0, len(byOID))
	for oid := range byOID {
		oids = append(oids, oid)
	}
	if rows, err = asked(ctx, c.session, postgresColumns, list(oids)); err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, o := range byOID[row[0].Text] {
			o.columns = append(o.columns, catalogColumn{name: row[1].Text, kind: row[2].Text, from: row[3].Text})
		}
	}
	if rows, err = asked(ctx, c.session, postgresRelatives, list(oids)); err != nil {
		return nil, err
	}
	for _, row := range rows {
		for _, o := range byOID[row[0].Text] {
			o.relatives = append(o.relatives, [2]string{row[1].Text, row[2].Text})
		}
	}
	return objects, nil
}

func (c postgresCatalog) routines(ctx context.Context, called []string, names map[string]bool) ([][2]string, error) {
	var operators, all []string
	for name := range names {
		all = append(all, name)
		if strings.Trim(name, `+-*/<>=~!@#%^&|`+"`?") == "" && name != "" {
			operators = append(operators, name)
		}
	}
	slices.Sort(operators)
	rows, err := asked(ctx, c.session, postgresRoutines, list(called), list(operators), list(all))
	if err != nil {
		return nil, err
	}
	found := make([][2]string, len(rows))
	for i, row := range rows {
		found[i] = [2]string{row[0].Text, row[1].Text}
	}
	return found, nil
}

// A unique key of a table holds for that table only: not for those that inherit from it,
// whose rows are read with it, except for partitions. One whose columns compare otherwise
// than in ORDER BY, by another collation or operators, may hold rows that are equal there.
const postgresKeys = `SELECT a.attname, a.attnotnull, i.indexrelid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])
AND NOT EXISTS (SELECT FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) k JOIN pg_catalog.pg_attribute b ON b.attrelid = i.indrelid AND b.attnum = i.indkey[k]
JOIN pg_catalog.pg_opclass o ON o.oid = i.indclass[k] WHERE b.attcollation <> i.indcollation[k] OR NOT o.opcdefault)
WHERE c.oid = pg_catalog.to_regclass($1) AND (c.relkind = 'p' OR c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid)) ORDER BY i.indexrelid, a.attnum`

func (c postgresCatalog) keys(ctx context.Context, table rewrite.TableRead) (keys [][]string, never []string, err error) {
	rows, err := asked(ctx, c.session, postgresKeys, Param{Text: postgresName(table)})
	if err != nil {
		return nil, nil, err
	}
	columns := make([]keyColumn, len(rows))
	for i, row := range rows {
		columns[i] = keyColumn{index: row[2].Text, name: row[0].Text, never: row[1].Text == "t"}
	}
	keys, never = keysOf(columns)
	return keys, never, nil
}

func postgresName(t rewrite.TableRead) string {
	name := `"` + strings.ReplaceAll(t.Name, `"`, `""`) + `"`
	if t.Schema != "" {
		name = `"` + strings.ReplaceAll(t.Schema, `"`, `""`) + `".` + name
	}
	return name
}

func (postgresCatalog) null(c catalogColumn) string { return "NULL::" + c.kind }

// list is a parameter with a list of texts.
func list(all []string) Param {
	if all == nil {
		all = []string{}
	}
	b, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts always have a form
	}
	return Param{Text: string(b)}
}
