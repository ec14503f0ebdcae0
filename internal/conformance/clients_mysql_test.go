package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestClientsMySQL runs the clients of MySQL and MariaDB that every test run takes,
// or all of them, on both servers.
func TestClientsMySQL(t *testing.T) {
	t.Setenv("ROWCAP_CLIENTS", filepath.Join(dbtest.CacheFolder(), "clients"))
	m := mysqlMatrix(t)
	expected := readExpectations(t, m.protocol)
	var found []clientTable
	t.Run(dbtest.FlavorMariaDB, func(t *testing.T) { found = append(found, m.run(t, dbtest.MariaDB(t), expected)) })
	t.Run(dbtest.FlavorMySQL, func(t *testing.T) { found = append(found, m.run(t, dbtest.MySQL(t), expected)) })
	if *every && *only == "" && len(found) == 2 {
		expected.unused(t)
		report(t, "clients-mysql", clientsPage(found, expected))
	}
}

const mariadbJDBC = "/usr/share/java/mariadb-java-client.jar"

// debianVersion prints the version of a package, without Debian's own parts.
func debianVersion(name string) []string {
	return []string{"sh", "-c", "dpkg-query -f '${Version}' -W " + name + " | sed 's/^.*://; s/-.*//'"}
}

// wordAfter prints the word that follows another one in what a command prints, without
// Debian's own part.
func wordAfter(word string, command ...string) []string {
	return []string{"sh", "-c", strings.Join(command, " ") + " | sed 's/.* " + word + " *//; s/[ -].*//'"}
}

func mysqlMatrix(t *testing.T) matrix {
	return matrix{protocol: "mysql", tables: `CREATE TABLE parcels (n INT PRIMARY KEY, label VARCHAR(40) NOT NULL);
INSERT INTO parcels VALUES (1, 'parcel 1'), (2, 'parcel 2'), (3, 'parcel 3'), (4, 'parcel 4'), (5, 'parcel 5'), (6, 'parcel 6'),
(7, 'parcel 7'), (8, 'parcel 8'), (9, 'parcel 9'), (10, 'parcel 10'), (11, 'parcel 11'), (12, 'parcel 12');
CREATE TABLE shelves (n INT PRIMARY KEY);
DELIMITER //
CREATE PROCEDURE lists() BEGIN SELECT n FROM parcels ORDER BY n; SELECT 7; END //
DELIMITER ;`, clients: []client{
		{name: "mariadb", core: true, modes: commandLineModes, run: runCommandLine("mariadb"), present: []string{"mariadb", "--version"},
			version: debianVersion("mariadb-client-core")},
		{name: "mysql", core: true, optional: true, modes: commandLineModes, run: runCommandLine(mysqlPath(t, "mysql")),
			present: []string{mysqlPath(t, "mysql"), "--version"}, version: wordAfter("Ver", mysqlPath(t, "mysql"), "--version")},
		{name: "go-sql-driver/mysql", core: true, modes: []string{"text", "prepared"}, run: runGoMySQL},
		{name: "PyMySQL", modes: []string{"text"}, script: "dbapi-client.py", args: []string{"pymysql"}, command: []string{python},
			present: []string{python, "-c", "import pymysql"}, version: []string{python, "-c", "import pymysql; print(pymysql.__version__)"}},
		{name: "mysqlclient (MySQLdb)", modes: []string{"text"}, script: "dbapi-client.py", args: []string{"MySQLdb"}, command: []string{python},
			present: []string{python, "-c", "import MySQLdb"}, version: []string{python, "-c", "import MySQLdb; print(MySQLdb.__version__)"}},
		{name: "mysql2 (npm)", modes: []string{"text", "prepared"}, script: "node-client.cjs", args: []string{"mysql2"}, command: []string{"node"},
			present: nodeModule("mysql2"), version: nodeModule("mysql2")},
		{name: "mysql (npm)", modes: []string{"text"}, script: "node-client.cjs", args: []string{"mysql"}, command: []string{"node"},
			present: nodeModule("mysql"), version: nodeModule("mysql")},
		{name: "mariadb (npm)", modes: []string{"text", "prepared"}, script: "node-client.cjs", args: []string{"mariadb"}, command: []string{"node"},
			present: nodeModule("mariadb"), version: nodeModule("mariadb")},
		{name: "MariaDB Connector/J", modes: []string{"client", "server"}, script: "MariadbClient.java", command: []string{"java", "-cp", mariadbJDBC},
			present: []string{"sh", "-c", "javac -version && test -e " + mariadbJDBC}, version: debianVersion("libmariadb-java")},
		{name: "PHP mysqli", modes: []string{"text", "prepared"}, script: "mysqli-client.php", command: []string{"php"},
			present: []string{"php", "-r", "exit(extension_loaded('mysqli') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
		{name: "PHP PDO", modes: []string{"native", "emulated"}, script: "pdo-client.php", command: []string{"php"},
			present: []string{"php", "-r", "exit(extension_loaded('pdo_mysql') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
		{name: "Ruby mysql2", modes: []string{"text", "prepared"}, script: "ruby-mysql2-client.rb", command: []string{"ruby"},
			present: []string{"ruby", "-rmysql2", "-e", ""}, version: []string{"ruby", "-rmysql2", "-e", "puts Mysql2::VERSION"}},
		{name: "DBD::MariaDB", modes: []string{"client", "server"}, script: "dbd-client.pl", args: []string{"MariaDB"}, command: []string{"perl"},
			present: []string{"perl", "-MDBD::MariaDB", "-e", ""}, version: []string{"perl", "-MDBD::MariaDB", "-e", "print $DBD::MariaDB::VERSION"}},
		{name: "DBD::mysql", modes: []string{"client", "server"}, script: "dbd-client.pl", args: []string{"mysql"}, command: []string{"perl"},
			present: []string{"perl", "-MDBD::mysql", "-e", ""}, version: []string{"perl", "-MDBD::mysql", "-e", "print $DBD::mysql::VERSION"}},
		{name: "sysbench", modes: []string{"auto", "disable"}, run: runSysbench, present: []string{"sysbench", "--version"}, version: []string{"sysbench", "--version"}},
		{name: "mariadb-dump", flavor: dbtest.FlavorMariaDB, modes: []string{"text"}, run: runMySQLDump("mariadb-dump"),
			present: []string{"mariadb-dump", "--version"}, version: debianVersion("mariadb-client")},
		{name: "mysqldump", flavor: dbtest.FlavorMySQL, optional: true, modes: []string{"text"},
			run:     runMySQLDump(mysqlPath(t, "mysqldump"), "--no-tablespaces", "--get-server-public-key"),
			present: []string{mysqlPath(t, "mysqldump"), "--version"}, version: wordAfter("Ver", mysqlPath(t, "mysqldump"), "--version")},
	}}
}
