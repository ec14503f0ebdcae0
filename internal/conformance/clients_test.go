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

// matrix is the clients of a protocol.
type matrix struct {
	protocol string // also a folder of scripts/clients and testdata/clients
	tables   string // what every client finds
	clients  []client
}

// client is a client program: one of scripts/clients, or a function of this
// package.
type client struct {
	name  string
	modes []string
	// core clients run in every test run, the others by make clients.
	core bool
	// older clients speak to servers of their own version and older ones only.
	older bool
	// flavor names the only server that the client is for, if there is one.
	flavor string
	// optional clients are got where they can be had.
	optional bool
	// script is the program's source; its interpreter and arguments are command, and its own
	// first arguments args.
	script        string
	command, args []string
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
	flavor                   string  // the server's
	user, password, database string
}

func (s session) variables() []string {
	if s.flavor != dbtest.FlavorPostgres {
		return []string{"MYSQL_HOST=" + s.at.host, "MYSQL_TCP_PORT=" + s.at.port, "MYSQL_USER=" + s.user, "MYSQL_PWD=" + s.password,
			"MYSQL_DATABASE=" + s.database, "MYSQL_FLAVOR=" + s.flavor, "LC_ALL=C.UTF-8"}
	}
	return []string{"PGHOST=" + s.at.host, "PGPORT=" + s.at.port, "PGUSER=" + s.user, "PGPASSWORD=" + s.password, "PGDATABASE=" + s.database,
		"PGCLIENTENCODING=UTF8", "LC_ALL=C.UTF-8"}
}

// url returns the session as a connection string.
func (s session) url(parameters string) string {
	return "postgres://" + s.user + ":" + s.password + "@" + s.at.host + ":" + s.at.port + "/" + s.database + "?sslmode=disable" + parameters
}

// TestClients runs the clients that every test run takes, or all of them and on the
// newest PostgreSQL too.
func TestClients(t *testing.T) {
	t.Setenv("ROWCAP_CLIENTS", filepath.Join(dbtest.CacheFolder(), "clients"))
	expected := readExpectations(t, postgresMatrix.protocol)
	found := []clientTable{postgresMatrix.run(t, dbtest.Postgres(t), expected)}
	if !*every {
		return
	}
	t.Run("newest", func(t *testing.T) {
		found = append(found, postgresMatrix.run(t, dbtest.PostgresVersion(t, newest), expected))
	})
	if *only == "" {
		expected.unused(t)
		report(t, "clients", clientsPage(found, expected))
	}
}

// newest is the major version of PostgreSQL on which the clients run beside the
// installed one's.
const newest = 18

// serverNames are the flavors in print.
var serverNames = map[string]string{dbtest.FlavorPostgres: "PostgreSQL", dbtest.FlavorMariaDB: "MariaDB", dbtest.FlavorMySQL: "MySQL"}

// run runs the clients on a server.
func (m matrix) run(t *testing.T, s *dbtest.Server, all *expectations) clientTable {
	through := serveWire(t, m.protocol, s.Addr(), limits(clientCap, clientMax)...)
	expected := all.on(s.Flavor)
	version, _, _ := strings.Cut(s.Version, "-")
	found := clientTable{server: serverNames[s.Flavor] + " " + version, expected: expected}
	for _, c := range m.clients {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), c.name) || !c.core && !*every || c.flavor != "" && c.flavor != s.Flavor {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if c.present != nil && !runs(c.present) {
				if c.optional {
					t.Skipf("SKIPPED, NOT PASSED: %s is not here: make setup gets it where it can be had", c.name)
				}
				if *every {
					t.Fatalf("%s is not installed: run scripts/clients/install", c.name)
				}
				if c.script == "" { // one of the server's own, which make test promises
					dbtest.Missing(t, c.name+" is not installed: make setup installs it")
				}
				t.Skipf("SKIPPED, NOT PASSED: %s is not installed: make clients installs it", c.name)
			}
			if c.older && major(versionOf(c)) < major(s.Version) {
				t.Skipf("SKIPPED, NOT PASSED: %s serves no PostgreSQL newer than itself: this one needs version %d of it", c.name, major(s.Version))
			}
			for _, mode := range c.modes {
				t.Run(mode, func(t *testing.T) {
					database := s.Database(t)
					s.SQL(t, database, m.tables)
					at := session{through.at, splitAddress(t, s.Addr()), s.Flavor, s.User, s.Password, database}
					run := c.run
					if run == nil {
						run = func(t *testing.T, mode string, at session) []observation { return m.runScript(t, c, mode, at) }
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
	if len(found.runs) == 0 && !t.Failed() {
		t.Skipf("SKIPPED, NOT PASSED: no client ran; -only=%q", *only)
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

// runScript runs a client's program and reads what it saw.
func (m matrix) runScript(t *testing.T, c client, mode string, s session) []observation {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	args := slices.Concat(c.command[1:], []string{filepath.Join("../../scripts/clients", m.protocol, c.script)}, c.args, []string{mode})
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
