package mcp

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
)

const testToken = "a token of this test"

// withToken sends the token with every request.
type withToken struct{ base http.RoundTripper }

// RoundTrip adds the token.
func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return w.base.RoundTrip(r)
}

// serveHTTP serves c on the loopback interface until the test ends.
func serveHTTP(t *testing.T, c Config) (address string) {
	t.Helper()
	server, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	at, err := ListenAddress(":0")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- HTTP{Token: testToken, Hosts: []string{"db.example"}, Requests: 4}.Serve(ctx, l, server)
	}()
	t.Cleanup(func() {
		stop()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("serve: %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not end")
		}
	})
	return l.Addr().String()
}

func TestHTTP(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	address := serveHTTP(t, newConfig(t, s, db, knobs{def: 5, max: 10}))
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("it listens on %s", address)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&sdk.StreamableClientTransport{Endpoint: "http://" + address + Path, HTTPClient: &http.Client{Transport: withToken{transport}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	c := &client{session, toolsOf(t, session)}
	a := c.call(t, "query", arguments{"sql": "SELECT i FROM n ORDER BY i"})
	if a.RowCount != 5 || !a.more() {
		t.Errorf("%s", a.raw)
	}
	if next := c.call(t, "query", arguments{"sql": "SELECT i FROM n ORDER BY i", "cursor": a.NextCursor}); next.Offset != 5 {
		t.Errorf("%s", next.raw)
	}
}

func TestHTTPRefuses(t *testing.T) {
	s := dbtest.Postgres(t)
	address := serveHTTP(t, newConfig(t, s, s.Database(t), knobs{def: 5, max: 10}))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 20 * time.Second}
	const body = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, want := range map[string]struct {
		host, origin, token, path, body string
		status                          int
	}{
		"no token":       {"", "", "", Path, body, http.StatusUnauthorized},
		"wrong token":    {"", "", "Bearer " + testToken + "x", Path, body, http.StatusUnauthorized},
		"basic":          {"", "", "Basic " + testToken, Path, body, http.StatusUnauthorized},
		"rebound host":   {"evil.example", "", "Bearer " + testToken, Path, body, http.StatusForbidden},
		"foreign origin": {"", "https://evil.example", "Bearer " + testToken, Path, body, http.StatusForbidden},
		"null origin":    {"", "null", "Bearer " + testToken, Path, body, http.StatusForbidden},
		"other path":     {"", "", "Bearer " + testToken, "/", body, http.StatusNotFound},
		"no JSON":        {"", "", "Bearer " + testToken, Path, "{", http.StatusBadRequest},
		"too large":      {"", "", "Bearer " + testToken, Path, `{"a":"` + strings.Repeat("x", maxBody) + `"}`, http.StatusRequestEntityTooLarge},
		"named host":     {"db.example:80", "https://db.example", "Bearer " + testToken, Path, "{", http.StatusBadRequest},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+want.path, strings.NewReader(want.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if want.host != "" {
			r.Host = want.host
		}
		if want.origin != "" {
			r.Header.Set("Origin", want.origin)
		}
		if want.token != "" {
			r.Header.Set("Authorization", want.token)
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		answer.Body.Close()
		if answer.StatusCode != want.status {
			t.Errorf("%s: status %d, want %d", name, answer.StatusCode, want.status)
		}
	}
	if _, err := (HTTP{Requests: 1}).Handler(nil, nil); err == nil {
		t.Error("no token is needed")
	}
	if at, err := ListenAddress("0.0.0.0:80"); err != nil || at != "0.0.0.0:80" {
		t.Errorf("%s, %v", at, err)
	}
	if _, err := ListenAddress("80"); err == nil {
		t.Error("80 is taken for an address")
	}
}

// TestClientCancels finds the statement of a client that gave up gone.
func TestClientCancels(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		c := connect(t, s, db, knobs{def: 5, max: 10})
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		slow := "SELECT count(*) FROM n a, n b, n c, n d, n e, n f, n g, n h WHERE a.i + b.i + c.i + d.i + e.i + f.i + g.i + h.i = 3"
		if _, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "query", Arguments: arguments{"sql": slow}}); err == nil {
			t.Fatal("the call was not cancelled")
		}
		running := "SELECT count(*) FROM information_schema.processlist WHERE info LIKE 'SELECT count(*) FROM n a%'"
		if s.Flavor == dbtest.FlavorPostgres {
			running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT count(*) FROM n a%'"
		}
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			if a := c.call(t, "query", arguments{"sql": running}); a.Data[0][0] == 0.0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("the statement still runs")
			}
		}
	})
}
