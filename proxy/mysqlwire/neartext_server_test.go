package mysqlwire_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// syntaxErrors are texts that are read and capped but that a server refuses, or whose
// refusal quotes a statement that is.
func syntaxErrors() []string {
	texts := []string{
		"SELECT 'a' FROM parcels INTERSECT",
		"SELECT 'a' FROM parcels INTERSECT ",
		"SELECT 'a' FROM parcels INTERSECT ;",
		"SELECT 'a' FROM parcels INTERSECT /* why */ ; SELECT 1",
		"SELECT 'a' FROM parcels INTERSECT -- why",
		"SELECT 1; SELECT 'a' FROM parcels INTERSECT ",
		"; SELECT n FROM parcels ",
		" ;; SELECT n FROM parcels ; ",
		"SELECT FROM 1; SELECT n FROM parcels ORDER BY n; SELECT 2",
		"SELECT FROM 1; SELECT n FROM parcels ORDER BY n;\n\t ",
		"SELECT 1; SELECT FROM 1; SELECT n FROM parcels; ",
		"SELECT n FROM parcels; SELECT n FROM parcels; SELECT FROM 1",
		"SELECT n FROM parcels;\nSELECT n FROM parcels\nINTERSECT\n",
		"SELECT n FROM parcels INTERSECT\n-- why\n; SELECT 1",
		"SELECT n FROM parcels INTERSECT LIMIT 5000; SELECT 1",
		"TABLE parcels",
		"SELECT FROM 'é漢😀'; SELECT n FROM parcels ",
		"SELECT FROM '" + strings.Repeat("😀", 30) + "'; SELECT n FROM parcels WHERE label = 'é漢😀' ",
		"SELECT n, 'é漢😀' FROM parcels INTERSECT ",
	}
	for n := 20; n < 90; n++ {
		texts = append(texts, "SELECT FROM '"+strings.Repeat("a", n)+"'; SELECT n FROM parcels")
		if n%5 == 0 {
			texts = append(texts, "SELECT FROM '"+strings.Repeat("é", n)+"'; SELECT n FROM parcels WHERE n > 1 ",
				"SELECT FROM '"+strings.Repeat("😀", n/4)+"'; SELECT n FROM parcels WHERE n > 1 ")
		}
	}
	return texts
}

// prepared is the error that preparing a text ends with.
func prepared(c *sql.Conn, text string) string {
	st, err := c.PrepareContext(context.Background(), text)
	if err == nil {
		st.Close()
	}
	return fmt.Sprint(err)
}

// complaint is the number and the message of the error that a text ends with.
func complaint(c *sql.Conn, text string) string {
	rows, err := c.QueryContext(context.Background(), text)
	if err == nil {
		_, err = readResults(rows)
	}
	var mine *driver.MySQLError
	if errors.As(err, &mine) {
		return fmt.Sprint(mine.Number, " ", mine.Message)
	}
	return fmt.Sprint(err)
}

// TestSyntaxErrors compares what a client is told of what it sent with what the server
// itself says.
func TestSyntaxErrors(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		multi := func(c *driver.Config) { c.MultiStatements = true }
		direct := connect(t, s, database, &running{addr: s.Addr()}, multi)
		through := connect(t, s, database, serve(t, s.Addr(), policy(10, 10)), multi)
		for _, text := range syntaxErrors() {
			own, got := complaint(direct, text), complaint(through, text)
			if got != own {
				t.Errorf("%q\n got %s\nwant %s", text, got, own)
			}
			if own, got := prepared(direct, text), prepared(through, text); got != own {
				t.Errorf("%q, prepared\n got %s\nwant %s", text, got, own)
			}
		}
	})
}

// TestSyntaxErrorsInWarnings asks for the error once more: SHOW WARNINGS and SHOW ERRORS,
// as text and prepared, say what the server itself says of the client's own text.
func TestSyntaxErrorsInWarnings(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(10, 10))
		for _, interpolate := range []bool{true, false} {
			setting := func(c *driver.Config) { c.InterpolateParams = interpolate }
			direct, through := connect(t, s, database, &running{addr: s.Addr()}, setting), connect(t, s, database, run, setting)
			for _, ask := range []string{"SHOW WARNINGS", "SHOW ERRORS", "SHOW WARNINGS LIMIT 5"} {
				const text = "SELECT 'a' FROM parcels INTERSECT "
				for _, fail := range []func(*sql.Conn, string) string{complaint, prepared} {
					fail(direct, text)
					fail(through, text)
					// A second time: asking leaves the words as they are.
					for range 2 {
						own, got := query(t, direct, ask), query(t, through, ask)
						if got != own || !strings.Contains(got, "|1064|") || strings.Contains(got, "LIMIT") {
							t.Errorf("%s\n got %swant %s", ask, got, own)
						}
					}
				}
				// MariaDB keeps the error behind a SELECT without tables.
				for _, later := range []string{"SELECT 1", "SELECT COUNT(*) FROM parcels"} {
					want(t, query(t, through, later), query(t, direct, later))
					want(t, query(t, through, ask), query(t, direct, ask))
				}
				// The client's own LIMIT stays in the words of the next error.
				const own = "SELECT 'a' FROM parcels INTERSECT LIMIT 11"
				want(t, complaint(through, own), complaint(direct, own))
				want(t, query(t, through, ask), query(t, direct, ask))
			}
		}
	})
}
