package dbtest

import (
	"os"
	"path/filepath"
	"strings"
)

// mysqlFolder is where scripts/mysql unpacks MySQL, in the cache folder.
const mysqlFolder = "mysql-9"

var mysqlRecipe = recipe{
	flavor:   FlavorMySQL,
	variable: "ROWCAP_TEST_MYSQL",
	install:  "it unpacks MySQL 9 from Debian unstable into the cache folder",
	note:     mysqlFolder + ".unavailable",
	accounts: []string{"mysql", "postgres", "nobody"},
	find:     findMySQL,
	prepare:  prepareMySQL,
	command:  mysqlCommand,
	socket:   mysqlSocket,
	ready:    mysqlReady,
	user:     adminUser, password: adminPassword,
}

// findMySQL takes the unpacked server, or one on the PATH that is MySQL and not
// MariaDB under MySQL's name.
func findMySQL() (p programs, err error) {
	if p.server, err = findProgram([]string{filepath.Join(CacheFolder(), mysqlFolder, "bin")}, "mysqld"); err != nil {
		return p, err
	}
	version, err := programVersion(p.server, "Ver")
	if err != nil {
		return p, err
	}
	if strings.Contains(version, "MariaDB") {
		return p, errNotMySQL
	}
	p.version, _, _ = strings.Cut(version, "-")
	p.client, err = findClient(FlavorMySQL)
	return p, err
}

func prepareMySQL(p programs, dir string, a *account) error {
	err := prepareCommand(dir, a, "", p.server, "--no-defaults", "--initialize-insecure",
		"--datadir="+filepath.Join(dir, "data"), "--innodb-redo-log-capacity=8M",
		"--skip-innodb-doublewrite", "--skip-log-bin")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "init.sql"), []byte(initFile), 0o644)
}

func mysqlCommand(_ programs, dir string, port int) []string {
	return append(mysqlArgs(dir, port), "--mysqlx=OFF", "--skip-log-bin", "--innodb-redo-log-capacity=8M",
		"--performance-schema=OFF")
}
