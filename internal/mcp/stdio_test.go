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
