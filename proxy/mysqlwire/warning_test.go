package mysqlwire_test

import (
	"fmt"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

func TestServerWarningsAreKept(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		for _, interpolate := range []bool{true, false} {
			c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = interpolate })
			const text = "SELECT CAST(CONCAT(n, 'x') AS SIGNED) FROM parcels WHERE n < ? ORDER BY n"
			want(t, query(t, c, text, 10), "1\n2\n3\n")
			// SHOW WARNINGS is held to the cap as well, but never at our own row's
			// cost, and says so.
			got := query(t, c, "SHOW WARNINGS")
			lines := strings.Split(strings.TrimSpace(got), "\n")
			if len(lines) != 5 || lines[3]+"\n" != notice3 || !strings.HasPrefix(lines[4], "Warning|61001|showing the first 3 rows") || !strings.HasPrefix(lines[0], "Warning|1292|") {
				t.Errorf("warnings are\n%s", got)
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
		}
	})
}
