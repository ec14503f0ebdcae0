package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// The policy under which all clients run.
const (
	clientCap = 5
	clientMax = 8
)

// tables is what every client finds.
const tables = `CREATE TABLE parcels (n int PRIMARY KEY, label text NOT NULL);
INSERT INTO parcels SELECT g, 'parcel ' || g FROM generate_series(1, 12) AS g;
CREATE TABLE shelves (n int);`

// client is a client program: one of scripts/clients/postgres, or a function of
// this package.
type client struct {
	name  string
	modes []string
	// core clients run in every test run, the others by make clients.
	core bool
	// older clients speak to servers of their own version and older ones only.
	older bool
	// script is the program's source; its interpreter and arguments are command.
	script  string
	command []string
	// present is run to learn whether the client is installed; nil for one that the
	// tests bring along.
	present []string
	version []string
	run     func(t *testing.T, mode string, s session) []observation
}

// session is how a client reaches the sidecar. Clients ask for TLS or not as they do
// by themselves.
type session struct {
	at                       address
	server                   address // behind the sidecar
	user, password, database string
}

func (s session) variables() []string {
	return []string{"PGHOST=" + s.at.host, "PGPORT=" + s.at.port, "PGUSER=" + s.user, "PGPASSWORD=" + s.password, "PGDATABASE=" + s.database,
		"PGCLIENTENCODING=UTF8", "LC_ALL=C.UTF-8"}
}

// url returns the session as a connection string.
func (s session) url(parameters string) string {
	return "postgres://" + s.user + ":" + s.password + "@" + s.at.host + ":" + s.at.port + "/" + s.database + "?sslmode=disable" + parameters
}

// python is Debian's own, where its packages are: another one may be first on the
// PATH.
const python = "/usr/bin/python3"

const jdbc = "/usr/share/java/postgresql.jar"

