package corpus

import (
	"bufio"
	"context"
	"fmt"
	"net"
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

// postgresSetup are the files that others need, in the order of the schedule.
var postgresSetup = []string{"test_setup", "create_index"}

// scriptTimeout bounds one file of the suite.
const scriptTimeout = 5 * time.Minute

// suiteRows sets a session up as the suite's own driver does (pg_regress.c,
// initialize_environment and create_database).
var suiteSettings = map[string]string{"lc_messages": "C", "lc_monetary": "C", "lc_numeric": "C", "lc_time": "C",
	"bytea_output": "hex", "timezone_abbreviations": "Default"}

// runPostgres runs PostgreSQL's regression suite: psql reads each file, and a
// recorder between it and the server checks each query on its way.
func runPostgres(t *testing.T) *tally {
	folder := dbtest.Suite(t, "postgres")
	server := dbtest.StartPostgres(t)
	tally := newTally("PostgreSQL "+server.Version, suiteVersion(t, folder))
	tally.preparesStores = true
	started := time.Now()
	const database = "regression"
	server.SQL(t, "", "CREATE DATABASE regression TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
	for name, value := range suiteSettings {
		server.SQL(t, "", fmt.Sprintf("ALTER DATABASE regression SET %s TO '%s'", name, value))
	}
	build := buildFolder(t, folder)
	for _, name := range postgresFiles(t, folder) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{t: t, server: server, tally: tally, file: name, listener: l}
		go r.serve()
		tally.files++
		if err := psql(folder, build, database, name, server.User, l.Addr()); err != nil {
			t.Logf("%s: %v", name, err)
			tally.abandoned++
		}
		r.close()
	}
	tally.took = time.Since(started)
	return tally
}

// buildFolder makes the folder in which the suite's statements write files. The
// server runs as another user.
func buildFolder(t *testing.T, folder string) string {
	build, err := os.MkdirTemp("/tmp", "rowcap-corpus-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(build) })
	for _, dir := range []string{build, filepath.Join(build, "results"), filepath.Join(build, "testtablespace")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return build
}

// postgresFiles returns the names of the suite's files in the order of its
// schedule.
func postgresFiles(t *testing.T, folder string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, "parallel_schedule"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var names []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if group, ok := strings.CutPrefix(lines.Text(), "test:"); ok {
			names = append(names, strings.Fields(group)...)
		}
	}
	if len(names) < 100 {
		t.Fatalf("the schedule names %d files only", len(names))
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(postgresSetup, name) && !chosen(name, postgresSample)
	})
	enough(t, names, postgresSample)
	return names
}

// psql runs one file of the suite as pg_regress does (pg_regress_main.c), through
// the recorder at addr.
func psql(folder, build, database, name, user string, addr net.Addr) error {
	ctx, cancel := context.WithTimeout(context.Background(), scriptTimeout)
	defer cancel()
	script, err := os.Open(filepath.Join(folder, "sql", name+".sql"))
	if err != nil {
		return err
	}
	defer script.Close()
	cmd := exec.CommandContext(ctx, "psql", "-X", "-q", "-d", database, "-v", "HIDE_TABLEAM=on", "-v", "HIDE_TOAST_COMPRESSION=on")
	cmd.Dir, cmd.Stdin = build, script
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "PGHOST=127.0.0.1", "PGPORT="+strconv.Itoa(addr.(*net.TCPAddr).Port), "PGUSER="+user,
		"PGSSLMODE=disable", "PGGSSENCMODE=disable", "PGTZ=PST8PDT", "PGDATESTYLE=Postgres, MDY",
		"PGOPTIONS=-c intervalstyle=postgres_verbose", "PGCLIENTENCODING=UTF8", "LC_ALL=C",
		"PG_ABS_SRCDIR="+folder, "PG_ABS_BUILDDIR="+build, "PG_LIBDIR="+folder, "PG_DLSUFFIX=.so")
	out, err := cmd.CombinedOutput()
	// psql ends with 3 where the file says so, and with 2 when its connection was
	// lost; what it prints of errors is what the suite wants.
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("psql: %v: %s", err, lines[len(lines)-1])
	}
	return nil
}
