package rowcap_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// sharedCase is one line of testdata/cases: a fault that was seen in some
// system, as a small input with the outcome that is right.
type sharedCase struct {
	ID         string
	Title      string
	Flavor     string // mariadb, mysql8 or none
	Setup      string
	SQL        string
	Params     []any
	DefaultCap uint64  `json:"default_cap"`
	MaxCap     *uint64 `json:"max_cap"`
	Expect     struct {
		answer
		Results       []answer
		Truncated     bool
		LimitSource   string `json:"limit_source"`
		MustNotChange bool   `json:"must_not_change"`
		Error         bool
		ErrorCode     string `json:"error_code"`
		After         []struct{ SQL, Value string }
		Note          string
	}
}

// answer is the rows of one result; values are text, nil for NULL.
type answer struct {
	RowsReturned *int `json:"rows_returned"`
	Rows         [][]*string
	Columns      []string
}

func readCases(t *testing.T, path string) []sharedCase {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []sharedCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", path, len(cases), err)
	}
	return cases
}

func (c sharedCase) policy() rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = c.DefaultCap, 0
	if c.MaxCap != nil {
		p.MaxLimit = *c.MaxCap
	}
	return p
}

// recorder remembers what a door planned and answered.
type recorder struct {
	proxy.NoObserver
	mu       sync.Mutex
	plans    []rewrite.Plan
	outcomes []rewrite.Outcome
}

func (r *recorder) Planned(_ string, p rewrite.Plan) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plans = append(r.plans, p)
}

func (r *recorder) Answered(_ string, o rewrite.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, o)
}

// take returns what was recorded and forgets it.
func (r *recorder) take() ([]rewrite.Plan, []rewrite.Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	plans, outcomes := r.plans, r.outcomes
	r.plans, r.outcomes = nil, nil
	return plans, outcomes
}

// sidecar runs a door in front of a server until the test ends and returns its
// address.
func sidecar(t *testing.T, name string, s *dbtest.Server, p rewrite.Policy, o proxy.Observer) string {
	t.Helper()
	d, err := dialect.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewrite.New(d, p)
	if err != nil {
		t.Fatal(err)
	}
	upstream, err := proxy.ParseAddress(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	var door proxy.Protocol
	if name == "postgres" {
		door = pgwire.New(upstream, r, o)
	} else {
		door = mysqlwire.New(upstream, r, o)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { _ = door.Serve(ctx, client) })
		}
	})
	t.Cleanup(func() {
		stop()
		l.Close()
		sessions.Wait()
	})
	return l.Addr().String()
}

// check compares what a client got, and what the door says it did, with what is
// right.
func (c sharedCase) check(t *testing.T, got []answer, code string, plans []rewrite.Plan, outcomes []rewrite.Outcome, noticed bool) {
	t.Helper()
	if (code != "") != c.Expect.Error || c.Expect.ErrorCode != "" && code != c.Expect.ErrorCode {
		t.Errorf("error %q, want %q (%t)", code, c.Expect.ErrorCode, c.Expect.Error)
	}
	want := c.Expect.Results
	if want == nil {
		want = []answer{c.Expect.answer}
	}
	for len(got) < len(want) {
		got = append(got, answer{})
	}
	for i, w := range want {
		g := got[i]
		if w.RowsReturned != nil && len(g.Rows) != *w.RowsReturned {
			t.Errorf("result %d has %d rows, want %d", i, len(g.Rows), *w.RowsReturned)
		}
		if w.Rows != nil && !slices.EqualFunc(g.Rows, w.Rows, equalRows) {
			t.Errorf("result %d has rows %v, want %v", i, show(g.Rows), show(w.Rows))
		}
		if w.Columns != nil && !slices.Equal(g.Columns, w.Columns) {
			t.Errorf("result %d has columns %v, want %v", i, g.Columns, w.Columns)
		}
	}
	if len(plans) == 0 {
		t.Fatal("the door planned nothing")
	}
	plan := plans[len(plans)-1]
	if c.Expect.MustNotChange && len(plan.Edits) > 0 {
		t.Errorf("the text was changed: %v", plan.Edits)
	}
	source, missing := plan.Cap.Source, false
	for _, o := range outcomes {
		source = o.Plan.Cap.Source
		// Where no row is probed for, reaching the cap is all that can be known.
		missing = missing || o.Completeness != rewrite.Complete
	}
	if source.String() != c.Expect.LimitSource {
		t.Errorf("limit source %s, want %s (%s: %s)", source, c.Expect.LimitSource, plan.Method, plan.Why)
	}
	if missing != c.Expect.Truncated || noticed != c.Expect.Truncated {
		t.Errorf("rows missing: %t, the client was told: %t, want %t (%s: %s)", missing, noticed, c.Expect.Truncated, plan.Method, plan.Why)
	}
}

func equalRows(a, b []*string) bool {
	return slices.EqualFunc(a, b, func(x, y *string) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) })
}

func show(rows [][]*string) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		for _, v := range r {
			if v == nil {
				out[i] = append(out[i], "NULL")
			} else {
				out[i] = append(out[i], *v)
			}
		}
	}
	return out
}
