package mcp

import (
	"context"
	"io"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// streams connects a client to a server over pipes.
func streams(t *testing.T, ctx context.Context, c Config) (session *sdk.ClientSession, ended chan error) {
	t.Helper()
	server, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	hears, says := io.Pipe()
	reads, answers := io.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- ServeStreams(ctx, server, hears, answers) }()
	session, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), &sdk.IOTransport{Reader: reads, Writer: says}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return session, ended
}

func TestStreamsEnd(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	for _, leaves := range []bool{true, false} {
		ctx, stop := context.WithCancel(t.Context())
		session, ended := streams(t, ctx, newConfig(t, s, db, knobs{def: 5, max: 10}))
		c := &client{session, toolsOf(t, session)}
		if a := c.call(t, "query", arguments{"sql": "SELECT i FROM n"}); a.RowCount != 5 {
			t.Errorf("%s", a.raw)
		}
		if leaves {
			session.Close()
		} else {
			stop()
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("leaves %v: %v", leaves, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("leaves %v: the server does not end", leaves)
		}
		session.Close()
		stop()
	}
}

// TestStreamsClientLeaves has the client leave while a statement runs for it.
func TestStreamsClientLeaves(t *testing.T) {
	s := dbtest.Postgres(t)
	server, err := NewServer(newConfig(t, s, s.Database(t), knobs{def: 5, max: 10}))
	if err != nil {
		t.Fatal(err)
	}
	hears, says := io.Pipe()
	reads, answers := io.Pipe()
	go io.Copy(io.Discard, reads)
	ended := make(chan error, 1)
	go func() { ended <- ServeStreams(t.Context(), server, hears, answers) }()
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"query","arguments":{"sql":"SELECT /* left-over */ count(*) FROM (SELECT generate_series(1, 100000000000)) s"}}}`,
	} {
		if _, err := io.WriteString(says, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	s.Begun(t, "left-over")
	says.Close()
	s.Gone(t, "left-over")
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the server does not end")
	}
	answers.Close()
}
