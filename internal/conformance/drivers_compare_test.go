package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// expectedFailures says which of the drivers' tests need not pass through the
// sidecar, and why: package/Test and the reason on each line.
const expectedFailures = "testdata/drivers.txt"

// driverRuns is a driver's suite, straight and through the sidecar.
type driverRuns struct {
	driver
	server, on      string // on is printed behind the driver
	direct, through goTests
	statements      map[string]int
	differences     []difference
}

// judge fails the test for what no reason allows, and logs what fails direct too.
func (r *driverRuns) judge(t *testing.T) {
	for _, fault := range r.compare(readReasons(t, expectedFailures)) {
		t.Error(fault)
	}
	for _, key := range r.direct.keys() {
		if r.direct.results[key] == "fail" && isTest(key) {
			t.Logf("%s fails direct too", key)
		}
	}
	t.Logf("direct %v, sidecar %v: %v", r.direct.took, r.through.took, r.statements)
}

// compare holds the run through the sidecar to the direct one, and returns what no
// reason allows.
func (r *driverRuns) compare(reasons map[string]string) (faults []string) {
	for _, key := range r.direct.keys() {
		want, got := r.direct.results[key], r.through.results[key]
		if want == got || want == "fail" || !isTest(key) {
			continue
		}
		if got == "" {
			got = "not run"
		}
		name := strings.Replace(key, " ", "/", 1)
		d := difference{test: name, what: got + ", and " + want + " direct", reason: reasons[name]}
		r.differences = append(r.differences, d)
		if d.reason == "" {
			faults = append(faults, fmt.Sprintf("%s: %s:\n%s", name, d.what, r.through.outputs[key]))
		}
	}
	if r.statements["probe"] == 0 {
		faults = append(faults, "the sidecar bounded no statement: the tests did not go through it")
	}
	return faults
}

// driversPage is the drivers' part of docs/conformance.md.
func driversPage(ran []driverRuns) string {
	var b strings.Builder
	b.WriteString("| driver | tests passed direct | of these through the sidecar | failed direct | skipped | passed when run again, direct and through the sidecar | statements that the sidecar bounded |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range ran {
		fmt.Fprintf(&b, "| `%s@%s`%s | %s | **%s** | %d | %d | %d, %d | %s |\n", r.module, r.version, r.on, thousands(r.direct.count("pass")),
			thousands(r.direct.count("pass")-len(r.differences)), r.direct.count("fail"), r.direct.count("skip"),
			r.direct.again, r.through.again, thousands(r.statements["probe"]+r.statements["exact"]+r.statements["guard"]))
	}
	head := "\n| test | what differs | why |\n|---|---|---|\n"
	for _, r := range ran {
		for _, d := range r.differences {
			fmt.Fprintf(&b, "%s| `%s`%s | %s | %s |\n", head, d.test, r.on, d.what, orFault(d.reason))
			head = ""
		}
	}
	return b.String()
}
