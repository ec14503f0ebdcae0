package corpus

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/rewrite"
)

// fakeServer answers the original text with whole and the capped one with capped.
type fakeServer struct {
	whole, capped               answer
	prepareCapped, runCapped    error
	changedLabels, tie, changes bool
	rerun                       error  // of the original, after the first time
	own                         answer // as the server cuts it
	noCut                       error
	runs                        int
}

func (f *fakeServer) prepare(sql string) (string, error) {
	if strings.HasSuffix(sql, "LIMIT 2") {
		if f.changedLabels {
			return "b", f.prepareCapped
		}
		return "a", f.prepareCapped
	}
	return "a", nil
}

func (f *fakeServer) run(sql string) (answer, error) {
	if strings.Contains(sql, "LIMIT") {
		return f.capped, f.runCapped
	}
	if f.runs++; f.runs > 1 && f.rerun != nil {
		return answer{}, f.rerun
	}
	if f.runs > 1 && f.changes {
		return rows("x"), nil
	}
	return f.whole, nil
}

func (f *fakeServer) cut(string, int) (answer, error)   { return f.own, f.noCut }
func (f *fakeServer) tied(rewrite.Plan, answer) bool    { return f.tie }
func (f *fakeServer) dependsOnPlan(string, answer) bool { return false }
func rows(values ...string) answer                      { return answer{"a", values, len(values)} }
func (a answer) labelled(columns string) answer         { a.columns = columns; return a }

// TestChecker shows that the checks see what they are there for.
func TestChecker(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		server    fakeServer
		want      []string // findings
		explained int
	}{
		{"well", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("1", "2")}, nil, 0},
		{"some of the rows", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("2", "1")}, nil, 0},
		{"not the first of an order", "SELECT a FROM t ORDER BY a", fakeServer{whole: rows("1", "2"), capped: rows("2", "1")}, []string{"rows"}, 0},
		{"a tie", "SELECT a FROM t ORDER BY a", fakeServer{whole: rows("1", "2"), capped: rows("2", "1"), tie: true}, nil, 1},
		{"other rows", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("3", "1"), tie: true}, []string{"rows"}, 0},
		{"a row twice", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("1", "1"), tie: true}, []string{"rows"}, 0},
		{"an original that changes", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("3", "1"), changes: true}, nil, 1},
		{"too few rows", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("1")}, []string{"rows"}, 0},
		{"too many rows", "SELECT a FROM t", fakeServer{whole: rows("1", "2", "3"), capped: rows("1", "2", "3")}, []string{"count", "rows"}, 0},
		{"rows of the server's own cut", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("3", "1"), own: rows("1", "3")}, nil, 1},
		{"too few rows of the server's own cut", "SELECT a FROM t", fakeServer{whole: rows("1", "2"), capped: rows("3"), own: rows("3")}, []string{"rows"}, 0},
		{"labels of the server's own cut", "SELECT a FROM t", fakeServer{whole: rows("1"), capped: rows("1").labelled("b"), own: rows("1").labelled("b")}, nil, 1},
		{"labels", "SELECT a FROM t", fakeServer{whole: rows("1"), capped: rows("1").labelled("b")}, []string{"labels"}, 0},
		{"prepared labels", "SELECT a FROM t", fakeServer{whole: rows("1"), capped: rows("1"), changedLabels: true}, []string{"labels"}, 0},
		{"a new error", "SELECT a FROM t", fakeServer{whole: rows("1"), prepareCapped: errors.New("no")}, []string{"prepare"}, 0},
		{"a new error at run time", "SELECT a FROM t", fakeServer{whole: rows("1"), runCapped: errors.New("no")}, []string{"execute"}, 0},
		{"an error of the original's own", "SELECT a FROM t", fakeServer{whole: rows("1"), runCapped: errors.New("no"), rerun: errors.New("no")}, nil, 1},
		{"a row with the text", "SELECT a FROM t ORDER BY a", fakeServer{whole: rows("1", "2"), capped: rows("2", "SELECT a FROM t ORDER BY a LIMIT 2, SELECT a FROM t ORDER BY a LIMIT 3")}, nil, 1},
		{"a second row", "SELECT 1", fakeServer{whole: rows("1", "2")}, []string{"verdict"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			planner, err := rewrite.New(mysql.New(), capOne(1))
			if err != nil {
				t.Fatal(err)
			}
			k := &checker{tally: newTally("fake", ""), server: &c.server, rewriter: planner}
			k.check(c.sql)
			var got []string
			for _, f := range k.tally.findings {
				got = append(got, f.what)
			}
			// The caps beside the first one find the same again.
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v: %v", got, c.want, k.tally.findings)
			}
			if total(k.tally.explained) < c.explained || c.explained == 0 && total(k.tally.explained) > 0 {
				t.Errorf("explained %v", k.tally.explained)
			}
		})
	}
}
