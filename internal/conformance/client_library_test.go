package conformance

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// libraryDifferences says which tests of the client library's need not pass through
// the sidecar, and why: the test and the reason on each line.
const libraryDifferences = "testdata/mariadb-client-library.txt"

// TestMariaDBClientLibrary runs mariadb-client-test, with which MariaDB tests its server by the
// functions of its client library, each of its tests by itself: straight and through
// the sidecar. What passes straight must pass.
func TestMariaDBClientLibrary(t *testing.T) {
	if !*suites {
		t.Skip("SKIPPED, NOT PASSED: takes ten minutes: make conformance-mysql runs it")
	}
	suite := mariadbSuite(t)
	program := rowcap(t)
	found := map[string]*libraryRun{}
	t.Run("sides", func(t *testing.T) {
		for _, side := range []suiteSide{{name: "direct"}, {name: "capped", flags: suiteFlags}, {name: "guarded", flags: append([]string{"--no-push-down"}, suiteFlags...)}} {
			run := &libraryRun{suiteRun: suiteRun{suite: suite, side: side, program: program, statements: map[string]int{}}}
			found[side.name] = run
			t.Run(side.name, func(t *testing.T) {
				t.Parallel()
				run.all(t)
			})
		}
	})
	if t.Failed() {
		return
	}
	reasons := readReasons(t, libraryDifferences)
	direct := found["direct"]
	var b strings.Builder
	fmt.Fprintf(&b, "`mariadb-client-test` of `%s` on MariaDB %s: %d tests, of which %d pass direct.\n\n", suite.version, direct.version, len(direct.names), direct.passed(direct))
	b.WriteString("| | capped | guarded |\n|---|--:|--:|\n")
	fmt.Fprintf(&b, "| of these through the sidecar | **%d** | **%d** |\n", found["capped"].passed(direct), found["guarded"].passed(direct))
	head := "\n| side | test | why it does not pass |\n|---|---|---|\n"
	for _, side := range []string{"capped", "guarded"} {
		run := found[side]
		if run.statements["probe"]+run.statements["guard"] == 0 {
			t.Errorf("%s: the tests did not go through the sidecar", side)
		}
		for _, name := range direct.names {
			if direct.failures[name] != "" || run.failures[name] == "" {
				continue
			}
			fmt.Fprintf(&b, "%s| %s | `%s` | %s |\n", head, side, name, orFault(reasons[name]))
			head = ""
			if reasons[name] == "" {
				t.Errorf("%s: %s passes direct:\n%s", side, name, run.failures[name])
			}
		}
	}
	for name, output := range direct.failures {
		t.Logf("%s fails direct too: %s", name, lastLines(output))
	}
	report(t, "mariadb-client-library", b.String())
}

// libraryRun is a run of the client library's tests.
type libraryRun struct {
	suiteRun
	names    []string
	failures map[string]string // what a test printed that failed
}

// passed counts the tests that passed here and direct.
func (r *libraryRun) passed(direct *libraryRun) (n int) {
	for _, name := range direct.names {
		if direct.failures[name] == "" && r.failures[name] == "" {
			n++
		}
	}
	return n
}

func (r *libraryRun) all(t *testing.T) {
	r.failures = map[string]string{}
	w := newWorld(t, &r.suiteRun)
	defer w.end(t)
	r.version = w.server.Version
	list, err := exec.Command(r.suite.bin("mariadb-client-test"), "--show-tests").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	for line := range strings.Lines(string(list)) {
		if name := strings.TrimSpace(line); name != "" && !strings.Contains(name, " ") && (*only == "" || oneOf(*only, name)) {
			r.names = append(r.names, name)
		}
	}
	if len(r.names) < 250 && *only == "" {
		t.Fatalf("mariadb-client-test has %d tests only", len(r.names))
	}
	slices.Sort(r.names)
	started := time.Now()
	for _, name := range r.names {
		var output string
		var err error
		for range attempts {
			if output, err = w.libraryTest(name); err == nil {
				break
			}
		}
		if err != nil {
			r.failures[name] = fmt.Sprintf("%v\n%s", err, output)
		}
	}
	t.Logf("%d tests in %v, %d failed", len(r.names), time.Since(started).Round(time.Second), len(r.failures))
}

// libraryTest runs one test.
func (w *world) libraryTest(name string) (string, error) {
	if !w.reset() {
		return "", fmt.Errorf("the server does not answer")
	}
	ctx, cancel := context.WithTimeout(context.Background(), suiteTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, w.suite.bin("mariadb-client-test"), "--defaults-file="+w.optionFile(), "--silent", "--testcase", "--vardir="+w.folder, name)
	cmd.Env = append(w.variables(), "MYSQL_TMP_DIR="+filepath.Join(w.folder, "tmp"))
	cmd.Dir = w.folder
	out, err := cmd.CombinedOutput()
	if *detail != "" {
		folder := filepath.Join(*detail, "client-library", w.side.name)
		os.MkdirAll(folder, 0o777)
		os.WriteFile(filepath.Join(folder, name), out, 0o666)
	}
	return string(out), err
}

// lastLines shortens what a program said to its end.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " | ")
}
