package postgres

import "strings"

// effects are functions whose evaluation for one row more or less can be observed
// afterwards, by name in any schema. Names that end in * are prefixes.
//
// Left out on purpose: functions that only take time (pg_sleep), that differ from
// call to call without leaving a trace (random, clock_timestamp), or whose trace
// does not grow with further calls (pg_current_xact_id). What a user's own
// function does is not known, and it is taken to have no effects.
var effects = []string{
	// sequences
	"nextval", "setval",
	// settings and random numbers of the session
	"set_config", "setseed",
	// locks
	"pg_advisory_*", "pg_try_advisory_*",
	// large objects and their read positions
	"lo_*", "loread", "lowrite",
	// other sessions and servers, and text that is run as SQL
	"pg_notify", "pg_cancel_backend", "pg_terminate_backend", "dblink*", "query_to_xml*", "cursor_to_xml*",
	"ts_stat", "ts_rewrite", "crosstab*", "connectby", "xpath_table",
	// replication, backup and the log
	"pg_logical_emit_message", "pg_logical_slot_get_*", "pg_replication_slot_advance", "pg_create_*",
	"pg_drop_replication_slot", "pg_copy_*", "pg_sync_replication_slots", "pg_replication_origin_*",
	"pg_export_snapshot", "pg_switch_wal", "pg_switch_xlog", "pg_backup_*", "pg_start_backup", "pg_stop_backup",
	"pg_promote", "pg_wal_replay_pause", "pg_wal_replay_resume", "pg_log_*",
	// statistics
	"pg_stat_reset*", "pg_stat_statements_reset", "pg_stat_force_next_flush", "pg_clear_*", "pg_restore_*",
	// the server's files and settings
	"pg_file_*", "pg_reload_conf", "pg_rotate_logfile", "pg_import_system_collations", "pg_extension_config_dump",
	"pg_nextoid", "binary_upgrade_*",
	// indexes and storage
	"brin_*", "gin_clean_pending_list", "pg_truncate_visibility_map", "heap_force_*", "pg_buffercache_evict*",
}

// hasEffects reports a call of a function with effects at n or anywhere below.
func hasEffects(n node) bool {
	for name := range n.called {
		if matches(name, effects) {
			return true
		}
	}
	return false
}

// matches reports that name is in list; entries that end in * are prefixes.
func matches(name string, list []string) bool {
	for _, entry := range list {
		if prefix, ok := strings.CutSuffix(entry, "*"); ok && strings.HasPrefix(name, prefix) || name == entry {
			return true
		}
	}
	return false
}
