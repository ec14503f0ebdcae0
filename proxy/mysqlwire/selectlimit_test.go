package mysqlwire_test

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/proxy/mysqlwire/packet"
)

// TestSelectLimit has the client set sql_select_limit: below the cap it acts as at the
// server, above it the cap holds, and it is always told back as the client set it.
func TestSelectLimit(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		if s.Flavor == dbtest.FlavorMySQL {
			warmLogin(t, s)
		}
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		c := newWireSide(dialRaw(t, s, run.addr, database, 0))
		set := func(text string) {
			t.Helper()
			ask(c.rawClient, text)
			if got := c.answer(0); !strings.Contains(got, "1 ok ") {
				t.Errorf("%s: %s", text, got)
			}
		}
		rows := func(text string, n int, told bool) {
			t.Helper()
			ask(c.rawClient, text)
			got := c.answer(0)
			if strings.Count(got, " row ") != n || strings.Contains(got, "warnings=1") != told {
				t.Errorf("%s: %s", text, got)
			}
		}
		value := func(want string) {
			t.Helper()
			asked := []string{"SELECT @@sql_select_limit AS v", "SELECT @@session.sql_select_limit AS v", "SHOW VARIABLES LIKE 'sql_select_limit'"}
			if s.Flavor == dbtest.FlavorMariaDB {
				asked = append(asked, "SELECT VARIABLE_VALUE FROM information_schema.SESSION_VARIABLES WHERE VARIABLE_NAME = 'SQL_SELECT_LIMIT'")
			}
			for _, text := range asked {
				ask(c.rawClient, text)
				if got := c.answer(0); !strings.Contains(got, " "+want+"\n") {
					t.Errorf("%s: %s", text, got)
				}
			}
		}
		const all = "SELECT n FROM parcels ORDER BY n"
		rows(all, 3, true)
		value("18446744073709551615")
		// As MariaDB's and MySQL's JDBC drivers do for setMaxRows.
		set("SET SQL_SELECT_LIMIT=2")
		rows(all, 2, false)
		value("2")
		rows(all+" LIMIT 5", 5, false) // the statement's own limit wins, as at the server
		rows("SHOW TABLES", 1, false)
		set("SET SQL_SELECT_LIMIT=1000000")
		rows(all, 3, true)
		value("1000000")
		set("SET SQL_SELECT_LIMIT=DEFAULT")
		rows(all, 3, true)
		value("18446744073709551615")
		set("SET sql_select_limit = 3")
		rows(all, 3, false)
		// What would lift it for one statement does not lift the cap.
		set("SET sql_select_limit = 2")
		if s.Flavor == dbtest.FlavorMySQL {
			rows("SELECT /*+ SET_VAR(sql_select_limit=1000000) */ n FROM parcels ORDER BY n", 2, true)
			set("SET sql_select_limit = DEFAULT")
			rows("SELECT /*+ SET_VAR(sql_select_limit=1000000) */ n FROM parcels ORDER BY n", 3, true)
			rows("SELECT /*+ SET_VAR(sql_select_limit=1) */ n FROM parcels ORDER BY n", 1, false)
		} else {
			rows("SET STATEMENT sql_select_limit=1000000 FOR SELECT n FROM parcels ORDER BY n", 3, true)
			rows("SET STATEMENT sql_select_limit=1 FOR SELECT n FROM parcels ORDER BY n", 1, false)
			value("2")
		}
		// A prepared statement follows the setting from execution to execution.
		set("SET sql_select_limit = DEFAULT")
		c.command(append([]byte{byte(packet.ComStmtPrepare)}, all...))
		c.prepared()
		for _, step := range []struct {
			limit string
			rows  int
			told  bool
		}{{"DEFAULT", 3, true}, {"1", 1, false}, {"500", 3, true}, {"2", 2, false}} {
			set("SET sql_select_limit = " + step.limit)
			c.command(packet.Execute{StatementID: c.ids[0], Iterations: 1}.Append(nil, c.caps))
			if got := c.answer(c.ids[0]); strings.Count(got, " row ") != step.rows || strings.Contains(got, "warnings=1") != step.told {
				t.Errorf("under %s: %s", step.limit, got)
			}
		}
		c.command([]byte{byte(packet.ComResetConnection)})
		c.answer(0)
		rows(all, 3, true)
		value("18446744073709551615")
	})
}
