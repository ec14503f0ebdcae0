package mcp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestMutualTLS tells clients apart by their certificates.
func TestMutualTLS(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	ours, theirs := dbtest.NewAuthority(t), dbtest.NewAuthority(t)
	certificate, key := ours.Issue(72*time.Hour, "localhost", "127.0.0.1")
	server, err := NewServer(newConfig(t, s, db, knobs{def: 5, max: 10}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewTLS(TLSFiles{Certificate: certificate, Key: key}, false, nil); err == nil {
		t.Error("nobody would be asked who they are")
	}
	config, err := NewTLS(TLSFiles{Certificate: certificate, Key: key, ClientCA: ours.CA}, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- HTTP{TLS: config, Requests: 4}.Serve(ctx, l, server) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	pem, err := os.ReadFile(ours.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	endpoint := "https://" + l.Addr().String() + Path

	as := func(a *dbtest.Authority, name string) (*client, error) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
		t.Cleanup(transport.CloseIdleConnections)
		if a != nil {
			cert, key := a.Issue(72*time.Hour, name)
			pair, err := tls.LoadX509KeyPair(cert, key)
			if err != nil {
				t.Fatal(err)
			}
			transport.TLSClientConfig.Certificates = []tls.Certificate{pair}
		}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: forged{transport}}}, nil)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { session.Close() })
		return &client{session, toolsOf(t, session)}, nil
	}
	ann, err := as(ours, "ann")
	if err != nil {
		t.Fatal(err)
	}
	bob, err := as(ours, "bob")
	if err != nil {
		t.Fatal(err)
	}
	sql := "SELECT i FROM n ORDER BY i"
	a := ann.call(t, "query", arguments{"sql": sql})
	if a.NextCursor == "" {
		t.Fatalf("%s", a.raw)
	}
	if got := bob.fails(t, "query", arguments{"sql": sql, "cursor": a.NextCursor}); !strings.Contains(got, "source or user") {
		t.Errorf("bob reads on where ann was: %s", got)
	}
	again, err := as(ours, "ann") // with another certificate of the same name
	if err != nil {
		t.Fatal(err)
	}
	if next := again.call(t, "query", arguments{"sql": sql, "cursor": a.NextCursor}); next.Offset != 5 {
		t.Errorf("%s", next.raw)
	}
	if _, err := as(theirs, "ann"); err == nil {
		t.Error("a certificate of another authority is taken")
	}
	if _, err := as(nil, ""); err == nil {
		t.Error("a client without a certificate is served")
	}
}

// forged claims to be another user, in the header that carries who it is.
type forged struct{ base http.RoundTripper }

// RoundTrip adds the header.
func (f forged) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(userHeader, "somebody else")
	return f.base.RoundTrip(r)
}
