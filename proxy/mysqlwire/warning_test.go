package mysqlwire_test

import (
	"fmt"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// listCut begins the row that says that SHOW WARNINGS itself is cut.
const listCut = "Warning|61001|of this list: showing the first 3 rows; more rows exist"

func TestServerWarningsAreKept(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		for _, interpolate := range []bool{true, false} {
			c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = interpolate })
			const text = "SELECT CAST(CONCAT(n, 'x') AS SIGNED) FROM parcels WHERE n < ? ORDER BY n"
			want(t, query(t, c, text, 10), "1\n2\n3\n")
			// SHOW WARNINGS is held to the cap as well, but never at our own row's cost, and
			// says that it is the list that was cut, however often it is asked.
			for range 2 {
				got := query(t, c, "SHOW WARNINGS")
				lines := strings.Split(strings.TrimSpace(got), "\n")
				if len(lines) != 5 || lines[3]+"\n" != notice3 || !strings.HasPrefix(lines[4], listCut) || strings.Count(got, "Warning|1292|") != 3 {
					t.Errorf("warnings are\n%s", got)
				}
			}
			var n int
			if _, err := fmt.Sscan(query(t, c, "SHOW COUNT(*) WARNINGS"), &n); err != nil || n < 5 {
				t.Errorf("%d warnings, %v", n, err)
			}
			want(t, query(t, c, fmt.Sprintf("SHOW WARNINGS LIMIT %d, 5", n-1)), notice3)
			want(t, query(t, c, fmt.Sprintf("SHOW WARNINGS LIMIT 5 OFFSET %d", n-1)), notice3)
			want(t, query(t, c, fmt.Sprintf("SHOW WARNINGS LIMIT %d, 5", n)), "")
			if got := query(t, c, "SHOW WARNINGS LIMIT 2"); strings.Contains(got, "61001") || strings.Count(got, "\n") != 2 {
				t.Errorf("warnings are\n%s", got)
			}
			want(t, query(t, c, "SELECT @@warning_count"), fmt.Sprintf("%d\n", n))
			want(t, query(t, c, "SHOW ERRORS"), "")
			want(t, query(t, c, text, 3), "1\n2\n")
			if got := query(t, c, "SHOW WARNINGS"); strings.Contains(got, "61001") || !strings.Contains(got, "1292") {
				t.Errorf("warnings are\n%s", got)
			}
			// A list that is cut of a statement whose rows are all there: the notice is of the list.
			want(t, query(t, c, "SELECT SUM(CAST(CONCAT(n, 'x') AS SIGNED)) FROM parcels"), "78\n")
			if got := query(t, c, "SHOW WARNINGS"); strings.Count(got, "61001") != 1 || !strings.Contains(got, "\n"+listCut) || strings.Count(got, "Warning|1292|") != 3 {
				t.Errorf("warnings are\n%s", got)
			}
		}
	})
}

// TestVariablesKeepNotices asks for the numbers of warnings and errors in other forms
// than SELECT @@warning_count. One column counts the notice, and all leave it.
func TestVariablesKeepNotices(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		for _, interpolate := range []bool{true, false} {
			c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = interpolate })
			for text, number := range map[string]string{
				"SELECT @@warning_count AS n":                   "1\n",
				"SELECT @@session.`warning_count` `n` LIMIT 1":  "1\n",
				"SELECT @@local.warning_count n":                "1\n",
				"SELECT @@error_count AS 'n'":                   "0\n",
				"SELECT @@warning_count, @@error_count LIMIT 1": "0|0\n",
			} {
				want(t, query(t, c, "SELECT n FROM parcels ORDER BY n"), "1\n2\n3\n")
				want(t, query(t, c, text), number)
				want(t, query(t, c, "SHOW WARNINGS"), notice3)
			}
			want(t, query(t, c, "SELECT n FROM parcels ORDER BY n"), "1\n2\n3\n")
			want(t, query(t, c, "SELECT @@warning_count FROM parcels WHERE n = 1"), "0\n")
			want(t, query(t, c, "SHOW WARNINGS"), "")
		}
	})
}
