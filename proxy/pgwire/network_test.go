package pgwire_test

import (
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// recorded is what a client says in the tests of the network.
func recorded() []pgproto3.FrontendMessage {
	return []pgproto3.FrontendMessage{
		&pgproto3.Query{String: "SELECT n FROM r9"},
		&pgproto3.Parse{Name: "a", Query: "SELECT n FROM r6"}, &pgproto3.Bind{PreparedStatement: "a"}, &pgproto3.Execute{MaxRows: 2}, &pgproto3.Execute{MaxRows: 3}, &pgproto3.Sync{},
		&pgproto3.Query{String: "SELECT n FROM r3; SELECT n FROM f4 LIMIT 9"},
	}
}

// reception is what came of a conversation: the lines of the model, and whether the connection
// ended before the client did.
type reception struct {
	lines []string
	over  bool
}

// tell says what is recorded, segment by segment, and listens to the answers for as long
// as there are some.
func tell(t *testing.T, addr string, parameters ...string) (h reception) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return reception{over: true} // a reset can be that early
	}
	defer c.Close()
	r := &raw{Conn: c, t: t, front: pgproto3.NewFrontend(c, c)}
	r.SetDeadline(time.Now().Add(15 * time.Second))
	r.Write(startupPacket(version3, parameters...))
	waits := true
	listen := func() {
		for waits {
			line, err := r.line()
			switch {
			case err != nil && strings.Contains(err.Error(), "timeout"):
				t.Fatalf("after %q nothing comes and nothing ends", h.lines)
			case err != nil:
				h.over, waits = true, false
				return
			case line == "":
				continue
			}
			h.lines = append(h.lines, line)
			if line[0] == 'Z' {
				return
			}
		}
	}
	listen()
	var b []byte
	for _, m := range recorded() {
		b, _ = m.Encode(b)
		if !endsSegment(m) {
			continue
		}
		r.Write(b) // of a connection that has ended, the answer tells
		b = nil
		listen()
	}
	if waits {
		r.Write([]byte("X\x00\x00\x00\x04"))
	}
	return h
}

// right is what the model says to what is recorded.
func right(most, max int) []string {
	m := newModel(most, max)
	m.ready()
	for _, message := range recorded() {
		m.take(message)
	}
	return m.out
}

// TestNetworkFaults cuts the way between a door and a server at every byte of a session, in
// each way there is, and cuts it up. The client gets the right answer up to some message,
// and then an error that says what has happened, or else all of it; the sessions end and leave
// no socket and no connection.
func TestNetworkFaults(t *testing.T) {
	relay := dbtest.NewRelay(t, upstream(t, modelBackend))
	door := open(t, relay.Addr, capped(modelMost, modelMax))
	want := right(modelMost, modelMax)
	check := func(what string, whole bool) {
		t.Helper()
		got := tell(t, door.addr, "user", "a")
		failed := door.end(t)
		n := len(got.lines)
		if whole || slices.Equal(got.lines, want) {
			if !slices.Equal(got.lines, want) || whole && failed != nil {
				t.Errorf("%s:\ngot  %q, %v\nwant %q", what, got.lines, failed, want)
			}
			return
		}
		if n == 0 || got.lines[n-1] != "E 08006" || !slices.Equal(got.lines[:n-1], want[:min(n-1, len(want))]) || !got.over || failed == nil {
			t.Errorf("%s:\ngot  %q, over %t, %v\nwant %q", what, got.lines, got.over, failed, want)
		}
	}
	relay.EachFault(t, false, check) // a server need not answer a client that has ended
}

// TestClientNetworkFaults cuts the way between a client and a door in the same ways.
// The client gets the right answer up to some message; sessions and their connections to
// the server end.
func TestClientNetworkFaults(t *testing.T) {
	behind := dbtest.NewRelay(t, upstream(t, modelBackend))
	door := open(t, behind.Addr, capped(modelMost, modelMax))
	relay := dbtest.NewRelay(t, door.addr)
	want := right(modelMost, modelMax)
	check := func(what string, whole bool) {
		t.Helper()
		got := tell(t, relay.Addr, "user", "a")
		door.end(t)
		n := len(got.lines)
		if n > 0 && !whole && strings.HasPrefix(got.lines[n-1], "E 08") { // what was cut was the client's own
			n--
		}
		if n > len(want) || !slices.Equal(got.lines[:n], want[:n]) || whole && n != len(want) {
			t.Errorf("%s:\ngot  %q\nwant %q", what, got.lines, want)
		}
	}
	relay.EachFault(t, true, check)
	behind.Wait(t)
}

// TestNetworkFaultsLeaveNoSession cuts sessions with a real server, which has none left.
func TestNetworkFaultsLeaveNoSession(t *testing.T) {
	server := dbtest.Postgres(t)
	database := server.Database(t)
	server.SQL(t, database, modelSchema())
	relay := dbtest.NewRelay(t, server.Addr())
	door := open(t, relay.Addr, capped(modelMost, modelMax))
	want := right(modelMost, modelMax)
	parameters := []string{"user", server.User, "database", database, "application_name", "rowcap_cut"}
	tell(t, door.addr, parameters...)
	door.end(t)
	_, answered := relay.Seen()
	for at := 0; at < answered; at += 17 {
		end := []dbtest.FaultEnd{dbtest.Close, dbtest.HalfClose, dbtest.Reset}[at%3]
		relay.Fail(dbtest.Fault{}, dbtest.Fault{After: at, End: end})
		got := tell(t, door.addr, parameters...)
		door.end(t)
		n := len(got.lines)
		if !slices.Equal(got.lines, want) && (n == 0 || got.lines[n-1] != "E 08006" || !slices.Equal(got.lines[:n-1], want[:min(n-1, len(want))])) {
			t.Errorf("%v behind %d bytes:\ngot  %q\nwant %q", end, at, got.lines, want)
		}
	}
	relay.Wait(t)
	for range 100 {
		if strings.TrimSpace(server.SQL(t, "postgres", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'rowcap_cut'")) == "0" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("the server has sessions left")
}
