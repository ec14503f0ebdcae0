package mysqlwire_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

// strict is the policy under which an overflow is an error.
func strict(def, most uint64) rewrite.Policy {
	p := policy(def, most)
	p.Overflow = rewrite.OverflowError
	return p
}

// TestOverflow has statements of each kind exceed the cap: what may have written is
// truncated and told, the rest ends with an error.
func TestOverflow(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels+"CREATE TABLE log (n INT); CREATE SEQUENCE seq;")
	run := serve(t, s.Addr(), strict(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, database, packet.MultiStatements))
	for _, test := range []struct{ text, want string }{
		{"SHOW CHARACTER SET", "err 61004"},
		{"SELECT NEXT VALUE FOR seq FROM parcels", "err 61004"},
		{"SELECT n FROM parcels ORDER BY n FOR UPDATE", "err 61004"},
		{"SELECT n FROM parcels UNION ALL SELECT n FROM parcels", "err 61004"},
		{"(SELECT n FROM parcels)", "err 61004"},
		{"INSERT INTO log SELECT n FROM parcels RETURNING n", "warnings=1"},
		{"DELETE FROM log RETURNING n", "warnings=1"},
		{"EXECUTE IMMEDIATE 'SELECT n FROM parcels'", "warnings=1"},
		{"ANALYZE FORMAT=JSON SELECT n FROM parcels", "warnings=0"},
		{"SET STATEMENT max_statement_time=9 FOR SELECT n FROM parcels", "warnings=1"},
		{"SET NAMES gbk", "1 ok"},
		{"SELECT n, 'ä' FROM parcels ORDER BY n", "err 61004"},
		{"/*!50000 SELECT n, 'ä' */ FROM parcels ORDER BY n", "warnings=1"},
		{"SELECT n, 'ä' FROM parcels ORDER BY n;", "err 61004"},
		{"SELECT 7; SELECT n, '\xc4\\' FROM parcels", "err 61002 HY000 the text is refused: it may have several statements"},
		{"SET NAMES utf8mb4", "1 ok"},
		{"SELECT 7; SET NAMES gbk; SELECT n FROM parcels", "err 61002"},
		{"SELECT 7; EXECUTE IMMEDIATE 'SELECT n FROM parcels'; SELECT n FROM parcels LIMIT 1", "err 61002"},
	} {
		ask(c.rawClient, test.text)
		if got := c.answer(0); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.text, got)
		}
		ask(c.rawClient, "SELECT 7")
		want(t, c.answer(0), "1 columns 1: 7\n3 eof warnings=0\n4 row 7\n5 eof warnings=0\n")
	}
	p := strict(3, 10)
	p.Observe = true
	watched := newWireSide(dialRaw(t, s, serve(t, s.Addr(), p).addr, database, packet.MultiStatements))
	ask(watched.rawClient, "SELECT n FROM parcels ORDER BY n; SELECT 7")
	if got := watched.answer(0); strings.Count(got, " row ") != 13 || strings.Contains(got, "err") {
		t.Errorf("under observe: %s", got)
	}
}

// TestOverflowFile loads a client's file amid statements that are sent one by one.
func TestOverflowFile(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels+"CREATE TABLE log (n INT);")
	run := serve(t, s.Addr(), strict(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, database, packet.MultiStatements|packet.LocalFiles))
	ask(c.rawClient, "SELECT 7; LOAD DATA LOCAL INFILE 'x' INTO TABLE log; SELECT n FROM log ORDER BY n; SELECT n FROM parcels; SELECT 8")
	want(t, c.answer(0), "1 columns 1: 7\n3 eof warnings=0 more\n4 row 7\n5 eof warnings=0 more\n6 file x\n")
	c.write([]byte("1\n2\n"))
	c.write(nil)
	got := c.answer(0)
	if !strings.Contains(got, "9 ok rows=2 warnings=0 more") || !strings.Contains(got, "row 2\n") || !strings.Contains(got, "err 61004") || strings.Contains(got, " 8\n") {
		t.Errorf("got %s", got)
	}
}

// TestOverflowVanishes has the client and the server go amid such a text.
func TestOverflowVanishes(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), strict(3, 10))
	c := newWireSide(dialRaw(t, s, run.addr, database, packet.MultiStatements))
	ask(c.rawClient, "SELECT SLEEP(1); SELECT n FROM parcels; SELECT 8")
	time.Sleep(100 * time.Millisecond)
	c.conn.Close()
	run.wait(t)

	c = newWireSide(dialRaw(t, s, run.addr, database, packet.MultiStatements))
	ask(c.rawClient, "SELECT 6; KILL CONNECTION_ID(); SELECT n FROM parcels; SELECT 8")
	if got := c.answer(0); !strings.Contains(got, "row 6\n") || !strings.Contains(got, " err ") || strings.Contains(got, " 8\n") {
		t.Errorf("got %s", got)
	}
	run.wait(t)

	// A shutdown waits for the whole of the text.
	c = newWireSide(dialRaw(t, s, run.addr, database, packet.MultiStatements))
	ask(c.rawClient, "SELECT SLEEP(0.5); SELECT n FROM parcels WHERE n < 3; SELECT 8")
	time.Sleep(100 * time.Millisecond)
	run.stop()
	if got := c.answer(0); !strings.Contains(got, "row 8\n") {
		t.Errorf("got %s", got)
	}
	c.seq = 0
	wantErr(t, c.rawClient, 1053)
}
