package conformance

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var resume = flag.Bool("resume", false, "take those results of MariaDB's suite that a stopped run left in the folder of -detail, but run the tests again that differ without a reason")

// saved is the path without ending under which a side leaves what it finds, in the
// folder of the flag -detail.
func (r *suiteRun) saved(name string) string {
	return filepath.Join(*detail, "mariadb-suite", r.side.name, strings.ReplaceAll(name, "/", "."))
}

// keep leaves what a test printed.
func (r *suiteRun) keep(t *testing.T, test suiteTest, result *suiteResult) {
	t.Helper()
	path := r.saved(test.name())
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if n := len(r.results[test.name()].others); n > 0 {
		path = fmt.Sprintf("%s.%d", path, n+1)
	}
	text := fmt.Sprintf("%s\n# %s, %v\n%s", result.output, result.status, result.took.Round(time.Millisecond), result.errors)
	if err := os.WriteFile(path+".out", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// keepStatements leaves what the sidecar counted.
func (r *suiteRun) keepStatements(t *testing.T) {
	text, err := json.Marshal(r.statements)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(r.saved("statements")), 0o777)
	}
	if err == nil {
		err = os.WriteFile(r.saved("statements")+".json", text, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// resume reads what a run has left, and forgets of it the tests that differ without a
// reason.
func (c *suiteComparison) resume(t *testing.T, reasons map[string]string) {
	if *detail == "" {
		t.Fatal("-resume needs -detail")
	}
	for _, run := range c.runs {
		for _, test := range run.side.take(c.tests) {
			if result := readResult(run.saved(test.name()) + ".out"); result != nil {
				run.results[test.name()] = result
			}
		}
		if text, err := os.ReadFile(run.saved("statements") + ".json"); err == nil {
			if err := json.Unmarshal(text, &run.statements); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, run := range c.runs {
		direct := c.find(run.side.direct)
		if direct == nil {
			continue
		}
		for _, test := range run.side.take(c.tests) {
			got, want := run.results[test.name()], direct.results[test.name()]
			if got == nil || want == nil || !got.like(want) && reasonOf(reasons, run.side, test) == "" {
				delete(run.results, test.name())
				delete(direct.results, test.name())
			}
		}
		t.Logf("%s: %d results of %d are taken from before", run.side.name, len(run.results), len(run.side.take(c.tests)))
	}
}

// readResult reads what keep has written; nil if there is nothing whole.
func readResult(path string) *suiteResult {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	for _, status := range []string{suitePassed, suiteSkipped, suiteFailed, suiteHung} {
		if at := strings.LastIndex(string(text), "\n# "+status+", "); at >= 0 {
			return &suiteResult{status: status, output: string(text[:at])}
		}
	}
	return nil
}
