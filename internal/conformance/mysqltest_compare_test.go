package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// suiteDifferences says which tests of MariaDB's suite may print other things
// through the sidecar, and why: suite/test, or side/suite/test for one side only, and
// the reason on each line.
const suiteDifferences = "testdata/mariadb-suite.txt"

// suiteComparison is what the runs of MariaDB's suite say together.
type suiteComparison struct {
	suite *serverSuite
	tests []suiteTest
	runs  []*suiteRun
}

func (c *suiteComparison) find(side string) *suiteRun {
	for _, run := range c.runs {
		if run.side.name == side {
			return run
		}
	}
	return nil
}

// like says whether some run of a test printed what some run of it printed on the
// other side. How it ended is part of the output, but for a hang.
func (r *suiteResult) like(direct *suiteResult) bool {
	if r == nil || direct == nil {
		return r == direct
	}
	if r.status != direct.status && len(r.others) == 0 {
		return false
	}
	outputs := append([]string{direct.output}, direct.others...)
	return slices.Contains(outputs, r.output) || slices.ContainsFunc(r.others, func(o string) bool { return slices.Contains(outputs, o) })
}

// compare holds a run through the sidecar to its direct one, and returns what
// differs and what no reason allows.
func (c *suiteComparison) compare(run, direct *suiteRun, reasons map[string]string) (differences []difference, faults []string) {
	used := map[string]bool{}
	for _, test := range run.side.take(c.tests) {
		got, want := run.results[test.name()], direct.results[test.name()]
		if got.like(want) {
			continue
		}
		key := run.side.name + "/" + test.name()
		d := difference{side: run.side.name, test: test.name(), reason: reasonOf(reasons, run.side, test)}
		used[key] = true
		switch {
		case got == nil || want == nil:
			d.what = "not run"
		case got.output != want.output:
			d.what = firstDifference(want.output, got.output)
		default:
			d.what = got.status + ", and " + want.status + " direct"
		}
		differences = append(differences, d)
		if d.reason == "" {
			faults = append(faults, fmt.Sprintf("%s: %s", key, d.what))
		}
	}
	if sent := run.statements["probe"] + run.statements["exact"] + run.statements["guard"]; sent < len(run.side.take(c.tests)) {
		faults = append(faults, fmt.Sprintf("%s: the sidecar bounded %d statements only: the suite did not go through it", run.side.name, sent))
	}
	if *only != "" {
		return differences, faults
	}
	for key := range reasons {
		if strings.HasPrefix(key, run.side.name+"/") && !used[key] {
			faults = append(faults, fmt.Sprintf("%s is the same after all: remove the line from %s", key, suiteDifferences))
		}
	}
	return differences, faults
}

// reasonOf returns why a test may print other things on a side; empty for no reason.
func reasonOf(reasons map[string]string, side suiteSide, test suiteTest) string {
	return cmp.Or(reasons[side.name+"/"+test.name()], reasons[test.name()])
}

// suiteCounts are the numbers of tests of a suite.
type suiteCounts struct{ all, left, skipped, passed, same, samePassed int }

func (c *suiteComparison) count(suite string, run, direct *suiteRun) (n suiteCounts) {
	for _, test := range c.tests {
		if test.suite != suite {
			continue
		}
		n.all++
		want := direct.results[test.name()]
		switch {
		case test.left != "":
			n.left++
		case want != nil && want.status == suiteSkipped:
			n.skipped++
		case want != nil:
			same := run.results[test.name()].like(want)
			if want.status == suitePassed {
				n.passed++
				n.samePassed += number(same)
			}
			n.same += number(same)
		}
	}
	return n
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// page is a side's part of docs/conformance.md.
func (c *suiteComparison) page(run, direct *suiteRun, differences []difference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`, run by its own mysqltest on the MariaDB of the same version.\n\n", c.suite.version)
	b.WriteString("| suite | tests | left out | skip themselves | run | print what they print direct, byte for byte | pass direct | pass through the sidecar, the same output |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, suite := range serverSuites {
		if !slices.ContainsFunc(run.side.take(c.tests), func(t suiteTest) bool { return t.suite == suite }) {
			continue
		}
		n := c.count(suite, run, direct)
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | **%d** | %d | **%d** |\n", suite, n.all, n.left, n.skipped, n.all-n.left-n.skipped, n.same, n.passed, n.samePassed)
	}
	which := ""
	if *resume {
		which = " (counted in a part of the tests only: the run was stopped and resumed)"
	}
	fmt.Fprintf(&b, "\nStatements with a cap in their text: %s; guarded: %s; within a limit of their own: %s; without rows, or with one at most: %s; refused: %s%s.\n",
		thousands(run.statements["probe"]+run.statements["exact"]), thousands(run.statements["guard"]), thousands(run.statements["own"]),
		thousands(run.statements["pass"]), thousands(run.statements["refuse"]), which)
	if len(differences) > 0 {
		b.WriteString("\n| test | what differs | why |\n|---|---|---|\n")
		for _, d := range differences {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", d.test, cell(d.what), orFault(d.reason))
		}
	}
	return b.String()
}
