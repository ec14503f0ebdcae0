package pgwire_test

import (
	"crypto/tls"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
)

// TestLoopIsNotHeldUp has sessions that all share one loop: some whose clients do not
// read what they asked for, ask for more meanwhile, have TLS, or whose long texts are planned
// for the first time, and one that is to be answered all the while.
func TestLoopIsNotHeldUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one loop, unless other tests began more
	server := dbtest.Postgres(t)
	door := open(t, server.Addr(), capped(0, 0), listening(t, proxy.ListenTLSAllow, dbtest.NewAuthority(t), ""))
	session := func(secure bool) *raw {
		r := dialRaw(t, door.addr)
		if secure {
			r.write([]byte{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f}) // SSLRequest
			if _, err := io.ReadFull(r, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			r.Conn = tls.Client(r.Conn, &tls.Config{InsecureSkipVerify: true})
			r.front = pgproto3.NewFrontend(r.Conn, r.Conn)
		}
		r.startup(version3, "user", server.User, "database", "postgres")
		r.types("Z")
		return r
	}
	for i := range 8 {
		r := session(i%4 == 3)
		r.send(&pgproto3.Query{String: "SELECT repeat('y', 1000) FROM generate_series(1, 100000)"})
		time.Sleep(20 * time.Millisecond)
		switch i % 4 {
		case 1: // it waits for what the answer to the first has to do with
			r.send(&pgproto3.Query{String: "SELECT 1"}, &pgproto3.Query{String: "PREPARE p AS SELECT 1"})
		case 2:
			r.send(&pgproto3.Query{String: "SELECT 1" + strings.Repeat(" + 1", 10000)})
		}
		defer r.Close()
	}
	r := session(false)
	begun := time.Now()
	for range 200 {
		r.send(&pgproto3.Query{String: "SELECT 7"})
		if got, e := r.types("Z"); !strings.HasSuffix(got, "DCZ") && !strings.HasSuffix(got, "DSCZ") {
			t.Fatalf("got %q, %+v", got, e)
		}
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("200 answers took %s", took)
	}
	r.Close()
}
