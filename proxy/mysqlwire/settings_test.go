package mysqlwire_test

import (
	"context"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
	"github.com/rowcap/rowcap/rewrite"
)

func TestSettingsAreFollowed(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		s.SQL(t, database, "DELIMITER //\nCREATE PROCEDURE two() BEGIN SET SESSION sql_select_limit = 2, NAMES gbk; SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'; END//\n")
		run := serve(t, s.Addr(), policy(5, 5))
		for _, interpolate := range []bool{true, false} {
			c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = interpolate })
			st, err := c.PrepareContext(t.Context(), "SELECT n FROM parcels ORDER BY n")
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			const list = "SELECT n FROM parcels WHERE 1 = ? ORDER BY n"
			bounded := func(set, rows string, source rewrite.Source, cut rewrite.Completeness) {
				t.Helper()
				query(t, c, set)
				got, err := st.Query()
				want(t, results(t, got, err), rows)
				if o := run.last(t); o.Completeness != cut || o.Plan.Cap.Source != source {
					t.Errorf("after %s: prepared: %v, source %v", set, o.Completeness, o.Plan.Cap.Source)
				}
				want(t, query(t, c, list, 1), rows)
				if o := run.last(t); o.Completeness != cut || o.Plan.Cap.Source != source {
					t.Errorf("after %s: %v, source %v", set, o.Completeness, o.Plan.Cap.Source)
				}
			}
			bounded("SET SESSION sql_select_limit = 2", "1\n2\n", rewrite.SourceSession, rewrite.Complete)
			bounded("SET SQL_SELECT_LIMIT=DEFAULT", "1\n2\n3\n4\n5\n", rewrite.SourceDefault, rewrite.Truncated)
			// Both servers put back what a procedure sets.
			bounded("CALL two()", "1\n2\n3\n4\n5\n", rewrite.SourceDefault, rewrite.Truncated)
			query(t, c, "PREPARE p FROM 'SET SESSION sql_select_limit = 3'")
			bounded("EXECUTE p", "1\n2\n3\n", rewrite.SourceSession, rewrite.Complete)
			bounded("SET @x = 1, @@session.sql_select_limit = 0", "", rewrite.SourceSession, rewrite.Complete)
			bounded("SET sql_select_limit = 18446744073709551615", "1\n2\n3\n4\n5\n", rewrite.SourceDefault, rewrite.Truncated)
			query(t, c, "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')")
			want(t, query(t, c, `SELECT "n" FROM "parcels" WHERE 1 = ? ORDER BY "n" LIMIT 4`, 1), "1\n2\n3\n4\n")
			if p := run.lastPlan(t); p.Method != rewrite.MethodOwn {
				t.Errorf("ANSI_QUOTES: %v: %s", p.Method, p.Why)
			}
			query(t, c, "SET NAMES swe7")
			want(t, query(t, c, list, 1), "1\n2\n3\n4\n5\n")
			if p := run.lastPlan(t); p.Method != rewrite.MethodGuard {
				t.Errorf("swe7: %v: %s", p.Method, p.Why)
			}
			query(t, c, "SET NAMES utf8mb4 COLLATE utf8mb4_bin")
			query(t, c, list, 1)
			if p := run.lastPlan(t); p.Method != rewrite.MethodProbe {
				t.Errorf("utf8mb4: %v: %s", p.Method, p.Why)
			}
			query(t, c, "USE information_schema")
			want(t, query(t, c, "SELECT COUNT(*) > 5 FROM (SELECT * FROM collations) c"), "1\n")
			if got := query(t, c, "SELECT collation_name FROM collations WHERE 1 = ?", 1); strings.Count(got, "\n") <= 5 {
				t.Error("the catalogue was cut though the database is information_schema")
			}
			query(t, c, "USE "+database)
			// What tells of the statement before is not spoiled.
			query(t, c, "CALL two()")
			query(t, c, "UPDATE parcels SET label = CONCAT(label, '!') WHERE n < 5")
			want(t, query(t, c, "SELECT ROW_COUNT()"), "4\n")
			query(t, c, "UPDATE parcels SET label = n")
			if err := c.Raw(func(dc any) error {
				return dc.(interface{ ResetSession(context.Context) error }).ResetSession(t.Context())
			}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestUnreadableSessionState has a server tell of changes that rowcap cannot read, as those
// of a version to come. They go to the client as they are, the settings are asked for once
// more, and the session goes on.
func TestUnreadableSessionState(t *testing.T) {
	asked := 0
	f := fake(t, func(c *rawClient, command []byte) bool {
		switch {
		case learned(c, command):
			asked++
		case strings.HasPrefix(string(command[1:]), "SET"):
			c.write(packet.OK{Status: packet.StatusSessionStateChanged, SessionState: []byte("\x01\x09shop")}.Append(nil, packet.SessionTrack))
		default:
			oneColumn(c)
			c.write(packet.EOF{}.Append(nil))
		}
		return true
	})
	run := serve(t, f.addr, policy(3, 10))
	c := dialRaw(t, &dbtest.Server{User: "u", Password: "p"}, run.addr, "", packet.SessionTrack)
	for range 2 {
		ask(c, "SELECT n FROM t")
		for range 4 {
			c.read()
		}
	}
	ask(c, "SET @a = 1")
	if b := c.read(); b[0] != packet.OKHeader || !strings.HasSuffix(string(b), "\x01\x09shop") {
		t.Errorf("SET is answered by %q", b)
	}
	ask(c, "SELECT n FROM t")
	for range 4 {
		c.read()
	}
	if asked != 2 {
		t.Errorf("the settings were asked for %d times, want 2", asked)
	}
}
