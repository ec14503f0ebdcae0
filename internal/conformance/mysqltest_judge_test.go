package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCompareSuite: a test that prints or ends otherwise is a fault unless a run of
// it was the same or it has a reason, and so is a reason that nothing needs.
func TestCompareSuite(t *testing.T) {
	side := suiteSide{name: "capped", direct: "direct", flags: suiteFlags}
	test := suiteTest{suite: "main", base: "select"}
	run := func(bounded int, status string, outputs ...string) *suiteRun {
		return &suiteRun{side: side, results: map[string]*suiteResult{test.name(): {status: status, output: outputs[0], others: outputs[1:]}},
			statements: map[string]int{"probe": bounded}}
	}
	direct := run(0, suitePassed, "1\n", "2\n")
	for _, c := range []struct {
		through *suiteRun
		reasons map[string]string
		want    string // a part of the only fault, empty for none
	}{
		{run(9, suitePassed, "1\n"), nil, ""},
		{run(9, suitePassed, "2\n"), nil, ""},
		{run(9, suitePassed, "3\n", "1\n"), nil, ""},
		{run(9, suitePassed, "3\n", "4\n"), nil, `capped/main/select: line 1 is "3", and "1" direct`},
		{run(9, suiteFailed, "1\n"), nil, "failed, and passed direct"},
		{run(9, suitePassed, "3\n"), map[string]string{"main/select": "a reason"}, ""},
		{run(9, suitePassed, "3\n"), map[string]string{"capped/main/select": "a reason"}, ""},
		{run(9, suitePassed, "3\n"), map[string]string{"guarded/main/select": "a reason"}, "line 1 is"},
		{run(9, suitePassed, "1\n"), map[string]string{"capped/main/select": "a reason"}, "remove the line"},
		{run(0, suitePassed, "1\n"), nil, "did not go through it"},
		{&suiteRun{side: side, statements: map[string]int{"probe": 9}}, nil, "not run"},
	} {
		found := suiteComparison{tests: []suiteTest{test}}
		_, faults := found.compare(c.through, direct, c.reasons)
		if (len(faults) == 0) != (c.want == "") || len(faults) > 1 || c.want != "" && !strings.Contains(faults[0], c.want) {
			t.Errorf("%v, %v: %q, want %q", c.through.results, c.reasons, faults, c.want)
		}
	}
}

// TestSuiteTests: tests that need a server of their own are left out.
func TestSuiteTests(t *testing.T) {
	s := &serverSuite{folder: t.TempDir()}
	for name, text := range map[string]string{
		"main/plain.test": "select 1;\n", "main/opt.test": "select 1;\n", "main/opt-master.opt": "--x\n", "main/cnf.test": "", "main/cnf.cnf": "",
		"main/stops.test": "--source include/deep.inc\n", "include/deep.inc": "source include/stops.inc;\n", "include/stops.inc": "--shutdown_server 10\n",
		"main/off.test": "", "main/disabled.def": "# off2 : no\noff : MDEV-1\n", "main/comment.test": "# shutdown_server\nselect 'shutdown_server';\n",
		"suite/other/t/a.test": "", "suite/other/my.cnf": "",
	} {
		path := filepath.Join(s.tree(), name)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	for _, test := range s.tests(t, []string{"main", "other"}, "") {
		got[test.name()] = test.left
	}
	want := map[string]string{"main/plain": "", "main/comment": "", "main/opt": needsServer, "main/cnf": needsServer, "main/stops": needsRestart,
		"main/off": disabled, "other/a": needsServer}
	for name, left := range want {
		if value, found := got[name]; !found || value != left {
			t.Errorf("%s: %q, want %q", name, value, left)
		}
	}
	if len(got) != len(want) {
		t.Errorf("tests are %v", got)
	}
	if names := s.tests(t, []string{"main"}, "main/plain"); len(names) != 1 || !slices.Equal(suiteSide{only: []string{"other"}}.take(names), nil) {
		t.Errorf("one test is %v", names)
	}
}
