package rowcap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzed are targets for scripts/fuzz: one that holds, one with an input that fails, and one
// that fails only while it is fuzzed, as one does on a machine that has no time for it.
const fuzzed = `package fuzzed

import (
	"os"
	"strings"
	"testing"
)

func FuzzHolds(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {})
}

func FuzzFails(f *testing.F) {
	f.Add([]byte("good"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 && b[0] != 'g' {
			t.Fatal("it is bad")
		}
	})
}

func FuzzUnstable(f *testing.F) {
	f.Add([]byte("good"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(strings.Join(os.Args, " "), "fuzzworker") && len(b) > 0 && b[0] != 'g' {
			t.Fatal("it takes too long")
		}
	})
}
`

// TestFuzzScript runs scripts/fuzz on a module of its own. An input that fails again fails
// the run and stays where go test finds it; one that does not is put aside.
func TestFuzzScript(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("scripts/fuzz")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"scripts/fuzz": string(script), "go.mod": "module fuzzed\n\ngo 1.26\n", "fuzzed/fuzzed_test.go": fuzzed} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) (out string, status int) {
		cmd := exec.Command("bash", append([]string{filepath.Join(dir, "scripts/fuzz")}, args...)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		text, err := cmd.CombinedOutput()
		if err != nil && cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(text), cmd.ProcessState.ExitCode()
	}
	if out, status := run("list"); status != 0 || out != "fuzzed FuzzHolds\nfuzzed FuzzFails\nfuzzed FuzzUnstable\n" {
		t.Errorf("list: exit status %d\n%s", status, out)
	}
	for _, c := range []struct {
		args   []string
		want   string // target and result
		status int
	}{
		{[]string{"run", "3s", "Fails"}, "FuzzFails FAILED", 1},
		{[]string{"run", "3s", "Unstable"}, "FuzzUnstable unstable", 0},
		{[]string{"run", "1s", "Holds"}, "FuzzHolds passed", 0},
		{[]string{"run", "1s", "None"}, "", 1},
		{[]string{"budget", "3"}, "", 1},
		{[]string{"budget", "9"}, "FuzzHolds passed", 1}, // the failing input is a seed by now
		{[]string{"report"}, "", 0},
	} {
		out, status := run(c.args...)
		target, result, _ := strings.Cut(c.want, " ")
		found := c.want == ""
		for line := range strings.Lines(out) {
			words := strings.Fields(line)
			found = found || len(words) == 6 && words[1] == target && words[5] == result
		}
		if status != c.status || !found {
			t.Errorf("%v: exit status %d, want %q and %d\n%s", c.args, status, c.want, c.status, out)
		}
	}
	for pattern, many := range map[string]int{"fuzzed/testdata/fuzz/FuzzFails/*": 1, ".cache/fuzz/unstable/fuzzed/FuzzUnstable/*": 1, "fuzzed/testdata/fuzz/FuzzUnstable/*": 0} {
		if files, err := filepath.Glob(filepath.Join(dir, pattern)); err != nil || (len(files) > 0) != (many > 0) {
			t.Errorf("%s: %q, %v", pattern, files, err)
		}
	}
}
