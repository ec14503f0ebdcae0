package mcp

import (
	"bufio"
	"context"
	"fmt"
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

// startHTTP serves c on the loopback interface until stop is called.
func startHTTP(t *testing.T, c Config) (address string, stop func(), ended chan error) {
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
	ended = make(chan error, 1)
	go func() {
		ended <- HTTP{Token: testToken, Hosts: []string{"db.example"}, Requests: 4}.Serve(ctx, l, server)
	}()
	return l.Addr().String(), stop, ended
}

// serveHTTP serves c on the loopback interface until the test ends.
func serveHTTP(t *testing.T, c Config) (address string) {
	t.Helper()
	address, stop, ended := startHTTP(t, c)
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
	return address
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
	if _, err := (HTTP{Requests: 1}).Handler(t.Context(), nil, nil); err == nil {
		t.Error("no token is needed")
	}
	if at, err := ListenAddress("0.0.0.0:80"); err != nil || at != "0.0.0.0:80" {
		t.Errorf("%s, %v", at, err)
	}
	if _, err := ListenAddress("80"); err == nil {
		t.Error("80 is taken for an address")
	}
}

// TestHTTPIsBusy has as many calls wait as are worked on at once, and clients that do not
// send what they began, which take nobody's place.
func TestHTTPIsBusy(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	address := serveHTTP(t, newConfig(t, s, db, knobs{def: 5, max: 10}))
	const head = "POST " + Path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + testToken + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s"
	send := func(length int, session, body string) *bufio.Reader {
		t.Helper()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(conn, head, length, session, body)
		return bufio.NewReader(conn)
	}
	status := func(from *bufio.Reader) int {
		t.Helper()
		r, err := http.ReadResponse(from, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode
	}
	var slow []*bufio.Reader
	for range 6 {
		slow = append(slow, send(100, "", "{"))
	}
	if got := status(send(1, "", "{")); got != http.StatusBadRequest {
		t.Errorf("beside slow clients: status %d", got)
	}
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`
	r, err := http.ReadResponse(send(len(body), "", body), nil)
	if err != nil {
		t.Fatal(err)
	}
	session := "Mcp-Session-Id: " + r.Header.Get("Mcp-Session-Id") + "\r\n"
	const told = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	if got := status(send(len(told), session, told)); got != http.StatusAccepted {
		t.Fatalf("status %d", got)
	}
	call := func(i int) {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT /* busy-%d */ count(*) FROM (SELECT generate_series(1, 100000000000)) s"}}}`, 10+i, i)
		send(len(call), session, call)
	}
	for i := range 4 {
		call(i)
	}
	s.Begun(t, "busy")
	for i, deadline := 4, time.Now().Add(10*time.Second); ; i++ {
		if got := status(send(len(told), session, told)); got == http.StatusServiceUnavailable {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("with four calls at once: status %d", got)
		}
		call(i) // one may have come before the request ahead of it was over, and found no room
		time.Sleep(20 * time.Millisecond)
	}
	for _, from := range slow {
		if got := status(from); got != http.StatusRequestTimeout {
			t.Errorf("a request that does not come: status %d", got)
		}
	}
}