var clients = []client{
	{name: "psql", core: true, modes: []string{"simple"}, version: []string{"psql", "--version"}, present: []string{"psql", "--version"}, run: runPsql},
	{name: "pgbench", core: true, modes: []string{"simple", "extended", "prepared", "pipeline"}, version: []string{"pgbench", "--version"},
		present: []string{"pgbench", "--version"}, run: runPgbench},
	{name: "pg_dump", core: true, older: true, modes: []string{"simple"}, version: []string{"pg_dump", "--version"},
		present: []string{"pg_dump", "--version"}, run: runPgDump},
	{name: "pgx", core: true, modes: pgxModes, run: runPgx},
	{name: "lib/pq", core: true, modes: []string{"text", "binary"}, run: runPq},
	{name: "psycopg2", core: true, modes: []string{"simple"}, script: "psycopg2-client.py", command: []string{python},
		present: []string{python, "-c", "import psycopg2"}, version: []string{python, "-c", "import psycopg2; print(psycopg2.__version__.split()[0])"}},
	{name: "psycopg 3", core: true, modes: []string{"text", "binary", "client"}, script: "psycopg3-client.py", command: []string{python},
		present: []string{python, "-c", "import psycopg"}, version: []string{python, "-c", "import psycopg; print(psycopg.__version__)"}},
	{name: "asyncpg", core: true, modes: []string{"binary"}, script: "asyncpg-client.py", command: []string{python},
		present: []string{python, "-c", "import asyncpg"}, version: []string{python, "-c", "import asyncpg; print(asyncpg.__version__)"}},
	{name: "node-postgres", modes: []string{"simple", "extended"}, script: "node-postgres-client.cjs", command: []string{"node"},
		present: nodeModule("pg"), version: nodeModule("pg")},
	{name: "postgres.js", modes: []string{"prepared", "unprepared"}, script: "postgres-js-client.cjs", command: []string{"node"},
		present: nodeModule("postgres"), version: nodeModule("postgres")},
	{name: "pgjdbc", modes: []string{"extended", "prepared", "simple"}, script: "PgjdbcClient.java", command: []string{"java", "-cp", jdbc},
		present: []string{"sh", "-c", "javac -version && test -e " + jdbc}, version: []string{"java", "-jar", jdbc}},
	{name: "PHP pgsql", modes: []string{"simple", "extended"}, script: "pgsql-client.php", command: []string{"php"},
		present: []string{"php", "-r", "exit(extension_loaded('pgsql') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
	{name: "PHP PDO", modes: []string{"native", "emulated"}, script: "pdo-client.php", command: []string{"php"},
		present: []string{"php", "-r", "exit(extension_loaded('pdo_pgsql') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
	{name: "Ruby pg", modes: []string{"simple", "extended"}, script: "ruby-pg-client.rb", command: []string{"ruby"},
		present: []string{"ruby", "-rpg", "-e", ""}, version: []string{"ruby", "-rpg", "-e", "puts PG::VERSION"}},
	{name: "DBD::Pg", modes: []string{"server", "client"}, script: "dbd-pg-client.pl", command: []string{"perl"},
		present: []string{"perl", "-MDBD::Pg", "-e", ""}, version: []string{"perl", "-MDBD::Pg", "-e", "print $DBD::Pg::VERSION"}},
}

// nodeModule prints the version of a module that scripts/clients/install put into
// the cache folder.
func nodeModule(name string) []string {
	return []string{"node", "-p", `require(process.env.ROWCAP_CLIENTS + "/node/node_modules/` + name + `/package.json").version`}
}

// TestClients runs the clients that every test run takes, or all of them and on the
// newest PostgreSQL too.
func TestClients(t *testing.T) {
	t.Setenv("ROWCAP_CLIENTS", filepath.Join(cacheFolder(t), "clients"))
	expected := readExpectations(t)
	found := []clientTable{runClients(t, dbtest.Postgres(t), expected)}
	if !*every {
		return
	}
	t.Run("newest", func(t *testing.T) {
		found = append(found, runClients(t, dbtest.PostgresVersion(t, newest), expected))
	})
	if *only == "" {
		expected.unused(t)
		report(t, "clients", clientsPage(found, expected))
	}
}

// newest is the major version of PostgreSQL on which the clients run beside the
// installed one's.
const newest = 18

func runClients(t *testing.T, s *dbtest.Server, expected *expectations) clientTable {
	through := serve(t, s.Addr(), limits(clientCap, clientMax)...)
	found := clientTable{server: s.Version}
	for _, c := range clients {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), c.name) || !c.core && !*every {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if c.present != nil && !runs(c.present) {
				if *every {
					t.Fatalf("%s is not installed: run scripts/clients/install", c.name)
				}
				t.Skipf("SKIPPED, NOT PASSED: %s is not installed: make clients installs it", c.name)
			}
			if c.older && major(versionOf(c)) < major(s.Version) {
				t.Skipf("%s serves no PostgreSQL newer than itself", c.name)
			}
			for _, mode := range c.modes {
				t.Run(mode, func(t *testing.T) {
					database := s.Database(t)
					s.SQL(t, database, tables)
					at := session{through.at, splitAddress(t, s.Addr()), s.User, s.Password, database}
					run := c.run
					if run == nil {
						run = c.runScript
					}
					verdicts, faults := expected.compare(c.name, mode, run(t, mode, at))
					for _, fault := range faults {
						t.Error(fault)
					}
					found.add(c, mode, verdicts)
				})
			}
		})
	}
	return found
}

// major returns the major version of a PostgreSQL.
func major(version string) int {
	number, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(number)
	return n
}

// runs says whether a command succeeds.
func runs(command []string) bool {
	return exec.Command(command[0], command[1:]...).Run() == nil
}

// runScript runs the client's program and reads what it saw.
func (c client) runScript(t *testing.T, mode string, s session) []observation {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := append(slices.Clone(c.command[1:]), filepath.Join("../../scripts/clients/postgres", c.script), mode)
	cmd := exec.CommandContext(ctx, c.command[0], args...)
	cmd.Env = environment(s.variables()...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	seen, readErr := readObservations(out.Bytes())
	if err = errors.Join(err, readErr); err != nil {
		t.Errorf("%s: %v\n%s%s", c.script, err, out.Bytes(), errs.Bytes())
	}
	return seen
}

// versionOf returns what a client says of itself, in a word or two.
func versionOf(c client) string {
	if c.version == nil {
		return moduleVersion(c.name)
	}
	out, err := exec.Command(c.version[0], c.version[1:]...).Output()
	if err != nil {
		return ""
	}
	text, _, _ := strings.Cut(firstLine(string(out)), " (Debian")
	return text[strings.LastIndex(strings.TrimRight(text, ")"), " ")+1:]
}

// moduleVersion returns the version of a Go module, as go.mod requires it.
func moduleVersion(name string) string {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) >= 2 && strings.Contains(words[0], name) {
			return words[1]
		}
	}
	return ""
}
