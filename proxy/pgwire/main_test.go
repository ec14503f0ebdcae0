package pgwire_test

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// capped is a policy with a default limit and a maximum; 0 is none.
func capped(most, max uint64) rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = most, max
	return p
}

// recorder keeps what an Observer is told.
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

// opened is a door that accepts connections until the test is over.
type opened struct {
	door *pgwire.Door
	addr string
	seen *recorder
	ends chan error
	// cancel begins the shutdown, cut ends the time for busy sessions.
	cancel, cut func()
	wait        func()
}

// open has a door in front of upstream accept connections. When the test is
// over, all sessions must end.
func open(t testing.TB, upstream string, p rewrite.Policy, change ...func(*pgwire.Door)) *opened {
	t.Helper()
	r, err := rewrite.New(postgres.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	at, err := proxy.ParseAddress(upstream)
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{seen: &recorder{}, ends: make(chan error, 1000)}
	door := pgwire.New(at, r, o.seen)
	for _, f := range change {
		f(door)
	}
	o.door = door
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.addr = l.Addr().String()
	ctx, end := context.WithCancelCause(context.Background())
	over := make(chan struct{})
	o.cancel = func() { end(&proxy.Shutdown{Over: over}) }
	o.cut = sync.OnceFunc(func() { close(over) })
	var sessions sync.WaitGroup
	sessions.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() {
				err := door.Serve(ctx, c)
				select {
				case o.ends <- err:
				default:
				}
			})
		}
	})
	o.wait = sync.OnceFunc(func() {
		o.cancel()
		defer time.AfterFunc(5*time.Second, o.cut).Stop()
		l.Close()
		done := make(chan struct{})
		go func() { sessions.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("sessions did not end within 20 s of the shutdown")
		}
	})
	t.Cleanup(o.wait)
	return o
}

// end waits for a session to end and returns what Serve returned.
func (o *opened) end(t testing.TB) error {
	t.Helper()
	select {
	case err := <-o.ends:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("the session did not end within 10 s")
		return nil
	}
}

// through returns the server's DSN for database with the door's address.
func (o *opened) through(s *dbtest.Server, database string) string {
	u, _ := url.Parse(s.DSN(database))
	u.Host = o.addr
	return u.String()
}
