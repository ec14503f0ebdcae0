package conformance

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// expectedDifferences says which tests of the suite may print other things through
// the sidecar, and why: side/test and the reason on each line.
const expectedDifferences = "testdata/regression.txt"

// comparison is what the runs of the suite say together; the first one is the
// direct one.
type comparison struct {
	server, suite string
	runs          []regression
	differences   []difference
}

// difference is a test that ends or prints otherwise through the sidecar.
type difference struct{ side, test, what, reason string }

// compare holds the runs through the sidecar to the direct one, and returns what
// no reason allows.
func (c *comparison) compare(reasons map[string]string) (faults []string) {
	direct := c.runs[0]
	for i, run := range c.runs[1:] {
		for _, name := range direct.order {
			side := sides[i+1].name
			d := difference{side: side, test: name, reason: reasons[side+"/"+name]}
			switch {
			case run.outputs[name] != direct.outputs[name]:
				d.what = firstDifference(direct.outputs[name], run.outputs[name])
			case run.verdicts[name] != direct.verdicts[name]:
				d.what = fmt.Sprintf("%s, and %s direct", run.verdicts[name], direct.verdicts[name])
			default:
				continue
			}
			c.differences = append(c.differences, d)
			if d.reason == "" {
				faults = append(faults, fmt.Sprintf("%s, %s: %s", d.side, name, d.what))
			}
		}
		if sent := run.statements["probe"] + run.statements["guard"]; sent < len(direct.order) {
			faults = append(faults, fmt.Sprintf("%s: the sidecar bounded %d statements only: the suite did not go through it", sides[i+1].name, sent))
		}
	}
	return faults
}

// readReasons reads lines of a name and a reason.
func readReasons(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	reasons := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			t.Fatalf("%s: %s has no reason", path, name)
		}
		reasons[name] = reason
	}
	return reasons
}

// firstDifference names the first line in which two texts differ.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is %q, and %q direct", i+1, b[i], a[i])
		}
	}
	return fmt.Sprintf("%d lines, and %d direct", len(b), len(a))
}

// page is the suite's part of docs/conformance.md.
func (c *comparison) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` on PostgreSQL %s, run by its own pg_regress.\n\n", c.suite, c.server)
	b.WriteString("| | direct | capped | guarded |\n|---|--:|--:|--:|\n")
	row := func(what string, value func(i int, r regression) string) {
		b.WriteString("| " + what)
		for i, r := range c.runs {
			b.WriteString(" | " + value(i, r))
		}
		b.WriteString(" |\n")
	}
	row("tests", func(_ int, r regression) string { return fmt.Sprint(len(r.order)) })
	row("pass", func(_ int, r regression) string {
		n := 0
		for _, verdict := range r.verdicts {
			if verdict == "ok" {
				n++
			}
		}
		return fmt.Sprint(n)
	})
	row("print what they print direct, byte for byte", func(i int, r regression) string {
		if i == 0 {
			return ""
		}
		n := len(r.order)
		for _, d := range c.differences {
			if d.side == sides[i].name {
				n--
			}
		}
		return fmt.Sprintf("**%d**", n)
	})
	planned := func(methods ...string) func(int, regression) string {
		return func(i int, r regression) string {
			if i == 0 {
				return ""
			}
			n := 0
			for _, m := range methods {
				n += r.statements[m]
			}
			return thousands(n)
		}
	}
	row("statements with a cap in their text", planned("probe", "exact"))
	row("statements guarded", planned("guard"))
	row("statements within a limit of their own", planned("own"))
	row("statements without rows, or with one at most", planned("pass"))
	row("statements refused", planned("refuse"))
	if len(c.differences) > 0 {
		b.WriteString("\n| side | test | what differs | why |\n|---|---|---|---|\n")
		for _, d := range c.differences {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.side, d.test, cell(d.what), orFault(d.reason))
		}
	}
	return b.String()
}

// cell makes a text fit into a cell of a table.
func cell(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "")), " ")
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return text
}

func orFault(reason string) string {
	if reason == "" {
		return "**a fault**"
	}
	return reason
}
