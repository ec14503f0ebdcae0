package mysqlwire_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// recorder is an Observer that keeps what it is told.
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

// last returns the last outcome.
func (r *recorder) last(t testing.TB) rewrite.Outcome {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.outcomes) == 0 {
		t.Fatal("no outcome was reported")
	}
	return r.outcomes[len(r.outcomes)-1]
}

// lastPlan returns the last plan.
func (r *recorder) lastPlan(t testing.TB) rewrite.Plan {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.plans) == 0 {
		t.Fatal("no plan was reported")
	}
	return r.plans[len(r.plans)-1]
}

// running is a door with an accept loop before it.
type running struct {
	*recorder
	addr string
	// stop tells the sessions to end, and cut then that their time is over.
	stop, cut func()
	// ended has what Serve returned, session by session.
	ended chan error
}

// policy is that of most tests.
func policy(def, most uint64) rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = def, most
	return p
}

// serve opens a door to upstream, with what set changes. At the test's end no
// session may be left.
func serve(t testing.TB, upstream string, p rewrite.Policy, set ...func(*mysqlwire.Door)) *running {
	t.Helper()
	return serveOn(t, "tcp", "127.0.0.1:0", upstream, p, set...)
}

// serveOn is serve on a listener of its own.
func serveOn(t testing.TB, network, listen, upstream string, p rewrite.Policy, set ...func(*mysqlwire.Door)) *running {
	t.Helper()
	r, err := rewrite.New(mysql.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	address, err := proxy.ParseAddress(upstream)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen(network, listen)
	if err != nil {
		t.Fatal(err)
	}
	run := &running{recorder: &recorder{}, addr: l.Addr().String(), ended: make(chan error, 1000)}
	door := mysqlwire.New(address, r, run.recorder)
	door.ConnectTimeout = 3 * time.Second
	for _, change := range set {
		change(door)
	}
	over := make(chan struct{})
	ctx, cancel := context.WithCancelCause(context.Background())
	run.stop = func() { cancel(&proxy.Shutdown{Over: over}) }
	run.cut = sync.OnceFunc(func() { close(over) })
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { run.ended <- door.Serve(ctx, conn) })
		}
	})
	t.Cleanup(func() {
		run.stop()
		l.Close()
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("sessions are left that do not end")
		}
	})
	return run
}

// wait returns what the next session to end returned.
func (r *running) wait(t testing.TB) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(15 * time.Second):
		t.Fatal("the session does not end")
		return nil
	}
}

// eachServer runs test against every flavour of server at hand.
func eachServer(t *testing.T, test func(t *testing.T, s *dbtest.Server)) {
	t.Run("mariadb", func(t *testing.T) { test(t, dbtest.MariaDB(t)) })
	t.Run("mysql", func(t *testing.T) { test(t, dbtest.MySQL(t)) })
}
