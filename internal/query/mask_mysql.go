package query

import (
	"context"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

func (s *mysqlSession) catalog() catalog { return mysqlCatalog{s} }

// mysqlCatalog looks things up in a MySQL or MariaDB session.
type mysqlCatalog struct{ session *mysqlSession }

const (
	mysqlObjects = "SELECT t.table_schema, t.table_name, t.table_type, v.view_definition FROM information_schema.tables t LEFT JOIN information_schema.views v ON v.table_schema = t.table_schema AND v.table_name = t.table_name WHERE "
	mysqlColumns = "SELECT column_name, data_type, generation_expression, extra FROM information_schema.columns WHERE table_schema = ? AND table_name = ? ORDER BY ordinal_position"
)

func (c mysqlCatalog) objects(ctx context.Context, tables []rewrite.TableRead) ([]*object, error) {
	objects := make([]*object, len(tables))
	for i, t := range tables {
		schema := t.Schema
		if schema == "" {
			schema = c.session.settings.database
		}
		rows, err := asked(ctx, c.session, mysqlObjects+"LOWER(t.table_schema) = LOWER(?) AND LOWER(t.table_name) = LOWER(?)", Param{Text: schema}, Param{Text: t.Name})
		if err != nil {
			return nil, err
		}
		row, ok := exact(rows, schema, t.Name)
		if !ok {
			continue
		}
		o := &object{schema: row[0].Text, name: row[1].Text, view: strings.HasSuffix(row[2].Text, "VIEW"), definition: row[3].Text}
		objects[i] = o
		columns, err := asked(ctx, c.session, mysqlColumns, Param{Text: o.schema}, Param{Text: o.name})
		if err != nil {
			return nil, err
		}
		for _, column := range columns {
			if strings.Contains(strings.ToUpper(column[3].Text), "INVISIBLE") {
				continue // a star does not show it, and so it is not to be read at all
			}
			o.columns = append(o.columns, catalogColumn{name: column[0].Text, kind: column[1].Text, from: column[2].Text})
		}
	}
	return objects, nil
}

// exact returns the row of the name as it is written, or else the only one there is:
// whether case matters depends on the server.
func exact(rows [][]Value, schema, name string) ([]Value, bool) {
	for _, row := range rows {
		if row[0].Text == schema && row[1].Text == name {
			return row, true
		}
	}
	if len(rows) > 0 {
		return rows[0], true
	}
	return nil, false
}

func (c mysqlCatalog) routines(ctx context.Context, called []string, _ map[string]bool) ([][2]string, error) {
	if len(called) == 0 {
		return nil, nil
	}
	params := make([]Param, len(called))
	for i, name := range called {
		params[i].Text = name
	}
	rows, err := asked(ctx, c.session, "SELECT routine_schema, routine_name FROM information_schema.routines WHERE LOWER(routine_name) IN (?"+strings.Repeat(", ?", len(called)-1)+") LIMIT 100", params...)
	if err != nil {
		return nil, err
	}
	var found [][2]string
	for _, row := range rows {
		found = append(found, [2]string{row[0].Text, row[1].Text})
	}
	return found, nil
}

const mysqlKeys = "SELECT c.column_name, c.is_nullable, s.index_name FROM information_schema.columns c JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE' AND t.engine <> 'MRG_MYISAM'\n" +
	"LEFT JOIN information_schema.statistics s ON s.table_schema = c.table_schema AND s.table_name = c.table_name AND s.column_name = c.column_name AND s.non_unique = 0 WHERE c.table_schema = ? AND c.table_name = ?"

// A key over a part of a column, or over an expression, is unique for something else.
const mysqlPartialKeys = "SELECT DISTINCT index_name FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND (sub_part IS NOT NULL OR column_name IS NULL)"

func (c mysqlCatalog) keys(ctx context.Context, table rewrite.TableRead) (keys [][]string, never []string, err error) {
	if table.Schema == "" {
		table.Schema = c.session.settings.database
	}
	params := []Param{{Text: table.Schema}, {Text: table.Name}}
	partial, err := asked(ctx, c.session, mysqlPartialKeys, params...)
	if err != nil {
		return nil, nil, err
	}
	rows, err := asked(ctx, c.session, mysqlKeys, params...)
	if err != nil {
		return nil, nil, err
	}
	columns := make([]keyColumn, len(rows))
	for i, row := range rows {
		columns[i] = keyColumn{index: row[2].Text, name: row[0].Text, never: row[1].Text == "NO"}
		for _, p := range partial {
			if p[0].Text == row[2].Text {
				columns[i].index = ""
			}
		}
	}
	keys, never = keysOf(columns)
	return keys, never, nil
}

func (mysqlCatalog) null(catalogColumn) string { return "NULL" }
