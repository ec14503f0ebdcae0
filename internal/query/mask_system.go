package query

import (
	"slices"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// What the servers themselves offer, where columns are masked: relations that tell of
// objects and settings may be read; others may hold values of rows (statistics,
// histograms, locks) or the text of other statements.

// isSystem reports a schema of the server's own.
func isSystem(d rewrite.Dialect, schema string) bool {
	schema = strings.ToLower(schema)
	if d.Name() == "postgres" {
		return schema == "information_schema" || strings.HasPrefix(schema, "pg_")
	}
	return slices.Contains([]string{"information_schema", "mysql", "performance_schema", "sys"}, schema)
}

// postgresTells and mysqlTells are the relations of pg_catalog and of MySQL's
// information_schema that tell of objects and settings only. Names that end in * are
// prefixes.
var (
	postgresTells = []string{"pg_aggregate", "pg_am*", "pg_attrdef", "pg_attribute", "pg_auth_members", "pg_available_*", "pg_cast", "pg_class", "pg_collation", "pg_constraint",
		"pg_conversion", "pg_database", "pg_depend", "pg_description", "pg_enum", "pg_event_trigger", "pg_extension", "pg_foreign_*", "pg_index", "pg_indexes", "pg_inherits",
		"pg_language", "pg_locks", "pg_matviews", "pg_namespace", "pg_op*", "pg_partitioned_table", "pg_policy", "pg_policies", "pg_proc", "pg_publication*", "pg_range", "pg_rewrite",
		"pg_roles", "pg_rules", "pg_sequence", "pg_sequences", "pg_settings", "pg_shdepend", "pg_shdescription", "pg_stat_all_*", "pg_stat_user_*", "pg_stat_sys_*", "pg_stat_database*",
		"pg_statio_*", "pg_tables", "pg_tablespace", "pg_timezone_*", "pg_transform", "pg_trigger", "pg_ts_*", "pg_type", "pg_views"}
	mysqlTells = []string{"all_plugins", "applicable_roles", "character_sets", "check_constraints", "collation*", "collations", "column_privileges", "columns", "columns_extensions",
		"enabled_roles", "engines", "events", "key_column_usage", "keywords", "parameters", "partitions", "plugins", "referential_constraints", "resource_groups", "role_*", "routines",
		"schema_privileges", "schemata", "schemata_extensions", "sql_functions", "st_*", "statistics", "system_variables", "table_constraints*", "table_privileges", "tables",
		"tables_extensions", "tablespaces*", "triggers", "user_privileges", "view_*", "views"}
)

// tellsNoRows reports a relation of the server's own that tells no values of rows.
func tellsNoRows(d rewrite.Dialect, schema, name string) bool {
	schema, name = strings.ToLower(schema), strings.ToLower(name)
	if d.Name() == "postgres" {
		return schema == "information_schema" || schema == "pg_catalog" && listed(postgresTells, name)
	}
	return schema == "information_schema" && listed(mysqlTells, name)
}

// runners are functions of PostgreSQL that run SQL which they are given as text, or
// that tell what others run or wrote.
var runners = []string{"query_to_*", "table_to_*", "schema_to_*", "database_to_*", "cursor_to_*", "ts_stat", "ts_rewrite", "pg_stat_get_activity", "pg_stat_get_backend_activity*",
	"pg_logical_*", "pg_cursor", "pg_prepared_statement", "pg_mcv_list_items", "lo_get", "loread", "pg_get_wal_*"}

// runsText reports such a function.
func runsText(d rewrite.Dialect, name string) bool {
	return d.Name() == "postgres" && listed(runners, strings.ToLower(name))
}

// listed reports that a name is in a list, in which * at the end stands for any rest.
func listed(all []string, name string) bool {
	for _, entry := range all {
		if prefix, ok := strings.CutSuffix(entry, "*"); ok && strings.HasPrefix(name, prefix) || name == entry {
			return true
		}
	}
	return false
}
