package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

// list is a tool that lists objects of the database.
type list struct {
	name, title, what string
	// schema reports that the objects are in schemas.
	schema bool
	// postgres and mysql are the queries, whose last condition is left open for
	// schema and name; mysql is empty where there are no such objects.
	postgres, mysql catalogue
}

// catalogue is a query for objects; its order is total.
type catalogue struct {
	sql string
	// schema and name are the expressions that the arguments are compared with.
	schema, name string
	// system excludes the system's own schemas where no schema is given.
	system string
	// here restricts to the current schema where no schema is given (MySQL).
	here  string
	order string
}

var (
	schemaArgument = argument{name: "schema", kind: "string", min: 1, max: 256, help: "Schema (on MySQL and MariaDB: database). Default: all but the system's own (MySQL and MariaDB: the current database)."}
	likeArgument   = argument{name: "like", kind: "string", min: 1, max: 256, help: "Only names that match this pattern of LIKE, as %order%."}
)

const (
	notSystem   = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_toast%' AND n.nspname NOT LIKE 'pg\_temp\_%'`
	mysqlSystem = `('information_schema', 'mysql', 'performance_schema', 'sys')`
)

func pgRelations(kinds string) catalogue {
	return catalogue{
		sql: `SELECT n.nspname AS schema, c.relname AS name, CASE WHEN c.reltuples >= 0 AND c.relkind <> 'v' THEN c.reltuples::bigint END AS row_estimate, obj_description(c.oid, 'pg_class') AS comment
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN (` + kinds + `)`,
		schema: "n.nspname", name: "c.relname", system: notSystem, order: "1, 2"}
}

func pgRoutines(kind string) catalogue {
	return catalogue{
		sql: `SELECT n.nspname AS schema, p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS returns, l.lanname AS language, obj_description(p.oid, 'pg_proc') AS comment
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang WHERE p.prokind IN (` + kind + `)`,
		schema: "n.nspname", name: "p.proname", system: notSystem, order: "1, 2, 3"}
}

func mysqlTables(kind string) catalogue {
	return catalogue{
		sql:    "SELECT table_schema AS `schema`, table_name AS `name`, table_rows AS row_estimate, table_comment AS `comment` FROM information_schema.tables WHERE table_type " + kind,
		schema: "table_schema", name: "table_name", here: "DATABASE()", order: "1, 2"}
}

func mysqlRoutines(kind string) catalogue {
	return catalogue{
		sql:    "SELECT routine_schema AS `schema`, routine_name AS `name`, dtd_identifier AS `returns`, routine_comment AS `comment` FROM information_schema.routines WHERE routine_type = '" + kind + "'",
		schema: "routine_schema", name: "routine_name", here: "DATABASE()", order: "1, 2"}
}

