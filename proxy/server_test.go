package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines is a Protocol that answers each line with itself. "panic" panics, "busy"
// ends only when the time is over, "stuck" not even then, and "deaf" ignores even
// its closed connection.
type lines struct{ deaf chan struct{} }

func (lines) Name() string { return "lines" }

func (p lines) Serve(ctx context.Context, client net.Conn) error {
	defer client.Close()
	var busy, stuck atomic.Bool
	leave := func(word string) {
		fmt.Fprintln(client, word)
		client.Close()
	}
	defer OnShutdown(ctx, func() {
		if !busy.Load() {
			leave("bye")
		}
	}, func() {
		if !stuck.Load() {
			leave("time is over")
		}
	})()
	in := bufio.NewScanner(client)
	for in.Scan() {
		switch in.Text() {
		case "panic":
			panic("a bug")
		case "busy":
			busy.Store(true)
		case "stuck":
			busy.Store(true)
			stuck.Store(true)
		case "deaf":
			busy.Store(true)
			stuck.Store(true)
			fmt.Fprintln(client, "deaf")
			<-p.deaf
			return nil
		case "fail":
			return errors.New("the session failed")
		}
		fmt.Fprintln(client, in.Text())
	}
	if stuck.Load() {
		return in.Err() // blames the connection
	}
	return nil
}

// ends is an Observer that counts sessions and keeps their errors.
type ends struct {
	NoObserver
	started atomic.Int64
	mu      sync.Mutex
	errs    []error
}

func (e *ends) SessionStarted(string) { e.started.Add(1) }

func (e *ends) SessionEnded(_ string, client net.Addr, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if client == nil {
		err = errors.New("no client address")
	}
	e.errs = append(e.errs, err)
}

func (e *ends) get() []error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]error(nil), e.errs...)
}

var _ Observer = (*ends)(nil)
var _ = rewrite.Plan{}

// lockedBuffer is a log that many goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serving is a running Server.
type serving struct {
	*Server
	log  *lockedBuffer
	ends *ends
	stop context.CancelFunc
	done chan error
	addr net.Addr
}

func serve(t *testing.T, listen Address, p Protocol, drain time.Duration, balancers ...string) *serving {
	t.Helper()
	log := &lockedBuffer{}
	o := &ends{}
	trusted, err := ParseBalancers(balancers)
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Log: slog.New(slog.NewTextHandler(log, nil)), Observer: o, Drain: drain, Balancers: trusted}
	addr, err := s.Listen(Route{Listen: listen}, p)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	r := &serving{Server: s, log: log, ends: o, stop: stop, done: make(chan error, 1), addr: addr}
	go func() { r.done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		select {
		case <-r.done:
		case <-time.After(20 * time.Second):
			t.Error("the server did not stop")
		}
	})
	return r
}

func (r *serving) end(t *testing.T) error {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		r.done <- err
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("the server did not stop")
		return nil
	}
}

