package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNewLog(t *testing.T) {
	var b bytes.Buffer
	log, err := NewLog(&b, "json", "info")
	if err != nil {
		t.Fatal(err)
	}
	log.Debug("hidden")
	log.Info("shown", "n", 1)
	var line struct {
		Msg string
		N   int
	}
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line.Msg != "shown" || line.N != 1 {
		t.Errorf("%s: %v", b.String(), err)
	}
	for _, c := range [][2]string{{"xml", "info"}, {"text", "loud"}} {
		if _, err := NewLog(&b, c[0], c[1]); err == nil || !strings.Contains(err.Error(), "use ") {
			t.Errorf("NewLog(%v): %v", c, err)
		}
	}
}

func get(t *testing.T, h http.Handler, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

func TestObserver(t *testing.T) {
	m := NewMetrics("postgres", "mysql")
	var b bytes.Buffer
	o := NewObserver(m, slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})))
	client := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 4711}

	plan := rewrite.Plan{Method: rewrite.MethodProbe, Cap: rewrite.Cap{Rows: 100, Source: rewrite.SourceDefault},
		Statement: rewrite.Statement{Kind: rewrite.KindSelect, Text: "SELECT 'a secret'"}}
	for range 3 {
		o.SessionStarted("postgres")
		o.Planned("postgres", plan)
	}
	o.Answered("postgres", rewrite.Outcome{Plan: plan, Rows: 100, Completeness: rewrite.Truncated})
	o.Answered("postgres", rewrite.Outcome{Plan: plan, Rows: 7})
	watched := plan
	watched.Observed = true
	o.Answered("mysql", rewrite.Outcome{Plan: watched, Rows: 120, Beyond: 20})
	watched.Method = rewrite.MethodRefuse
	o.Planned("mysql", watched)
	o.SessionEnded("postgres", client, nil)
	o.SessionEnded("postgres", client, errors.New("the upstream closed the connection"))
	o.SessionEnded("postgres", client, &proxy.PanicError{Value: "x"})

	_, text := get(t, m, "/metrics")
	for _, want := range []string{
		`rowcap_sessions{protocol="postgres"} 0`,
		`rowcap_sessions_total{protocol="postgres"} 3`,
		`rowcap_session_errors_total{protocol="postgres"} 2`,
		`rowcap_statements_total{kind="select",limit_source="default",method="probe",protocol="postgres"} 3`,
		`rowcap_answers_total{completeness="truncated",protocol="postgres"} 1`,
		`rowcap_answers_total{completeness="complete",protocol="postgres"} 1`,
		`rowcap_rows_delivered_total{protocol="postgres"} 107`,
		`rowcap_sessions{protocol="mysql"} 0`, `rowcap_session_errors_total{protocol="mysql"} 0`,
		`rowcap_observed_total{protocol="mysql",would="cut"} 1`, `rowcap_observed_total{protocol="mysql",would="refuse"} 1`,
		`rowcap_observed_rows_total{protocol="mysql"} 20`,
		`go_goroutines`, `process_cpu_seconds_total`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	log := b.String()
	if strings.Count(log, "session failed") != 1 || !strings.Contains(log, "10.0.0.7:4711") || !strings.Contains(log, "the upstream closed") {
		t.Errorf("log: %s", log)
	}
	if strings.Count(log, "answer would be cut") != 1 || strings.Count(log, "statement would be refused") != 1 {
		t.Errorf("log: %s", log)
	}
	if strings.Count(log, "answer capped") != 1 || strings.Contains(log, "secret") {
		t.Errorf("log: %s", log)
	}
}

func TestClientName(t *testing.T) {
	for want, a := range map[string]net.Addr{
		"unknown": nil, "unix socket": &net.UnixAddr{Net: "unix"}, "/a": &net.UnixAddr{Net: "unix", Name: "/a"},
	} {
		if got := clientName(a); got != want {
			t.Errorf("clientName(%v) = %q", a, got)
		}
	}
}

func TestObserverAllocatesNothing(t *testing.T) {
	o := NewObserver(NewMetrics(), slog.New(slog.DiscardHandler))
	p := rewrite.Plan{Method: rewrite.MethodOwn}
	out := rewrite.Outcome{Plan: p, Rows: 3, Completeness: rewrite.Truncated}
	run := func() { o.Planned("mysql", p); o.Answered("mysql", out) }
	run()
	if n := testing.AllocsPerRun(100, run); n > 0 {
		t.Errorf("%v allocations for a statement", n)
	}
}

func TestAdmin(t *testing.T) {
	upstream, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer upstream.Close()
	var dialled atomic.Int64
	go func() {
		for {
			conn, err := upstream.Accept()
			if err != nil {
				return
			}
			dialled.Add(1)
			conn.Close()
		}
	}()
	var listening atomic.Bool
	listening.Store(true)
	good := Check{Name: "postgres 127.0.0.1:6432", Listening: listening.Load, Upstreams: proxy.Upstreams{{Network: "unix", Addr: upstream.Addr().String()}}}
	bad := Check{Name: "mysql 127.0.0.1:6033", Listening: listening.Load, Upstreams: proxy.Upstreams{{Network: "unix", Addr: "/nowhere/s"}}}

	a := NewAdmin(NewMetrics(), []Check{good})
	for range 5 {
		if code, text := get(t, a, "/readyz"); code != 200 || !strings.Contains(text, "postgres 127.0.0.1:6432: ready") {
			t.Errorf("%d %s", code, text)
		}
	}
	if n := dialled.Load(); n > 2 { // 1, or 2 if a second passed meanwhile
		t.Errorf("dialled %d times", n)
	}
	if code, text := get(t, a, "/healthz"); code != 200 || text != "ok\n" {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := get(t, a, "/metrics"); code != 200 {
		t.Error(code)
	}
	if code, _ := get(t, a, "/else"); code != 404 {
		t.Error(code)
	}

	a = NewAdmin(NewMetrics(), []Check{good, bad})
	code, text := get(t, a, "/readyz")
	if code != 503 || !strings.Contains(text, "postgres 127.0.0.1:6432: ready") ||
		!strings.Contains(text, "mysql 127.0.0.1:6033: the upstream /nowhere/s cannot be reached: ") || !strings.Contains(text, "no such file") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := get(t, a, "/healthz"); code != 200 {
		t.Error("not healthy without an upstream")
	}
	listening.Store(false)
	a = NewAdmin(NewMetrics(), []Check{good})
	if code, text := get(t, a, "/readyz"); code != 503 || !strings.Contains(text, "not listening") {
		t.Errorf("%d %s", code, text)
	}
}

func TestAdminServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- NewAdmin(NewMetrics(), nil).Serve(ctx, l) }()
	r, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if string(text) != "ok\n" {
		t.Errorf("%q", text)
	}
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the admin server did not stop")
	}
	http.DefaultClient.CloseIdleConnections()
}
