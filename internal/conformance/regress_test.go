package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// beyond is a limit that no result of the suites reaches.
const beyond = 1_000_000_000

// sides are where the suite runs: straight, with a limit in every text that takes
// one (statements over catalogues too, which most of the suite's are), and
// with the guard only.
var sides = []struct {
	name  string
	flags []string
}{
	{"direct", nil},
	{"capped", append(limits(beyond, beyond), "--copy-out", "pass", "--catalogs", "cap")},
	{"guarded", append(limits(beyond, beyond), "--copy-out", "pass", "--catalogs", "cap", "--no-push-down")},
}

// regression is one run of PostgreSQL's suite.
type regression struct {
	order      []string          // the tests as they ran
	verdicts   map[string]string // by test: ok, FAILED
	outputs    map[string]string // by test: what psql printed
	statements map[string]int    // that the sidecar planned, by method
	took       time.Duration
}

// TestRegression runs PostgreSQL's regression suite straight and through the
// sidecar, and compares.
func TestRegression(t *testing.T) {
	if !*suites {
		t.Skip("SKIPPED, NOT PASSED: takes half an hour: make conformance-postgres runs it")
	}
	suite := dbtest.Suite(t, "postgres")
	version, err := os.ReadFile(filepath.Join(suite, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	bin := programs(t)
	found := comparison{suite: strings.TrimSpace(string(version))}
	for _, side := range sides {
		if !t.Run(side.name, func(t *testing.T) {
			s := dbtest.StartPostgres(t)
			found.server = s.Version
			at := splitAddress(t, s.Addr())
			var through sidecar
			if side.flags != nil {
				through = serve(t, s.Addr(), side.flags...)
				at = through.at
			}
			r := regress(t, suite, bin, s.User, at, workFolder(t, "regression-"+side.name))
			if side.flags != nil {
				r.statements = through.statements(t)
			}
			t.Logf("%d tests in %v, statements: %v", len(r.order), r.took.Round(time.Second), r.statements)
			found.runs = append(found.runs, r)
		}) {
			t.Fatalf("the suite did not run (%s)", side.name)
		}
	}
	for _, fault := range found.compare(readReasons(t, expectedDifferences)) {
		t.Error(fault)
	}
	report(t, "regression", found.page())
}

// programs returns the folder of the newest server's programs that has
// pg_regress beside it, which runs the suite.
func programs(t *testing.T) string {
	t.Helper()
	folders, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(folders)
	for _, folder := range slices.Backward(folders) {
		if _, err := os.Stat(pgRegress(folder)); err == nil {
			return folder
		}
	}
	dbtest.Missing(t, "pg_regress is not in /usr/lib/postgresql/*/lib/pgxs: install Debian's postgresql-15")
	return ""
}

func pgRegress(bin string) string {
	return filepath.Join(filepath.Dir(bin), "lib/pgxs/src/test/regress/pg_regress")
}

// regress runs the suite with pg_regress against the server at an address.
func regress(t *testing.T, suite, bin, user string, at address, folder string) regression {
	t.Helper()
	for _, dir := range []string{"results", "sql", "expected", "testtablespace"} {
		open(t, filepath.Join(folder, dir))
	}
	libraries := filepath.Join(folder, "lib")
	open(t, libraries)
	for _, so := range []string{filepath.Join(suite, "regress.so"), filepath.Join(bin, "../lib/autoinc.so"), filepath.Join(bin, "../lib/refint.so")} {
		if err := os.Symlink(so, filepath.Join(libraries, filepath.Base(so))); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	args := []string{"--inputdir=" + suite, "--outputdir=" + folder, "--bindir=" + bin, "--dlpath=" + libraries,
		"--host=" + at.host, "--port=" + at.port, "--user=" + user, "--max-concurrent-tests=20", "--encoding=UTF8"}
	if *only == "" {
		args = append(args, "--schedule="+filepath.Join(suite, "parallel_schedule"))
	} else {
		args = append(args, "test_setup")
		args = append(args, strings.Split(*only, ",")...)
	}
	cmd := exec.CommandContext(ctx, pgRegress(bin), args...)
	cmd.Dir = folder
	cmd.Env = environment("PGSSLMODE=disable", "PGGSSENCMODE=disable", "LC_ALL=C")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	started := time.Now()
	err := cmd.Run()
	r := regression{verdicts: map[string]string{}, outputs: map[string]string{}, took: time.Since(started)}
	os.WriteFile(filepath.Join(folder, "pg_regress.out"), out.Bytes(), 0o666)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("pg_regress: %v\n%s", err, out.Bytes())
	}
	for line := range strings.Lines(out.String()) {
		name, rest, found := strings.Cut(line, " ... ")
		verdict := strings.Fields(rest)
		if !found || len(verdict) == 0 {
			continue
		}
		name = strings.TrimSpace(strings.TrimPrefix(name, "test "))
		r.verdicts[name] = verdict[0]
		r.order = append(r.order, name)
		printed, err := os.ReadFile(filepath.Join(folder, "results", name+".out"))
		if err != nil {
			t.Fatal(err)
		}
		r.outputs[name] = string(printed)
	}
	if *only == "" && len(r.order) < 150 {
		t.Fatalf("pg_regress ran %d tests only:\n%s", len(r.order), out.Bytes())
	}
	return r
}
