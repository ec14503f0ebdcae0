package conformance

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var sidesOnly = flag.String("sides", "", "run MariaDB's suite only on these sides, and what they are compared with")

// suiteFolder is where scripts/conformance-mysql puts MariaDB's test suite, in the
// cache folder.
const suiteFolder = "mariadb-test"

// serverSuites are the suites of MariaDB's that are run.
var serverSuites = []string{"main", "compat/oracle", "csv", "funcs_1", "gcol", "handler", "heap", "innodb_gis", "jp", "json", "period",
	"roles", "sql_sequence", "vcol", "versioning"}

// suiteSide is a way to run the suites: straight, or through the sidecar; by
// text or by prepared statements.
type suiteSide struct {
	name string
	// direct is the name of the side with which this one is compared; it is empty for
	// those that are compared with.
	direct string
	// protocol is an argument of mysqltest's, empty for text.
	protocol string
	// flags are the sidecar's.
	flags []string
	// only are the suites of this side; nil for all.
	only []string
}

// suiteFlags are a limit that no result reaches, put into every text that takes
// one, those over catalogues and those of dumps included.
var suiteFlags = append(limits(beyond, beyond), "--catalogs", "cap", "--copy-out", "cap", "--replication", "pass")

var suiteSides = []suiteSide{
	{name: "direct"},
	{name: "capped", direct: "direct", flags: suiteFlags},
	{name: "guarded", direct: "direct", flags: append([]string{"--no-push-down"}, suiteFlags...), only: serverSuites[:1]},
	{name: "direct-prepared", protocol: "--ps-protocol", only: serverSuites[:1]},
	{name: "capped-prepared", direct: "direct-prepared", protocol: "--ps-protocol", flags: suiteFlags, only: serverSuites[:1]},
	{name: "direct-cursors", protocol: "--cursor-protocol", only: serverSuites[:1]},
	{name: "capped-cursors", direct: "direct-cursors", protocol: "--cursor-protocol", flags: suiteFlags, only: serverSuites[:1]},
}

// TestMariaDBSuite runs MariaDB's test suite with its own mysqltest, straight and
// through the sidecar, and compares what it prints.
func TestMariaDBSuite(t *testing.T) {
	if !*suites {
		t.Skip("SKIPPED, NOT PASSED: takes hours: make conformance-mysql runs it")
	}
	suite := mariadbSuite(t)
	tests := suite.tests(t, serverSuites, *only)
	found := suiteComparison{suite: suite, tests: tests}
	program := rowcap(t)
	for _, side := range suiteSides {
		if *sidesOnly == "" || side.chosen(*sidesOnly) {
			found.runs = append(found.runs, newSuiteRun(suite, side, program))
		}
	}
	reasons := readReasons(t, suiteDifferences)
	if *resume {
		found.resume(t, reasons)
	}
	t.Run("sides", func(t *testing.T) {
		for _, run := range found.runs {
			t.Run(run.side.name, func(t *testing.T) {
				t.Parallel()
				run.all(t, run.side.take(tests))
			})
		}
	})
	found.again(t, reasons)
	for _, run := range found.runs {
		if direct := found.find(run.side.direct); direct != nil {
			t.Run(run.side.name, func(t *testing.T) {
				differences, faults := found.compare(run, direct, reasons)
				for _, fault := range faults {
					t.Error(fault)
				}
				report(t, "mariadb-suite-"+run.side.name, found.page(run, direct, differences))
			})
		}
	}
}

// coreTests are those of MariaDB's tests that every test run takes: quick ones, and those that
// have found faults of the sidecar's.
const coreTests = "main/ansi,main/delete_returning,main/except,main/fetch_first,main/func_analyse,main/get_diagnostics,main/group_by_null," +
	"main/insert_returning,main/keywords,main/limit,main/lotofstack,main/secondary_key_costs"

// TestMariaDBSuiteCore runs a few tests of the suite straight and through the sidecar.
func TestMariaDBSuiteCore(t *testing.T) {
	suite := mariadbSuite(t)
	program := rowcap(t)
	found := suiteComparison{suite: suite, tests: suite.tests(t, serverSuites[:1], coreTests)}
	for _, side := range suiteSides[:2] {
		run := newSuiteRun(suite, side, program)
		found.runs = append(found.runs, run)
		t.Run(side.name, func(t *testing.T) { run.all(t, side.take(found.tests)) })
	}
	if t.Failed() {
		return
	}
	direct, through := found.runs[0], found.runs[1]
	found.again(t, nil)
	_, faults := found.compare(through, direct, nil)
	for _, fault := range faults {
		t.Error(fault)
	}
	if n := found.count("main", through, direct); n.passed < 10 {
		t.Errorf("%d of the tests pass direct only: is the suite whole?", n.passed)
	}
}

