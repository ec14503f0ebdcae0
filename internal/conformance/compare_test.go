package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// TestCompareClients: what a client saw wrong, did not see, or saw beside what is
// wanted is a fault.
func TestCompareClients(t *testing.T) {
	expected := func() *expectations {
		return &expectations{
			checks: []expectation{
				{Check: "rows", Want: map[string]any{"rows": numbers([]int{1, 2}), "count": 2.0}},
				{Check: "max_rows", Clients: []string{"one"}, Want: map[string]any{"notices": 0.0}},
			},
			exceptions: []*exception{{Client: "blind", Check: "rows.count", Why: "-"}, {Client: "lame", Mode: "slow", Check: "rows", Why: "-"}},
		}
	}
	good := saw("rows", "rows", []int{1, 2}, "count", 2)
	for _, test := range []struct {
		client, mode string
		seen         []observation
		want         verdict
		faults       string // parts of what is said, parted by commas
	}{
		{"any", "", []observation{good}, held, ""},
		{"any", "", []observation{saw("rows", "rows", []int{1, 2, 3}, "count", 2)}, failing, "rows is [1 2 3]"},
		{"any", "", []observation{saw("rows", "rows", []int{1, 2})}, failing, "count is <nil>"},
		{"any", "", nil, failing, "rows: nothing was seen"},
		{"any", "", []observation{saw("rows")}, failing, "rows: nothing was seen"},
		{"any", "", []observation{good, good}, held, "twice"},
		{"any", "", []observation{good, saw("other", "x", 1)}, held, "other is not in"},
		{"one", "", []observation{good}, held, "max_rows: nothing was seen"},
		{"one", "", []observation{good, saw("max_rows", "notices", 0)}, held, ""},
		{"blind", "", []observation{saw("rows", "rows", []int{1, 2})}, inPart, ""},
		{"blind", "", []observation{saw("rows", "rows", []int{1, 2}, "count", 3)}, failing, "count is 3"},
		{"lame", "slow", nil, not, ""},
		{"lame", "fast", nil, failing, "rows: nothing was seen"},
	} {
		verdicts, faults := expected().compare(test.client, test.mode, test.seen)
		said := strings.Join(faults, "\n")
		if verdicts["rows"] != test.want || (said == "") != (test.faults == "") || !strings.Contains(said, test.faults) {
			t.Errorf("%s %s, %v: %q, %q", test.client, test.mode, test.seen, verdicts["rows"], said)
		}
	}
}

// TestExpectationsOfServers: what names a server holds there only.
func TestExpectationsOfServers(t *testing.T) {
	all := &expectations{
		checks:     []expectation{{Check: "rows", Want: map[string]any{"count": 2.0}}, {Check: "returning", Server: "mariadb", Want: map[string]any{"stored": 8.0}}},
		exceptions: []*exception{{Client: "old", Server: "mysql", Check: "*", Why: "-"}},
	}
	rows, returning := saw("rows", "count", 2), saw("returning", "stored", 8)
	for _, test := range []struct {
		server string
		seen   []observation
		faults int
	}{
		{"mariadb", []observation{rows, returning}, 0},
		{"mariadb", []observation{rows}, 1},
		{"mariadb", nil, 2},
		{"mysql", []observation{rows}, 0},
		{"mysql", []observation{rows, returning}, 1},
		{"mysql", nil, 0},
	} {
		if _, faults := all.on(test.server).compare("old", "", test.seen); len(faults) != test.faults {
			t.Errorf("on %s, %v: %q", test.server, test.seen, faults)
		}
	}
	if !all.exceptions[0].used {
		t.Error("the exception was used and is not noted so")
	}
}

// TestCompareRegressions: a test that prints or ends otherwise is a fault unless
// it has a reason, and so is a suite that did not go through the sidecar.
func TestCompareRegressions(t *testing.T) {
	run := func(output, verdict string, bounded int) regression {
		return regression{order: []string{"select"}, verdicts: map[string]string{"select": verdict},
			outputs: map[string]string{"select": output}, statements: map[string]int{"probe": bounded}}
	}
	direct := run("1\n2\n", "ok", 0)
	for _, test := range []struct {
		through regression
		reason  string
		want    string
	}{
		{run("1\n2\n", "ok", 9), "", "[]"},
		{run("1\n3\n", "ok", 9), "", `[capped, select: line 2 is "3", and "2" direct]`},
		{run("1\n2\n4\n", "ok", 9), "", `[capped, select: line 3 is "4", and "" direct]`},
		{run("1\n3\n", "ok", 9), "a reason", "[]"},
		{run("1\n2\n", "FAILED", 9), "", "[capped, select: FAILED, and ok direct]"},
		{run("1\n2\n", "ok", 0), "", "[capped: the sidecar bounded 0 statements only: the suite did not go through it]"},
	} {
		c := comparison{runs: []regression{direct, test.through}}
		if got := fmt.Sprint(c.compare(map[string]string{"capped/select": test.reason})); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// TestCompareDrivers: what passes direct and does not through the sidecar is a
// fault unless it has a reason.
func TestCompareDrivers(t *testing.T) {
	direct := map[string]string{"p TestA": "pass", "p TestB": "fail", "p TestC": "skip", "p ": "fail"}
	for _, test := range []struct {
		through map[string]string
		reasons map[string]string
		want    int
	}{
		{map[string]string{"p TestA": "pass", "p TestB": "pass", "p TestC": "skip"}, nil, 0},
		{map[string]string{"p TestA": "fail", "p TestC": "skip"}, nil, 1},
		{map[string]string{"p TestC": "skip"}, nil, 1},
		{map[string]string{"p TestA": "skip", "p TestC": "skip"}, nil, 1},
		{map[string]string{"p TestA": "fail", "p TestC": "skip"}, map[string]string{"p/TestA": "a reason"}, 0},
	} {
		r := driverRuns{direct: goTests{results: direct}, through: goTests{results: test.through}, statements: map[string]int{"probe": 1}}
		if faults := r.compare(test.reasons); len(faults) != test.want {
			t.Errorf("%v: %q", test.through, faults)
		}
	}
	r := driverRuns{direct: goTests{results: direct}, through: goTests{results: direct}}
	if faults := r.compare(nil); len(faults) != 1 {
		t.Errorf("no statement went through the sidecar: %q", faults)
	}
}