// say sends a line and returns the answer, "" at the end of the stream.
func say(t *testing.T, conn net.Conn, line string) string {
	t.Helper()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	if line != "" {
		fmt.Fprintln(conn, line)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

func dial(t *testing.T, addr net.Addr) net.Conn {
	t.Helper()
	conn, err := net.Dial(addr.Network(), addr.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

var anyPort = Address{Network: "tcp", Addr: "127.0.0.1:0"}

func TestServerCarriesSessions(t *testing.T) {
	r := serve(t, anyPort, lines{}, 0)
	var wg sync.WaitGroup
	for i := range 20 {
		conn := dial(t, r.addr)
		wg.Go(func() {
			want := fmt.Sprint("hello ", i)
			if got := say(t, conn, want); got != want {
				t.Errorf("got %q", got)
			}
			conn.Close()
		})
	}
	wg.Wait()
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if n, ended := r.ends.started.Load(), r.ends.get(); n != 20 || len(ended) != 20 || errors.Join(ended...) != nil {
		t.Errorf("%d sessions started, ends: %v", n, ended)
	}
	if up := r.Listening(); up[0] {
		t.Error("still listening")
	}
	if _, err := net.Dial(r.addr.Network(), r.addr.String()); err == nil {
		t.Error("the port is still open")
	}
}

func TestServerSurvivesPanics(t *testing.T) {
	r := serve(t, anyPort, lines{}, 0)
	if got := say(t, dial(t, r.addr), "panic"); got != "" {
		t.Errorf("got %q", got)
	}
	if got := say(t, dial(t, r.addr), "alive"); got != "alive" {
		t.Errorf("got %q after a panic", got)
	}
	r.end(t)
	var p *PanicError
	if !errors.As(errors.Join(r.ends.get()...), &p) || !bytes.Contains(p.Stack, []byte("lines.Serve")) {
		t.Errorf("the session ended with %v", r.ends.get())
	}
	if log := r.log.String(); !strings.Contains(log, "a bug") || !strings.Contains(log, "lines.Serve") {
		t.Errorf("log: %s", log)
	}
}

func TestServerEndsIdleSessionsAtOnce(t *testing.T) {
	r := serve(t, anyPort, lines{}, time.Minute)
	conn := dial(t, r.addr)
	say(t, conn, "hello")
	start := time.Now()
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if got := say(t, conn, ""); got != "bye" {
		t.Errorf("the client was told %q", got)
	}
}

func TestServerTellsBusySessionsWhenTheTimeIsOver(t *testing.T) {
	for _, drain := range []time.Duration{300 * time.Millisecond, -1} {
		r := serve(t, anyPort, lines{}, drain)
		conn := dial(t, r.addr)
		say(t, conn, "busy")
		start := time.Now()
		if err := r.end(t); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < drain || took > drain+3*time.Second {
			t.Errorf("took %s", took)
		}
		if got := say(t, conn, ""); got != "time is over" {
			t.Errorf("got %q", got)
		}
		if err := errors.Join(r.ends.get()...); err != nil {
			t.Errorf("the session ended with %v", err)
		}
		if log := r.log.String(); strings.Count(log, "level=WARN") != 1 || !strings.Contains(log, "the drain time is over") || !strings.Contains(log, "sessions=1 drain="+max(drain, 0).String()) {
			t.Errorf("log: %s", log)
		}
	}
}

func TestServerClosesSessionsThatStay(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the last call")
	}
	r := serve(t, anyPort, lines{}, 50*time.Millisecond)
	conn := dial(t, r.addr)
	say(t, conn, "stuck")
	if err := r.end(t); err != nil {
		t.Error(err)
	}
	if got := say(t, conn, ""); got != "" {
		t.Errorf("got %q", got)
	}
	if log := r.log.String(); !strings.Contains(log, "sessions did not end in time") || !strings.Contains(log, "sessions=1") {
		t.Errorf("log: %s", log)
	}
	err := errors.Join(r.ends.get()...)
	if err == nil || err.Error() != "rowcap is shutting down: the session did not end in time and its connection was closed" || !errors.Is(err, net.ErrClosed) {
		t.Errorf("the session ended with %v", err)
	}
}

func TestServerReportsSessionsThatCannotBeEnded(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the last call")
	}
	p := lines{deaf: make(chan struct{})}
	r := serve(t, anyPort, p, -1)
	say(t, dial(t, r.addr), "deaf")
	err := r.end(t)
	if err == nil || !strings.Contains(err.Error(), "1 sessions could not be ended") {
		t.Errorf("err = %v", err)
	}
	close(p.deaf)
}

func TestServerReportsErrors(t *testing.T) {
	r := serve(t, anyPort, lines{}, 0)
	say(t, dial(t, r.addr), "fail")
	r.end(t)
	if err := errors.Join(r.ends.get()...); err == nil || err.Error() != "the session failed" {
		t.Errorf("err = %v", err)
	}
}

// flaky is a listener whose Accept fails with errs in turn, then waits.
type flaky struct {
	errs   []error
	closed chan struct{}
	once   sync.Once
}

func (l *flaky) Accept() (net.Conn, error) {
	if len(l.errs) > 0 {
		err := l.errs[0]
		l.errs = l.errs[1:]
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: err}
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *flaky) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

func (l *flaky) Addr() net.Addr { return &net.TCPAddr{} }

func TestServerBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &lockedBuffer{}
		l := &flaky{closed: make(chan struct{})}
		for range 12 {
			l.errs = append(l.errs, syscall.EMFILE)
		}
		s := &Server{Log: slog.New(slog.NewTextHandler(log, nil))}
		s.fronts = []*front{{Listener: l, route: Route{Listen: anyPort}, protocol: lines{}}}
		ctx, stop := context.WithCancel(t.Context())
		start := time.Now()
		done := make(chan error, 1)
		go func() { done <- s.Serve(ctx) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if len(l.errs) != 0 || !s.Listening()[0] {
			t.Errorf("%d errors left, listening %v", len(l.errs), s.Listening())
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		// 5 ms doubling to 1 s: more than 5 s for 12 failures, and one line.
		if time.Since(start) < 5*time.Second || strings.Count(log.String(), "cannot accept") != 1 {
			t.Errorf("log: %s", log)
		}
	})
}

func TestServerStopsWhenAListenerFails(t *testing.T) {
	broken := &flaky{closed: make(chan struct{}), errs: []error{syscall.EBADF}}
	s := &Server{}
	if _, err := s.Listen(Route{Listen: anyPort}, lines{}); err != nil {
		t.Fatal(err)
	}
	s.fronts = append(s.fronts, &front{Listener: broken, route: Route{Listen: Address{Network: "tcp", Addr: "broken:1"}}, protocol: lines{}})
	err := s.Serve(t.Context())
	if !errors.Is(err, syscall.EBADF) || !strings.Contains(err.Error(), "the listener on broken:1 failed") {
		t.Errorf("err = %v", err)
	}
}
