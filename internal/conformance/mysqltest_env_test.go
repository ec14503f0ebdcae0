package conformance

import (
	"os"
	"path/filepath"
	"strings"
)

// mysqltest is the command that runs a test, as mysql-test-run gives it.
func (w *world) mysqltest() []string {
	return []string{w.suite.bin("mariadb-test"), "--defaults-file=" + w.optionFile(), "--silent", "--tmpdir=" + filepath.Join(w.folder, "tmp"),
		"--character-sets-dir=/usr/share/mysql/charsets", "--logdir=" + filepath.Join(w.folder, "log"), "--database=test"}
}

// variables are those that mysql-test-run sets, and by which tests find programs,
// folders and the server.
func (w *world) variables() []string {
	client := func(name string, more ...string) string {
		path := w.suite.bin(name)
		if _, err := os.Stat(path); err != nil {
			path = "/usr/bin/" + name
		}
		return strings.Join(append([]string{path, "--defaults-file=" + w.optionFile()}, more...), " ")
	}
	tool := func(name string) string { return w.suite.bin(name) }
	temporary := filepath.Join(w.folder, "tmp")
	return []string{
		"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + w.folder, "TMPDIR=" + temporary,
		"LC_ALL=C", "LC_CTYPE=C", "LC_COLLATE=C", "TZ=GMT-3", "USER=root",
		"LD_LIBRARY_PATH=" + filepath.Join(w.suite.folder, "lib"),
		"USE_RUNNING_SERVER=1", "BIG_TEST=", "MTR_PERL=/usr/bin/perl", "MTR_BUILD_THREAD=300", "HAVE_BROKEN_DNS=1",
		"MYSQL_TEST_DIR=" + w.suite.tree(), "DEFAULT_MASTER_PORT=" + w.port, "MYSQL_TMP_DIR=" + temporary,
		"MYSQLTEST_VARDIR=" + w.folder, "MYSQLTEST_REAL_VARDIR=" + w.folder, "MYSQL_BINDIR=/usr", "MYSQL_SHAREDIR=/usr/share/mysql/english",
		"MYSQL_CHARSETSDIR=/usr/share/mysql/charsets", "SECURE_LOAD_PATH=" + filepath.Join(w.suite.tree(), "std_data"),
		"MASTER_MYPORT=" + w.port, "MASTER_MYSOCK=" + w.socket, "SERVER_MYPORT_1=" + w.port, "SERVER_MYSOCK_1=" + w.socket,
		"MYSQL=" + client("mariadb"), "EXE_MYSQL=/usr/bin/mariadb", "MYSQL_CHECK=" + client("mariadb-check"), "MYSQL_DUMP=" + client("mariadb-dump"),
		"MYSQL_SLAP=" + client("mariadb-slap"), "MYSQL_IMPORT=" + client("mariadb-import"), "MYSQL_SHOW=" + client("mariadb-show"),
		"MYSQL_BINLOG=" + tool("mariadb-binlog") + " --no-defaults --local-load=" + temporary, "MYSQLADMIN=" + client("mariadb-admin"),
		"MYSQL_UPGRADE=" + client("mariadb-upgrade"), "MARIADB_CONV=" + tool("mariadb-conv") + " --character-sets-dir=/usr/share/mysql/charsets",
		"MYSQL_PLUGIN=" + tool("mariadb-plugin"), "MYSQL_MY_PRINT_DEFAULTS=/usr/bin/my_print_defaults", "MYSQL_TZINFO_TO_SQL=" + tool("mariadb-tzinfo-to-sql"),
		"MYISAMCHK=" + tool("myisamchk"), "MYISAMPACK=" + tool("myisampack"), "MYISAMLOG=" + tool("myisamlog"), "MYISAM_FTDUMP=" + tool("myisam_ftdump"),
		"MARIA_CHK=" + tool("aria_chk"), "MARIA_PACK=" + tool("aria_pack"), "MY_PERROR=" + tool("perror"), "REPLACE=" + tool("replace"),
		"INNOCHECKSUM=/usr/bin/innochecksum", "MYSQL_TEST=" + strings.Join(w.mysqltest(), " "),
		"MYSQL_CLIENT_TEST=" + client("mariadb-client-test", "--testcase", "--vardir="+w.folder),
	}
}
