package rowcap_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"strings"
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

// sharedCase is one line of testdata/cases, whose README.md says what the fields
// mean: a fault that was seen in some system, or a sibling of one, as a small
// input with the outcome that is right.
type sharedCase struct {
	ID      string
	Class   string
	Title   string
	Flavor  string // mariadb, mysql8 or none
	Setup   string
	Session string
	Writes  bool
	SQL     string
	Params  []any

	DefaultCap uint64  `json:"default_cap"`
	MaxCap     *uint64 `json:"max_cap"`
	Options    struct {
		// Policy changes the policy's knobs by name.
		Policy map[string]string
		// Refused reports that nothing is sent to the server.
		Refused bool
		// Unknown reports that the cap is reached and nothing beyond it is asked
		// for, so that the reader is told although all rows may be there.
		Unknown bool
		// SidecarOnly reports that rowcap rewrite cannot know what the right outcome
		// depends on: an earlier statement of the session.
		SidecarOnly bool `json:"sidecar_only"`
		// CommandSource is the limit_source of rowcap rewrite where it cannot know
		// what the sidecar knows: a parameter's value.
		CommandSource string `json:"command_source"`
	}
	Expect struct {
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
	RowsReturned *int        `json:"rows_returned,omitempty"`
	Rows         [][]*string `json:"rows,omitempty"`
	Columns      []string    `json:"columns,omitempty"`
}

func readCases(t *testing.T, path string) []sharedCase {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// The tables that all cases of the file have.
	tables, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".sql")
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var cases []sharedCase
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c sharedCase
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.UseNumber()
		if err := d.Decode(&c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		c.Setup = string(tables) + c.Setup
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", path, len(cases), err)
	}
	return cases
}

func (c sharedCase) policy(t *testing.T) rewrite.Policy {
	t.Helper()
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = c.DefaultCap, 0
	if c.MaxCap != nil {
		p.MaxLimit = *c.MaxCap
	}
	for name, value := range c.Options.Policy {
		switch name {
		case "explicit":
			p.Explicit = rewrite.Explicit(value)
		case "unparsed":
			p.Unparsed = rewrite.Unparsed(value)
		case "copy-out":
			p.CopyOut = rewrite.CopyOut(value)
		case "catalogs":
			p.Catalogs = rewrite.Catalogs(value)
		default:
			t.Fatalf("the case sets the unknown knob %s", name)
		}
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
