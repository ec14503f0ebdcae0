package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// serverSuite is MariaDB's test suite in the cache folder.
type serverSuite struct {
	folder  string // with bin, lib, mysql-test
	version string
}

// mariadbSuite returns the suite, and ends a test that has none.
func mariadbSuite(t *testing.T) *serverSuite {
	t.Helper()
	s := &serverSuite{folder: filepath.Join(dbtest.CacheFolder(), suiteFolder)}
	version, err := os.ReadFile(filepath.Join(s.folder, "VERSION"))
	if err != nil {
		if note, err := os.ReadFile(s.folder + ".unavailable"); err == nil {
			t.Skipf("SKIPPED, NOT PASSED: MariaDB's test suite could not be had: %s", firstLine(string(note)))
		}
		dbtest.Missing(t, "MariaDB's test suite is not there: make setup fetches it (scripts/conformance-mysql --fetch)")
	}
	s.version = strings.TrimSpace(string(version))
	return s
}

func (s *serverSuite) tree() string           { return filepath.Join(s.folder, "mysql-test") }
func (s *serverSuite) bin(name string) string { return filepath.Join(s.folder, "bin", name) }

// path returns the folder of a suite, with its tests or the folder t of them.
func (s *serverSuite) path(suite string) string {
	if suite == "main" {
		return filepath.Join(s.tree(), "main")
	}
	return filepath.Join(s.tree(), "suite", suite)
}

// suiteTest is a test file.
type suiteTest struct {
	suite, base string
	file        string // its path
	result      string // the path of what it must print
	left        string // why it is left out; empty if it is run
}

func (t suiteTest) name() string { return t.suite + "/" + t.base }

// The reasons for which tests are left out, as for mysql-test-run's --extern.
const (
	needsServer  = "a server started for it with options of its own"
	needsRestart = "a server that stops and starts again"
	disabled     = "disabled by the suite"
)

// tests returns the tests of the suites; only those that a list names with their suite, or
// whose suite it names, unless it is empty.
func (s *serverSuite) tests(t *testing.T, suites []string, list string) (tests []suiteTest) {
	t.Helper()
	for _, suite := range suites {
		folder := s.path(suite)
		files, results := folder, folder
		if _, err := os.Stat(filepath.Join(folder, "t")); err == nil {
			files, results = filepath.Join(folder, "t"), filepath.Join(folder, "r")
		}
		names, err := filepath.Glob(filepath.Join(files, "*.test"))
		if err != nil {
			t.Fatal(err)
		}
		off := disabledTests(filepath.Join(files, "disabled.def"))
		for _, file := range names {
			base := strings.TrimSuffix(filepath.Base(file), ".test")
			test := suiteTest{suite: suite, base: base, file: file, result: filepath.Join(results, base+".result")}
			switch {
			case slices.Contains(off, base):
				test.left = disabled
			case hasOptions(files, base) || hasOptions(folder, "suite") || hasOptions(folder, "my"):
				test.left = needsServer
			case s.restarts(file, nil):
				test.left = needsRestart
			}
			if list != "" && !oneOf(list, test.name(), test.suite) {
				continue
			}
			tests = append(tests, test)
		}
	}
	if len(tests) == 0 {
		t.Fatal("the suite has no tests")
	}
	return tests
}

// hasOptions says whether the server must be started with options for a test.
func hasOptions(folder, base string) bool {
	for _, ending := range []string{".opt", "-master.opt", "-slave.opt", ".cnf", "-master.sh"} {
		if _, err := os.Stat(filepath.Join(folder, base+ending)); err == nil {
			return true
		}
	}
	return false
}

// disabledTests reads the names of the tests that a suite does not run.
func disabledTests(path string) (names []string) {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if name, _, found := strings.Cut(line, ":"); found && !strings.HasPrefix(line, "#") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// restarts says whether a test file, or one that it takes in, stops the server or
// writes to the file by which it asks mysql-test-run to start it again.
func (s *serverSuite) restarts(file string, from []string) bool {
	text, err := os.ReadFile(file)
	if err != nil || slices.Contains(from, file) {
		return false
	}
	from = append(from, file)
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(strings.TrimLeft(string(line), "- \t"))
		word, rest, _ := strings.Cut(line, " ")
		word = strings.TrimRight(word, ";")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if word == "shutdown_server" || strings.EqualFold(word, "shutdown") || strings.Contains(line, "mysqld.1.expect") {
			return true
		}
		if word != "source" {
			continue
		}
		name := strings.TrimRight(strings.TrimSpace(rest), "; ")
		if s.restarts(filepath.Join(s.tree(), name), from) || s.restarts(filepath.Join(filepath.Dir(file), name), from) {
			return true
		}
	}
	return false
}
