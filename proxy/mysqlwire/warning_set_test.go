package mysqlwire_test

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestWarningsBehindSet: MariaDB keeps its warnings over a SET that reads no table and has no
// warning or error of its own, and so do the notices; MySQL drops them.
func TestWarningsBehindSet(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		for _, test := range []struct {
			set   string
			keeps bool
		}{
			{"SET @@sql_select_limit = DEFAULT", true},
			{"SET @x = 1, sort_buffer_size = 65536", true},
			{"/* by hand */ set names utf8mb4;", true},
			{"SET sort_buffer_size = 1", false}, // which is adjusted, with a warning
			{"SET sort_buffer_size = 'x'", false},
			{"SET @x = (SELECT n FROM parcels LIMIT 1)", false},
			{"SELECT 7", false},
			{"DO 1", false},
		} {
			// The server's own warnings are the witness, but for what reads no table: there
			// a notice would be about an answer that is not the last.
			c, direct := connect(t, s, database, run, nil), connect(t, s, database, &running{addr: s.Addr()}, nil)
			const text = "SELECT n FROM parcels WHERE n > 'x' ORDER BY n"
			query(t, c, text)
			query(t, direct, text)
			c.ExecContext(t.Context(), test.set)
			direct.ExecContext(t.Context(), test.set)
			through, own := query(t, c, "SHOW WARNINGS"), query(t, direct, "SHOW WARNINGS LIMIT 3")
			keeps := test.keeps && s.Flavor == dbtest.FlavorMariaDB
			if kept := strings.Contains(through, "61001|showing the first 3 rows; more rows exist; cap 3 from the default limit; add a LIMIT up to 10, narrow the WHERE clause, or aggregate\n"); kept != keeps {
				t.Errorf("behind %s the warnings are\n%s", test.set, through)
			}
			if keeps && !strings.Contains(own, "|1292|") {
				t.Errorf("behind %s the server has dropped its own:\n%s", test.set, own)
			}
		}
	})
}
