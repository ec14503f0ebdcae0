package pgwire_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/rewrite"
)

// peerServer has a server take the operating system's user for the login of the role
// that is named as this test's user is, and trust others.
func peerServer(t *testing.T) (server *dbtest.Server, me string) {
	t.Helper()
	me = proxy.OSUser()
	rules := filepath.Join(t.TempDir(), "hba")
	if err := os.Chmod(filepath.Dir(filepath.Dir(rules)), 0o755); err != nil { // the server may run as another user
		t.Fatal(err)
	}
	text := fmt.Sprintf("local all,replication %q peer\nlocal all rowcap_scram scram-sha-256\nlocal all all trust\nhost all all 127.0.0.1/32 trust\n", me)
	if err := os.WriteFile(rules, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	server = dbtest.StartPostgres(t, "-c", "hba_file="+rules)
	server.SQL(t, "postgres", fmt.Sprintf("CREATE ROLE %q LOGIN SUPERUSER", me))
	return server, me
}

// TestSocketIdentity logs in by the operating system's user on the server's socket:
// nobody may do so by rowcap's.
func TestSocketIdentity(t *testing.T) {
	server, me := peerServer(t)
	const refused = "on its socket it may have taken rowcap's own user of the operating system"
	bySocket := open(t, server.Socket, capped(5, 0))
	r := dialRaw(t, bySocket.addr)
	r.startup(version3, "user", "nobody_else", "user", me, "database", "postgres")
	r.fails("", "28000", refused)
	// An answer to a question that was not asked makes it no login.
	r = dialRaw(t, bySocket.addr)
	r.write(append(startupPacket(version3, "user", me, "database", "postgres"), "p\x00\x00\x00\x06x\x00"...))
	r.fails("", "28000", refused)

	pass := capped(5, 0)
	pass.Replication = rewrite.ReplicationPass
	r = dialRaw(t, open(t, server.Socket, pass).addr)
	r.startup(version3, "user", me, "replication", "true")
	r.fails("", "28000", "taken for rowcap's own user of the operating system")

	for name, c := range map[string]struct{ upstream, user string }{
		"by TCP the server takes nobody for it": {server.Addr(), me},
		"the server trusts other roles":         {server.Socket, server.User},
	} {
		r := dialRaw(t, open(t, c.upstream, capped(5, 0)).addr)
		r.startup(version3, "user", c.user, "database", "postgres")
		if got, e := r.types("Z"); !strings.HasSuffix(got, "Z") {
			t.Errorf("%s: got %q, %+v", name, got, e)
		}
		r.Close()
	}
}

// TestSocketIdentityOfClient has a client that is that user itself.
func TestSocketIdentityOfClient(t *testing.T) {
	server, me := peerServer(t)
	// What comes behind the first packet leaves a layer above the socket.
	const behind = "H\x00\x00\x00\x04"
	for _, c := range []struct{ replication, behind string }{{"false", ""}, {"false", behind}, {"true", ""}, {"true", behind}} {
		replication, behind := c.replication, c.behind
		l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		pass := capped(5, 0)
		pass.Replication = rewrite.ReplicationPass
		ended := serveOn(t, l, server.Socket, pass)
		c, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.SetDeadline(time.Now().Add(30 * time.Second))
		r := &raw{Conn: c, t: t, front: pgproto3.NewFrontend(c, c)}
		r.write(append(startupPacket(version3, "user", me, "database", "postgres", "replication", replication), behind...))
		if got, e := r.types("Z"); !strings.HasSuffix(got, "Z") {
			t.Errorf("replication %s: got %q, %+v", replication, got, e)
		}
		r.send(&pgproto3.Terminate{})
		if err := <-ended; err != nil {
			t.Errorf("replication %s: Serve returned %v", replication, err)
		}
		c.Close()
	}
}
