package pgwire_test

import (
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
)

// TestPassesBinding asks servers with and without TLS whether they show the door's own
// certificate.
func TestPassesBinding(t *testing.T) {
	server := dbtest.Postgres(t)
	authority := dbtest.NewAuthority(t)
	cert, key := authority.Issue(validity, "127.0.0.1")
	own := listeningWith(t, proxy.ListenTLSRequire, proxy.ListenTLSFiles{Certificate: cert, Key: key})
	cert, key = authority.Issue(validity, "127.0.0.1")
	another := listeningWith(t, proxy.ListenTLSRequire, proxy.ListenTLSFiles{Certificate: cert, Key: key})
	upstream := open(t, server.Addr(), capped(5, 0), own)
	reach := reaching(t, proxy.UpstreamTLSRequire, false, proxy.UpstreamTLSFiles{})
	if passes, err := open(t, upstream.addr, capped(5, 0), own, reach).door.PassesBinding(ctx(t)); !passes || err != nil {
		t.Errorf("the same certificate: %v, %v", passes, err)
	}
	if passes, err := open(t, upstream.addr, capped(5, 0), another, reach).door.PassesBinding(ctx(t)); passes || err != nil {
		t.Errorf("another certificate: %v, %v", passes, err)
	}
	if passes, err := open(t, server.Addr(), capped(5, 0), own).door.PassesBinding(ctx(t)); !passes || err != nil {
		t.Errorf("a server without TLS: %v, %v", passes, err)
	}
	if _, err := open(t, "127.0.0.1:1", capped(5, 0), own, reach).door.PassesBinding(ctx(t)); err == nil {
		t.Error("no server: no error")
	}
}