// newSuiteRun returns a run that has not begun.
func newSuiteRun(suite *serverSuite, side suiteSide, program string) *suiteRun {
	return &suiteRun{suite: suite, side: side, program: program, results: map[string]*suiteResult{}, statements: map[string]int{}}
}

// chosen says whether a list names the side, or one that is compared with it.
func (s suiteSide) chosen(list string) bool {
	for _, side := range suiteSides {
		if (side.name == s.name || side.direct == s.name) && oneOf(list, side.name) {
			return true
		}
	}
	return false
}

// oneOf says whether a list with commas has one of the names.
func oneOf(list string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(strings.Split(list, ","), name) })
}

// take returns those tests that the side runs.
func (s suiteSide) take(tests []suiteTest) (taken []suiteTest) {
	for _, test := range tests {
		if test.left == "" && (s.only == nil || oneOf(strings.Join(s.only, ","), test.suite)) {
			taken = append(taken, test)
		}
	}
	return taken
}

// suiteRun is one run of the suites on one side.
type suiteRun struct {
	suite      *serverSuite
	side       suiteSide
	program    string // rowcap
	results    map[string]*suiteResult
	statements map[string]int
	version    string
	lives      int
}

// all runs tests one after the other. A test that does not end well may leave
// anything behind, so the next one gets a fresh server.
func (r *suiteRun) all(t *testing.T, tests []suiteTest) {
	started := time.Now()
	tests = slices.DeleteFunc(slices.Clone(tests), func(test suiteTest) bool { return r.results[test.name()] != nil })
	for next := 0; next < len(tests); {
		r.lives++
		began := next
		if !t.Run(fmt.Sprintf("server %d", r.lives), func(t *testing.T) {
			next += r.live(t, tests[next:])
		}) || next == began {
			t.Fatalf("%s: no server for %s", r.side.name, tests[next].name())
		}
	}
	t.Logf("%d tests on %d servers in %v: %v", len(tests), r.lives, time.Since(started).Round(time.Second), r.statements)
}

// live runs tests on a server of their own until one spoils it, and returns how many
// were run.
func (r *suiteRun) live(t *testing.T, tests []suiteTest) (ran int) {
	w := newWorld(t, r)
	defer w.end(t)
	r.version = w.server.Version
	for _, test := range tests {
		if !w.reset() {
			return ran
		}
		result := w.run(t, test)
		ran++
		if before := r.results[test.name()]; before != nil {
			before.others = append(before.others, result.output)
		} else {
			r.results[test.name()] = result
		}
		if *detail != "" {
			w.keep(t, test, result)
		}
		if result.spoils() {
			return ran
		}
	}
	return ran
}

// again runs tests whose outputs differ without a reason two times more on both
// sides: some print what differs from run to run.
func (c *suiteComparison) again(t *testing.T, reasons map[string]string) {
	for _, run := range c.runs {
		direct := c.find(run.side.direct)
		if direct == nil || t.Failed() {
			continue
		}
		var differing []suiteTest
		for _, test := range run.side.take(c.tests) {
			if !run.results[test.name()].like(direct.results[test.name()]) && reasonOf(reasons, run.side, test) == "" {
				differing = append(differing, test)
			}
		}
		for round := range attempts - 1 {
			if len(differing) == 0 {
				break
			}
			t.Run(fmt.Sprintf("%s again %d", run.side.name, round+2), func(t *testing.T) {
				for _, r := range []*suiteRun{direct, run} {
					t.Run(r.side.name, func(t *testing.T) {
						t.Parallel()
						r.repeat(t, differing)
					})
				}
			})
		}
	}
}

// repeat runs tests that were run before.
func (r *suiteRun) repeat(t *testing.T, tests []suiteTest) {
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.name(), "/", "."), func(t *testing.T) {
			if r.live(t, []suiteTest{test}) == 0 {
				t.Fatal("no server")
			}
		})
	}
}
