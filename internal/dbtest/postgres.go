package dbtest

import (
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

// Roles of a private PostgreSQL that log in with their own name as password, by
// the method that each is named for.
const (
	RoleSCRAM     = "rowcap_scram"
	RoleMD5       = "rowcap_md5"
	RoleCleartext = "rowcap_cleartext"
)

var postgresRecipe = recipe{
	flavor:   FlavorPostgres,
	variable: "ROWCAP_TEST_POSTGRES",
	install:  "apt-get install postgresql",
	accounts: []string{"postgres", "nobody"},
	find:     findPostgres,
	prepare:  preparePostgres,
	command:  postgresCommand,
	socket: func(dir string, port int) string {
		return filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(port))
	},
	ready: postgresReady,
	user:  adminUser, password: adminPassword,
}

// postgresFolders are where distributions keep PostgreSQL's programs, newest
// first.
func postgresFolders() []string {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	version := func(i int) float64 {
		v, _ := strconv.ParseFloat(filepath.Base(filepath.Dir(folders[i])), 64)
		return v
	}
	sort.Slice(folders, func(i, j int) bool { return version(i) > version(j) })
	return append(folders, "/usr/pgsql/bin", "/usr/local/pgsql/bin")
}

func findPostgres() (p programs, err error) {
	if p.server, err = findProgram(nil, "postgres"); err != nil {
		p.server, err = findProgram(postgresFolders(), "postgres")
	}
	if err != nil {
		return p, err
	}
	folders := []string{filepath.Dir(p.server)}
	if p.prepare, err = findProgram(folders, "initdb"); err != nil {
		return p, err
	}
	if p.client, err = findProgram(folders, "psql"); err != nil {
		return p, err
	}
	p.version, err = programVersion(p.server, "(PostgreSQL)")
	return p, err
}

// hba trusts the superuser and asks each of the other roles for its password.
const hba = `# type  database  user  address  method
local all rowcap_scram                      scram-sha-256
local all rowcap_md5                        md5
local all rowcap_cleartext                  password
host  all rowcap_scram     all              scram-sha-256
host  all rowcap_md5       all              md5
host  all rowcap_cleartext all              password
local all              all                  trust
host  all              all 127.0.0.1/32     trust
local replication      all                  trust
host  replication      all 127.0.0.1/32     trust
`

func preparePostgres(p programs, dir string, a *account) error {
	data := filepath.Join(dir, "data")
	err := prepareCommand(dir, a, "", p.prepare, "--pgdata="+data, "--no-sync", "--username="+adminUser,
		"--auth=trust", "--encoding=UTF8", "--locale=C")
	if err != nil {
		return err
	}
	roles := strings.Join([]string{
		"SET password_encryption = 'scram-sha-256'",
		"CREATE ROLE " + RoleSCRAM + " LOGIN PASSWORD '" + RoleSCRAM + "'",
		"CREATE ROLE " + RoleCleartext + " LOGIN PASSWORD '" + RoleCleartext + "'",
		"SET password_encryption = 'md5'",
		"CREATE ROLE " + RoleMD5 + " LOGIN PASSWORD '" + RoleMD5 + "'",
	}, ";") + "\n"
	if err := prepareCommand(dir, a, roles, p.server, "--single", "-j", "-F", "-D", data, "postgres"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, "pg_hba.conf"), []byte(hba), 0o600)
}

// postgresCommand starts a server that forgets on power loss, but not when killed.
func postgresCommand(_ programs, dir string, port int) []string {
	args := []string{"-D", filepath.Join(dir, "data"), "-p", strconv.Itoa(port), "-k", dir, "-F"}
	for _, setting := range []string{
		"listen_addresses=127.0.0.1", "max_connections=200", "shared_buffers=64MB",
		"full_page_writes=off", "max_prepared_transactions=10",
		"timezone=UTC", "log_timezone=UTC",
		"ssl=on", "ssl_cert_file=" + filepath.Join(dir, "tls", "server.pem"),
		"ssl_key_file=" + filepath.Join(dir, "tls", "server.key"),
	} {
		args = append(args, "-c", setting)
	}
	return args
}

// postgresReady reads the server's lock file: the process in the first line, the
// port in the fourth and the status in the eighth (LOCK_FILE_LINE_PM_STATUS in
// miscadmin.h). The file of a killed server is still there.
func postgresReady(in *running) bool {
	file, err := os.ReadFile(filepath.Join(in.dir, "data", "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(file), "\n")
	return len(lines) >= 8 && lines[0] == strconv.Itoa(in.process.Pid) && lines[3] == strconv.Itoa(in.port) &&
		strings.TrimSpace(lines[7]) == "ready"
}
