package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// page is what is written of the runs; each writes what stands between its own
// two comments.
const page = "../../docs/conformance.md"

// report logs a section of the page, and writes it if the flag -update is given
// and a whole run succeeded.
func report(t *testing.T, section, text string) {
	t.Helper()
	t.Logf("%s:\n%s", section, text)
	if !*update || *only != "" || t.Failed() {
		return
	}
	whole, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := fmt.Sprintf("<!-- %s begins -->\n", section), fmt.Sprintf("<!-- %s ends -->", section)
	before, rest, found := strings.Cut(string(whole), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no place for %s: it needs the lines %q and %q", page, section, begin, end)
	}
	if err := os.WriteFile(page, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// thousands prints a number with its digits in groups.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
