package corpus

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// tally counts what was seen of one suite.
type tally struct {
	server, suite    string
	files, abandoned int
	statements       int // sent to the server
	accepted         int // without an error
	several          int // texts of several statements
	refused          int // queries that the server does not accept
	otherUnread      int // unread statements with rows that are no queries
	ruleRows         int // writes that send the rows of a rule

	queries, rewritten, kept int // accepted queries, by what became of them
	stored                   int // queries whose rows are stored: left on purpose
	preparesStores           bool
	guards                   map[string]int
	examples                 map[string][]example

	prepares, pairs, prefix, subset int
	explained, notRun               map[string]int
	verdicts                        map[rewrite.Completeness]int

	findings []finding
	took     time.Duration
}

type example struct{ file, statement string }

// finding is something that must not be.
type finding struct{ what, file, original, rewritten, detail string }

func newTally(server, suite string) *tally {
	return &tally{server: server, suite: suite, guards: map[string]int{}, examples: map[string][]example{},
		explained: map[string]int{}, notRun: map[string]int{}, verdicts: map[rewrite.Completeness]int{}}
}

// guard counts one more guarded query.
func (t *tally) guard(why, file, statement string) {
	t.guards[why]++
	t.examples[why] = append(t.examples[why], example{file, statement})
}

func (t *tally) guarded() (n int) {
	for _, c := range t.guards {
		n += c
	}
	return n
}

// deliberate are the reasons of guards that are there because a limit would change
// what the statement does.
var deliberate = map[string]bool{
	"WITH TIES can return more rows than its number":                               true,
	"WITH TIES can return more rows than its parameter":                            true,
	"the statement locks the rows of its own limit":                                true,
	"the statement evaluates functions with effects for the rows of its own limit": true,
	"the rows depend on functions that change with every row":                      true,
	"the server returns too few rows of DISTINCT with ROLLUP under a LIMIT":        true,
	"a hint of the statement sets sql_select_limit":                                true,
	"the limit may be no integer, and bounding it would hide the server's error":   true,
}

// left are the guards that are deliberate, and unwritten the others, by why.
func (t *tally) left() map[string]int      { return t.guardsThat(true) }
func (t *tally) unwritten() map[string]int { return t.guardsThat(false) }

func (t *tally) guardsThat(are bool) map[string]int {
	some := map[string]int{}
	for why, n := range t.guards {
		if deliberate[why] == are {
			some[why] = n
		}
	}
	return some
}

// handled is the share of the accepted queries that are rewritten, kept or
// deliberately left.
func (t *tally) handled() float64 {
	if t.queries == 0 {
		return 0
	}
	return float64(t.rewritten+t.kept+total(t.left())) / float64(t.queries) * 100
}

func (t *tally) of(what string) (n int) {
	for _, f := range t.findings {
		if f.what == what {
			n++
		}
	}
	return n
}

func (c *checker) found(what string, p rewrite.Plan, detail string) {
	c.tally.findings = append(c.tally.findings, finding{what, c.file, p.Statement.Text, rewritten(p), detail})
}

// byCount returns the keys of m, the most frequent first.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
}

// report prints the tally and fails the test for every finding.
func (t *tally) report(test *testing.T) {
	test.Logf("%s: %d files (%d abandoned), %d statements, %d accepted; %d queries: %d rewritten, %d kept, %d guarded (%.2f %% handled), %d stored; "+
		"%d prepared; %d pairs: %d from the beginning, %d some of the rows; explained %v; not run %v; verdicts %v; %s",
		t.server, t.files, t.abandoned, t.statements, t.accepted, t.queries, t.rewritten, t.kept, t.guarded(), t.handled(), t.stored,
		t.prepares, t.pairs, t.prefix, t.subset, t.explained, t.notRun, t.verdicts, t.took.Round(time.Second))
	for _, why := range byCount(t.guards) {
		test.Logf("guarded %5d: %s", t.guards[why], why)
	}
	if *detail != "" {
		t.write(test)
	}
	const most = 40
	for i, f := range t.findings {
		if i == most {
			test.Errorf("%d findings more", len(t.findings)-most)
			break
		}
		test.Errorf("%s: %s\n%s\nas\n%s\n%s", f.file, f.what, f.original, f.rewritten, f.detail)
	}
}

// write keeps everything that was guarded or found.
func (t *tally) write(test *testing.T) {
	var b strings.Builder
	for _, f := range t.findings {
		fmt.Fprintf(&b, "=== %s %s\n%s\n--- as\n%s\n--- %s\n", f.what, f.file, f.original, f.rewritten, f.detail)
	}
	name, _, _ := strings.Cut(t.server, " ")
	if err := os.WriteFile(filepath.Join(*detail, name+".findings"), []byte(b.String()), 0o644); err != nil {
		test.Fatal(err)
	}
	b.Reset()
	for _, why := range byCount(t.guards) {
		fmt.Fprintf(&b, "=== %d %s\n", t.guards[why], why)
		for _, e := range t.examples[why] {
			fmt.Fprintf(&b, "%s: %s\n", e.file, strings.ReplaceAll(e.statement, "\n", " "))
		}
	}
	if err := os.WriteFile(filepath.Join(*detail, name+".guards"), []byte(b.String()), 0o644); err != nil {
		test.Fatal(err)
	}
}
