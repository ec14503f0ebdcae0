package corpus

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skippedSuites are of other servers, of several servers, or of what takes hours.
var skippedSuites = []string{"rpl", "binlog", "galera", "wsrep", "group_replication", "ndb", "x", "router", "clone", "thread_pool", "mariabackup",
	"encryption", "component_", "auth_sec", "multi_source", "atomic", "stress", "large_tests", "funcs_2", "network_namespace",
	"s3", "innodb_stress", "max_parts", "test_service", "test_services", "service_", "secondary_engine", "audit_null", "connection_control",
	"innodb_undo", "json_ndb", "gcol_ndb", "perfschema_stress", "storage_engine", "special", "lock_order", "interactive_utilities",
	"multi_factor_authentication", "classic_hashing", "federated", "mtr", "innodb_zip", "jdv"}

// MySQLFiles returns the tests of MySQL's or MariaDB's suite in a folder, relative to it.
// main is the folder of those that belong to no suite within: t or main.
func MySQLFiles(folder, main string) (files []string, err error) {
	for _, root := range []string{main, "suite"} {
		err := fs.WalkDir(os.DirFS(folder), root, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && filepath.Dir(path) == "suite":
				if slices.ContainsFunc(skippedSuites, func(s string) bool {
					return entry.Name() == s || strings.HasPrefix(entry.Name(), s+"_") || strings.HasSuffix(s, "_") && strings.HasPrefix(entry.Name(), s)
				}) {
					return filepath.SkipDir
				}
			case strings.HasSuffix(path, ".test"):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}
