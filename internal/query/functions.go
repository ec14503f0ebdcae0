package query

import (
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// A READ ONLY transaction does not keep a statement from these functions, and
// nothing in them counts as an effect for a limit: they read the server's files, run
// programs, or wait. Names that end in * are prefixes.
var (
	postgresReach = []string{"pg_read_*", "pg_ls_*", "pg_stat_file", "pg_logdir_ls", "pg_sleep*"}
	mysqlReach    = []string{"load_file", "sys_exec", "sys_eval", "sys_get", "sys_set",
		"master_pos_wait", "source_pos_wait", "master_gtid_wait", "wait_for_executed_gtid_set", "wait_until_sql_thread_after_gtids"}
)

// reaches reports why a statement is not run for the functions that it names.
func reaches(d rewrite.Dialect, st rewrite.Statement) *rewrite.RefusedError {
	called, err := dialect.Functions(d, st.Text)
	if err != nil {
		return &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + err.Error(), Hint: "correct or simplify the statement"}
	}
	list := mysqlReach
	if d.Name() == "postgres" {
		list = postgresReach
	}
	for _, name := range called {
		for _, entry := range list {
			if prefix, ok := strings.CutSuffix(entry, "*"); ok && strings.HasPrefix(name, prefix) || name == entry {
				return &rewrite.RefusedError{
					Message: "the statement is refused because it calls " + name + ", which reads the server's files, runs programs or only waits",
					Hint:    "leave the call out",
				}
			}
		}
	}
	return nil
}
