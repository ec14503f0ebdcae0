package corpus

import (
	"slices"
	"strings"
	"testing"
)

// The samples are what an ordinary test run takes: some files of each kind that are
// done soon, and those in which something was found once.

var postgresSample = []string{"strings", "limit", "select", "select_distinct", "select_having", "select_into", "case", "tsrf", "portals", "subselect"}

var mysqlSample = []string{
	"t/limit.test", "t/locking_clause.test", "t/olap.test", "t/distinct.test", "t/qualify.test", "t/with_non_recursive.test", "t/null.test",
	// Found: columns that the server describes otherwise where it cuts the rows.
	"t/trigger_multiple.test", "suite/funcs_1/t/is_schemata_is_mysql_test.test", "suite/engines/funcs/t/db_alter_character_set.test",
	// Found: rows that the order does not tell apart, under a limit of their own.
	"t/innodb_pk_extension_hypergraph.test", "suite/innodb_fts/t/opt.test",
	// Found: statements that answer with the passwords that they make.
	"t/validate_password_component_random_password.test",
}

var mariadbSample = []string{
	"main/limit.test", "main/locking_clause.test", "main/olap.test", "main/derived.test", "main/table_value_constr.test", "main/distinct.test",
	// Found: ties behind an OFFSET.
	"main/fetch_first.test",
}

// chosen reports a file that this run takes.
func chosen(file string, sample []string) bool {
	switch {
	case *only != "":
		return slices.ContainsFunc(strings.Split(*only, ","), func(part string) bool { return strings.Contains(file, part) })
	case *all:
		return true
	}
	return slices.Contains(sample, file)
}

// enough fails where the suite has no file of the name that was asked for, or not
// the sample's: another version of it has them under other names.
func enough(t *testing.T, files, sample []string) {
	t.Helper()
	for _, file := range sample {
		if *only == "" && !slices.Contains(files, file) {
			t.Errorf("the suite has no file %s", file)
		}
	}
	if len(files) == 0 {
		t.Fatal("the suite has no such files")
	}
}
