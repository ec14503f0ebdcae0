package property

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// tally counts what the drawn statements were, so that a test can see that it tested.
type tally struct{ counts map[string]int }

func (t *tally) count(what string) {
	if t.counts == nil {
		t.counts = map[string]int{}
	}
	t.counts[what]++
}

func (t *tally) String() string {
	var lines []string
	for what, n := range t.counts {
		lines = append(lines, fmt.Sprintf("%6d %s", n, what))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// accepted checks that the server accepted most statements.
func (t *tally) accepted(test *testing.T) {
	rejected, all := t.counts["rejected"], t.counts["statements"]
	if all > 100 && rejected*10 > all {
		test.Errorf("the server rejects %d of %d statements: the generator is to be mended", rejected, all)
	}
}
