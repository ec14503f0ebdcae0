package mysqlwire_test

import (
	"errors"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestGuardedStatements(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), policy(3, 10))
	c := connect(t, s, database, run, nil)
	for _, test := range []struct {
		text string
		rows int
	}{
		{"SHOW CHARACTER SET", 3},
		{"INSERT INTO parcels SELECT n + 100, label FROM parcels RETURNING n", 3},
		{"HANDLER parcels OPEN", 0},
		{"HANDLER parcels READ FIRST LIMIT 9", 3},
		{"SELECT n FROM parcels PROCEDURE ANALYSE()", 1},
		{"EXECUTE IMMEDIATE 'SELECT n FROM parcels'", 3},
		{"SET STATEMENT max_statement_time=9 FOR SELECT n FROM parcels", 3},
	} {
		text, rows := test.text, test.rows
		got := query(t, c, text)
		if n := strings.Count(got, "\n"); n != rows {
			t.Errorf("%s: %d rows, want %d", text, n, rows)
		}
		if rows == 3 {
			if got := query(t, c, "SHOW WARNINGS"); !strings.Contains(got, "61001|showing the first 3 rows") {
				t.Errorf("%s: warnings are %q", text, got)
			}
		}
	}
	want(t, query(t, c, "SELECT COUNT(*) FROM parcels"), "24\n")
}

func TestRefusedStatement(t *testing.T) {
	s := dbtest.MariaDB(t)
	database := s.Database(t)
	s.SQL(t, database, parcels)
	p := policy(3, 10)
	p.Unparsed = rewrite.UnparsedRefuse
	run := serve(t, s.Addr(), p)
	for _, interpolate := range []bool{true, false} {
		c := connect(t, s, database, run, func(c *driver.Config) { c.InterpolateParams = interpolate })
		_, err := c.QueryContext(t.Context(), "SELECT FROM WHERE ?", 1)
		var mine *driver.MySQLError
		if !errors.As(err, &mine) || mine.Number != 61002 || string(mine.SQLState[:]) != "HY000" || !strings.Contains(mine.Message, "--unparsed=guard") {
			t.Errorf("error is %v", err)
		}
		want(t, query(t, c, "SELECT 7"), "7\n")
	}
}