func lists() []list {
	return []list{
		{name: "list_databases", title: "List databases", what: "the databases of the server; templates and the system's own are left out",
			postgres: catalogue{sql: "SELECT datname AS name, pg_encoding_to_char(encoding) AS encoding, shobj_description(oid, 'pg_database') AS comment FROM pg_catalog.pg_database WHERE NOT datistemplate", name: "datname", order: "1"},
			mysql:    catalogue{sql: "SELECT schema_name AS `name`, default_character_set_name AS encoding FROM information_schema.schemata WHERE schema_name NOT IN " + mysqlSystem, name: "schema_name", order: "1"}},
		{name: "list_schemas", title: "List schemas", what: "the schemas of the database (MySQL and MariaDB: the databases); the system's own are left out",
			postgres: catalogue{sql: "SELECT n.nspname AS name, pg_get_userbyid(n.nspowner) AS owner, obj_description(n.oid, 'pg_namespace') AS comment FROM pg_catalog.pg_namespace n WHERE " + notSystem, name: "n.nspname", order: "1"},
			mysql:    catalogue{sql: "SELECT schema_name AS `name`, default_character_set_name AS encoding FROM information_schema.schemata WHERE schema_name NOT IN " + mysqlSystem, name: "schema_name", order: "1"}},
		{name: "list_tables", title: "List tables", what: "tables, with the number of rows as the server estimates it (row_estimate; null if it has no estimate)", schema: true,
			postgres: pgRelations("'r', 'p', 'f'"), mysql: mysqlTables("IN ('BASE TABLE', 'SYSTEM VERSIONED')")},
		{name: "list_views", title: "List views", what: "views", schema: true,
			postgres: pgRelations("'v'"), mysql: mysqlTables("IN ('VIEW', 'SYSTEM VIEW')")},
		{name: "list_materialized_views", title: "List materialized views", what: "materialized views; MySQL and MariaDB have none", schema: true,
			postgres: pgRelations("'m'"), mysql: mysqlTables("= 'MATERIALIZED VIEW'")},
		{name: "list_functions", title: "List functions", what: "functions", schema: true,
			postgres: pgRoutines("'f', 'a', 'w'"), mysql: mysqlRoutines("FUNCTION")},
		{name: "list_procedures", title: "List procedures", what: "procedures", schema: true,
			postgres: pgRoutines("'p'"), mysql: mysqlRoutines("PROCEDURE")},
		{name: "list_triggers", title: "List triggers", what: "triggers", schema: true,
			postgres: catalogue{
				sql: `SELECT n.nspname AS schema, c.relname AS "table", t.tgname AS name, pg_get_triggerdef(t.oid) AS definition
FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal`,
				schema: "n.nspname", name: "t.tgname", system: notSystem, order: "1, 2, 3"},
			mysql: catalogue{
				sql:    "SELECT trigger_schema AS `schema`, event_object_table AS `table`, trigger_name AS `name`, action_timing AS timing, event_manipulation AS event, action_statement AS definition FROM information_schema.triggers WHERE 1 = 1",
				schema: "trigger_schema", name: "trigger_name", here: "DATABASE()", order: "1, 2, 3"}},
	}
}

func (c Config) addLists(server *sdk.Server) {
	for _, l := range lists() {
		arguments := []argument{likeArgument, c.limitArgument(), cursorArgument, formatArgument}
		if l.schema {
			arguments = append([]argument{schemaArgument}, arguments...)
		}
		t := tool(l.name, l.title, "Lists "+l.what+". "+c.limits()+" When hasMore is true the list is not whole: read on with cursor, or narrow it with like.", envelopeSchema())
		c.offer(server, t, arguments, func(ctx context.Context, g call) (*sdk.CallToolResult, error) {
			dialect, err := g.source.Database.Dialect(ctx)
			if err != nil {
				return nil, err
			}
			return c.answer(ctx, l.name, g, l.request(dialect, g.given), render.Options{})
		})
	}
}

// request is the query for the objects that a call asks for.
func (l list) request(dialect string, g given) query.Request {
	from, marker := l.mysql, func(int) string { return "?" }
	if dialect == "postgres" {
		from, marker = l.postgres, func(n int) string { return fmt.Sprintf("$%d", n) }
	}
	q := query.Request{TotalOrder: true, Own: true}
	var b strings.Builder
	b.WriteString(from.sql)
	compare := func(expression, operator, value string) {
		q.Params = append(q.Params, query.Param{Text: value})
		fmt.Fprintf(&b, " AND %s %s %s", expression, operator, marker(len(q.Params)))
	}
	switch schema, given := g.texts["schema"]; {
	case given:
		compare(from.schema, "=", schema)
	case from.here != "":
		fmt.Fprintf(&b, " AND %s = %s", from.schema, from.here)
	case from.system != "":
		b.WriteString(" AND " + from.system)
	}
	if like, ok := g.texts["like"]; ok {
		compare(from.name, "LIKE", like)
	}
	b.WriteString(" ORDER BY " + from.order)
	q.SQL = b.String()
	return q
}
