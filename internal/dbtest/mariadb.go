package dbtest

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var mariadbRecipe = recipe{
	flavor:   FlavorMariaDB,
	variable: "ROWCAP_TEST_MARIADB",
	install:  "apt-get install --no-install-recommends mariadb-server-core mariadb-client-core",
	accounts: []string{"mysql", "postgres", "nobody"},
	find:     findMariaDB,
	prepare:  prepareMariaDB,
	command:  mariadbCommand,
	socket:   mysqlSocket,
	ready:    mysqlReady,
	user:     adminUser, password: adminPassword,
}

func findMariaDB() (p programs, err error) {
	if p.server, err = findProgram(nil, "mariadbd"); err != nil {
		return p, err
	}
	if p.prepare, err = findProgram(nil, "mariadb-install-db"); err != nil {
		return p, err
	}
	if p.client, err = findProgram(nil, "mariadb"); err != nil {
		return p, err
	}
	version, err := programVersion(p.server, "Ver")
	p.version, _, _ = strings.Cut(version, "-")
	return p, err
}

// initFile makes the accounts at every start, before the server listens: rowcap
// with a password from anywhere, root without one from this machine.
const initFile = `CREATE USER IF NOT EXISTS rowcap@'%' IDENTIFIED BY 'rowcap';
GRANT ALL ON *.* TO rowcap@'%' WITH GRANT OPTION;
CREATE USER IF NOT EXISTS root@'127.0.0.1';
GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
`

func prepareMariaDB(p programs, dir string, a *account) error {
	err := prepareCommand(dir, a, "", p.prepare, "--no-defaults", "--datadir="+filepath.Join(dir, "data"),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
		"--innodb-log-file-size=16M")
	if err != nil {
		return err
	}
	// Debian's package makes accounts without a name, which would come first for
	// connections from localhost.
	drop := "DELETE FROM mysql.global_priv WHERE User='';\n"
	if err := prepareCommand(dir, a, drop, p.server, "--no-defaults", "--bootstrap",
		"--datadir="+filepath.Join(dir, "data"), "--innodb-log-file-size=16M"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "init.sql"), []byte(initFile), 0o644)
}

// mysqlArgs are the settings that MariaDB and MySQL share.
func mysqlArgs(dir string, port int) []string {
	return []string{
		"--no-defaults",
		"--datadir=" + filepath.Join(dir, "data"),
		"--socket=" + mysqlSocket(dir, port),
		"--pid-file=" + filepath.Join(dir, "pid"),
		"--tmpdir=" + dir,
		"--init-file=" + filepath.Join(dir, "init.sql"),
		"--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(port),
		"--skip-name-resolve",
		"--max-connections=200",
		"--max-allowed-packet=256M",
		"--local-infile=1",
		"--secure-file-priv=",
		"--innodb-buffer-pool-size=64M",
		"--innodb-flush-log-at-trx-commit=2",
		"--skip-innodb-doublewrite",
		"--default-time-zone=+00:00",
		"--ssl-ca=" + filepath.Join(dir, "tls", "ca.pem"),
		"--ssl-cert=" + filepath.Join(dir, "tls", "server.pem"),
		"--ssl-key=" + filepath.Join(dir, "tls", "server.key"),
	}
}

func mariadbCommand(_ programs, dir string, port int) []string {
	return append(mysqlArgs(dir, port),
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci",
		"--innodb-log-file-size=16M", "--plugin-maturity=unknown")
}

func mysqlSocket(dir string, _ int) string { return filepath.Join(dir, "sock") }

// mysqlReady connects to the server's own socket and waits for the greeting,
// whose first byte after the header is the protocol's version.
func mysqlReady(in *running) bool {
	c, err := net.DialTimeout("unix", mysqlSocket(in.dir, in.port), time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	header, err := bufio.NewReader(c).Peek(5)
	return err == nil && header[4] == 10
}
