package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestHTTPStops ends a server that has a client which waits for messages, a connection on
// which nothing was ever asked, and a call that still runs.
func TestHTTPStops(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	for name, c := range map[string]struct {
		lock      time.Duration // how long the call has to wait for a lock
		within    time.Duration // in which the server must have ended
		answered  bool
		noneCalls bool
	}{
		"nothing runs":       {within: time.Second, noneCalls: true},
		"a call ends":        {lock: 2 * time.Second, within: lastPatience, answered: true},
		"a call is too long": {lock: lastPatience + 5*time.Second, within: lastPatience + endPatience + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			address, stop, ended := startHTTP(t, newConfig(t, s, db, knobs{def: 5, max: 10}))
			silent, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer silent.Close()
			transport := &http.Transport{}
			defer transport.CloseIdleConnections()
			session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
				&sdk.StreamableClientTransport{Endpoint: "http://" + address + Path, HTTPClient: &http.Client{Transport: withToken{transport}}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			called := make(chan error, 1)
			if !c.noneCalls {
				locked := make(chan struct{})
				go func() {
					defer close(locked)
					s.SQL(t, db, fmt.Sprintf("BEGIN; LOCK TABLE n; SELECT pg_sleep(%g); COMMIT", c.lock.Seconds()))
				}()
				defer func() { <-locked }()
				s.Begun(t, "pg_sleep")
				go func() {
					r, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "query", Arguments: arguments{"sql": "SELECT /* waits */ count(*) FROM n"}})
					if err == nil && r.IsError {
						err = fmt.Errorf("%s", textOf(r))
					}
					called <- err
				}()
				s.Begun(t, "/* waits")
			}
			began := time.Now()
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > c.within {
				t.Errorf("the server took %v to end, want at most %v", took, c.within)
			}
			if c.noneCalls {
				return
			}
			if err := <-called; (err == nil) != c.answered {
				t.Errorf("the call ends with %v", err)
			}
			s.Gone(t, "/* waits")
		})
	}
}

// TestHTTPClientLeaves cuts the connection on which a client waits for an answer.
func TestHTTPClientLeaves(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	address := serveHTTP(t, newConfig(t, s, db, knobs{def: 5, max: 10}))
	post := func(session, body string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if session != "" {
			session = "Mcp-Session-Id: " + session + "\r\n"
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
			Path, address, testToken, session, len(body), body)
		return conn
	}
	first := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	defer first.Close()
	r, err := http.ReadResponse(bufio.NewReader(first), nil)
	if err != nil {
		t.Fatal(err)
	}
	session := r.Header.Get("Mcp-Session-Id")
	if body, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(body), "rowcap") {
		t.Fatalf("%s %v", body, err)
	}
	told := post(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	defer told.Close()
	if _, err := http.ReadResponse(bufio.NewReader(told), nil); err != nil {
		t.Fatal(err)
	}
	calls := post(session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT /* left-alone */ count(*) FROM (SELECT generate_series(1, 100000000000)) s"}}}`)
	s.Begun(t, "left-alone")
	calls.Close()
	s.Gone(t, "left-alone")
}
