package mysqlwire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// recorded is what a client says in the tests of the network.
var recorded = []string{"SELECT n FROM r9", "BEGIN; SELECT n FROM r2; CALL p(); DO 1", "SELECT n FROM f4 LIMIT 9", "SELECT n FROM f2"}

// reception is what came of a conversation: the answers as text up to an error of the
// door's or the end of the connection, and that error or end.
type reception struct{ answers, told string }

// between is what came of a connection that ended before anything of an answer: a server's
// that ends between two.
const between = "the end between two answers"

// isLost reports what a client is told that has lost its server.
func (h reception) isLost() bool { return strings.Contains(h.told, "61003") || h.told == between }

// tell says what is recorded, text by text, and listens for as long as something comes.
func tell(t *testing.T, s *dbtest.Server, addr, database string) (h reception) {
	t.Helper()
	began := time.Now()
	var cleanups []func()
	defer func() {
		if why := caught(recover()); strings.HasPrefix(why, "write a packet") {
			h.told = between
		} else if why != "" {
			h.told = why
		}
		for _, f := range cleanups {
			f()
		}
		if time.Since(began) > 20*time.Second { // of the 30 that a client waits
			t.Fatalf("behind %q nothing comes and nothing ends", h.answers)
		}
	}()
	c := newWireSide(dialRaw(cutOff{TB: t, cleanups: &cleanups}, s, addr, database, packet.MultiStatements))
	for _, text := range recorded {
		c.command(append([]byte{byte(packet.ComQuery)}, text...))
		answer := c.answer(0)
		if answer == "1 closed\n" {
			h.told = between
			return h
		}
		for line := range strings.Lines(answer) {
			switch number, kind, _ := strings.Cut(strings.TrimSpace(line), " "); {
			case kind == "closed":
				return h
			case strings.HasPrefix(kind, "err 61003 08S01 "):
				h.told = kind
				return h
			case strings.HasPrefix(kind, "err "):
				h.answers += number + " " + strings.Join(strings.Fields(kind)[:3], " ") + "\n"
			default:
				h.answers += line
			}
		}
	}
	c.command([]byte{byte(packet.ComQuit)})
	return h
}

// nobody is a user of the model's server.
var nobody = &dbtest.Server{User: "u", Password: "p"}

// TestNetworkFaults cuts the way between a door and a server at every byte of a session, in
// each way there is, and cuts it up. The client gets the right answer up to some packet, and
// then an error that says what has happened, or else all of it; the sessions end and leave no
// socket and no connection.
func TestNetworkFaults(t *testing.T) {
	relay := dbtest.NewRelay(t, modelServer(t, model{}, packet.MultiStatements).addr)
	run := serve(t, relay.Addr, policy(modelMost, modelMax))
	want := tell(t, nobody, modelServer(t, model{most: modelMost, max: modelMax}, packet.MultiStatements).addr, "")
	check := func(what string, whole bool) {
		t.Helper()
		got := tell(t, nobody, run.addr, "")
		failed := run.wait(t)
		switch all := got.answers == want.answers; {
		case whole && (!all || failed != nil):
			t.Errorf("%s: %v\ngot\n%swant\n%s", what, failed, got.answers, want.answers)
		case !all && (!strings.HasPrefix(want.answers, got.answers) || !got.isLost()):
			t.Errorf("%s: %v, the client was told %q\ngot\n%swant\n%s", what, failed, got.told, got.answers, want.answers)
		case !all && failed == nil && got.told != between:
			t.Errorf("%s: the session ended in order, and the client was told %q", what, got.told)
		}
	}
	relay.EachFault(t, false, check) // a server need not answer a client that has ended
}

// TestClientNetworkFaults cuts the way between a client and a door in the same ways. The
// client gets the right answer up to some packet; sessions and their connections to the server
// end.
func TestClientNetworkFaults(t *testing.T) {
	behind := dbtest.NewRelay(t, modelServer(t, model{}, packet.MultiStatements).addr)
	run := serve(t, behind.Addr, policy(modelMost, modelMax))
	relay := dbtest.NewRelay(t, run.addr)
	want := tell(t, nobody, modelServer(t, model{most: modelMost, max: modelMax}, packet.MultiStatements).addr, "")
	check := func(what string, whole bool) {
		t.Helper()
		got := tell(t, nobody, relay.Addr, "")
		run.wait(t)
		if !strings.HasPrefix(want.answers, got.answers) || whole && got.answers != want.answers {
			t.Errorf("%s:\ngot\n%swant\n%s", what, got.answers, want.answers)
		}
	}
	relay.EachFault(t, true, check)
	behind.Wait(t)
}

// TestNetworkFaultsLeaveNoSession cuts sessions with real servers, which have none left.
func TestNetworkFaultsLeaveNoSession(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, modelSchema())
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		relay := dbtest.NewRelay(t, s.Addr())
		run := serve(t, relay.Addr, policy(modelMost, modelMax))
		want := tell(t, s, run.addr, database)
		run.wait(t)
		_, answered := relay.Seen()
		for at := 0; at < answered; at += 23 {
			end := []dbtest.FaultEnd{dbtest.Close, dbtest.HalfClose, dbtest.Reset}[at%3]
			relay.Fail(dbtest.Fault{}, dbtest.Fault{After: at, End: end})
			got := tell(t, s, run.addr, database)
			run.wait(t)
			if got.answers != want.answers && (!strings.HasPrefix(want.answers, got.answers) || !got.isLost()) {
				t.Errorf("%v behind %d bytes: the client was told %q\ngot\n%swant\n%s", end, at, got.told, got.answers, want.answers)
			}
		}
		relay.Wait(t)
		for range 100 {
			if strings.TrimSpace(s.SQL(t, database, "SELECT COUNT(*) FROM information_schema.processlist WHERE db = '"+database+"'")) == "1" {
				return // the question's own
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error("the server has sessions left")
	})
}
