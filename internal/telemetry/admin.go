package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rowcap/rowcap/proxy"
)

const (
	// freshFor is how long an answer of /readyz is given again, so that many
	// probes make one connection to each upstream.
	freshFor = time.Second
	// dialTimeout bounds one try to reach an upstream.
	dialTimeout = 2 * time.Second
)

// Check is one route whose readiness is asked for.
type Check struct {
	// Name says which route it is, as postgres 127.0.0.1:6432.
	Name string
	// Listening reports whether connections are accepted.
	Listening func() bool
	// Upstreams are dialled, up to the first that accepts, to see whether the
	// server behind the route can be reached. The connection is closed at once,
	// nothing is sent.
	Upstreams proxy.Upstreams
}

// Admin answers /healthz (200 as long as the process lives), /readyz (200 if
// every route listens and its upstream can be reached, else 503, with a line
// for each route) and /metrics.
type Admin struct {
	mux    *http.ServeMux
	checks []Check

	mu    sync.Mutex // held while upstreams are dialled
	made  time.Time
	ready bool
	text  string
}

// NewAdmin returns an Admin for the routes in checks.
func NewAdmin(m *Metrics, checks []Check) *Admin {
	a := &Admin{mux: http.NewServeMux(), checks: checks}
	a.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "ok\n")
	})
	a.mux.HandleFunc("GET /readyz", a.readyz)
	a.mux.Handle("GET /metrics", m)
	return a
}

// ServeHTTP answers one request.
func (a *Admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	a.mux.ServeHTTP(w, r)
}

// Serve answers requests on l until ctx is done.
func (a *Admin) Serve(ctx context.Context, l net.Listener) error {
	s := &http.Server{Handler: a, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(closed)
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		defer cancel()
		if s.Shutdown(patience) != nil {
			s.Close()
		}
	})
	err := s.Serve(l)
	if !stop() {
		<-closed
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("the admin listener on %s failed: %w", l.Addr(), err)
}

func (a *Admin) readyz(w http.ResponseWriter, r *http.Request) {
	ready, text := a.readiness(context.WithoutCancel(r.Context()))
	if !ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	io.WriteString(w, text)
}

// readiness checks every route, or repeats what was found a moment ago.
func (a *Admin) readiness(ctx context.Context) (ready bool, text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.made.IsZero() && time.Since(a.made) < freshFor {
		return a.ready, a.text
	}
	lines := make([]string, len(a.checks))
	good := make([]bool, len(a.checks))
	var wg sync.WaitGroup
	for i, c := range a.checks {
		wg.Go(func() { good[i], lines[i] = c.run(ctx) })
	}
	wg.Wait()
	a.ready, a.text = true, strings.Join(lines, "")
	for _, ok := range good {
		a.ready = a.ready && ok
	}
	a.made = time.Now()
	return a.ready, a.text
}

func (c Check) run(ctx context.Context) (ok bool, line string) {
	if !c.Listening() {
		return false, fmt.Sprintf("%s: not listening\n", c.Name)
	}
	conn, at, err := c.Upstreams.Dial(ctx, dialTimeout, 0)
	if err != nil {
		return false, fmt.Sprintf("%s: the upstream %s cannot be reached: %v\n", c.Name, c.Upstreams, err)
	}
	conn.Close()
	return true, fmt.Sprintf("%s: ready, the upstream %s accepts connections\n", c.Name, at)
}
