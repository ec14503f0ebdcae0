package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

const parcels = `CREATE TABLE parcels (n INT PRIMARY KEY, label VARCHAR(40) NOT NULL);
INSERT INTO parcels VALUES (1,'parcel 1'),(2,'parcel 2'),(3,'parcel 3'),(4,'parcel 4'),(5,'parcel 5'),(6,'parcel 6'),
(7,'parcel 7'),(8,'parcel 8'),(9,'parcel 9'),(10,'parcel 10'),(11,'parcel 11'),(12,'parcel 12');`

// connect returns one connection of go-sql-driver to database through run.
func connect(t testing.TB, s *dbtest.Server, database string, run *running, set func(*driver.Config)) *sql.Conn {
	t.Helper()
	cfg := driver.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = s.User, s.Password, "tcp", run.addr, database
	if set != nil {
		set(cfg)
	}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatalf("connect through the door: %v", err)
	}
	t.Cleanup(func() {
		conn.Close()
		db.Close()
	})
	return conn
}

// results reads all rows of all results, a line for each row, with a line "--"
// between two results.
func results(t testing.TB, rows *sql.Rows, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := readResults(rows)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readResults(rows *sql.Rows) (string, error) {
	defer rows.Close()
	var b strings.Builder
	for {
		columns, err := rows.Columns()
		if err != nil {
			return "", err
		}
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				return "", err
			}
			for i, v := range values {
				if i > 0 {
					b.WriteByte('|')
				}
				b.WriteString(v.String)
			}
			b.WriteByte('\n')
		}
		if !rows.NextResultSet() {
			return b.String(), rows.Err()
		}
		b.WriteString("--\n")
	}
}

func query(t testing.TB, c *sql.Conn, text string, args ...any) string {
	t.Helper()
	rows, err := c.QueryContext(context.Background(), text, args...)
	return results(t, rows, err)
}

func want(t testing.TB, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const notice3 = "Warning|61001|showing the first 3 rows; more rows exist; cap 3 from the default limit; add a LIMIT up to 10, narrow the WHERE clause, or aggregate\n"

// of is notice as a row of SHOW WARNINGS after a command of several results, of which
// it speaks of the one with this number.
func of(result int, notice string) string {
	return strings.Replace(notice, "|showing", fmt.Sprintf("|result %d: showing", result), 1)
}

func TestDriver(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		for _, mode := range []struct {
			name   string
			config func(*driver.Config)
		}{
			{"text", func(c *driver.Config) { c.InterpolateParams = true; c.MultiStatements = true }},
			{"prepared", func(c *driver.Config) {}},
		} {
			t.Run(mode.name, func(t *testing.T) {
				run := serve(t, s.Addr(), policy(3, 10))
				c := connect(t, s, database, run, mode.config)
				for range 7 {
					want(t, query(t, c, "SELECT n FROM parcels WHERE n > ? ORDER BY n", 2), "3\n4\n5\n")
					want(t, query(t, c, "SHOW WARNINGS"), notice3)
					want(t, query(t, c, "SHOW COUNT(*) WARNINGS"), "1\n")
					want(t, query(t, c, "SELECT @@warning_count"), "1\n")
					want(t, query(t, c, "SELECT n FROM parcels WHERE n > ? ORDER BY n", 10), "11\n12\n")
					want(t, query(t, c, "SHOW WARNINGS"), "")
				}
				// Limits of its own, and where they are too high.
				want(t, query(t, c, "SELECT n FROM parcels ORDER BY n LIMIT ?", 5), "1\n2\n3\n4\n5\n")
				want(t, query(t, c, "SHOW WARNINGS"), "")
				for _, most := range []any{11, uint64(1) << 63} {
					want(t, query(t, c, "SELECT n FROM parcels ORDER BY n LIMIT ?", most), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n")
					if got := query(t, c, "SHOW WARNINGS"); !strings.HasPrefix(got, fmt.Sprintf("Warning|61001|showing the first 10 rows; more rows exist; cap 10 from the maximum limit; %d rows were asked for; ", most)) {
						t.Errorf("warning is %q", got)
					}
				}
				want(t, query(t, c, "SELECT n FROM parcels ORDER BY n LIMIT ?", 0), "")
				// Errors leave the session in step.
				if _, err := c.QueryContext(t.Context(), "SELECT nothing FROM parcels WHERE n = ?", 1); err == nil {
					t.Error("no error for an unknown column")
				}
				want(t, query(t, c, "SELECT 7"), "7\n")
				// Transactions.
				tx, err := c.BeginTx(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := tx.Exec("INSERT INTO parcels VALUES (?, 'x')", 100); err != nil {
					t.Fatal(err)
				}
				want(t, query(t, c, "SELECT n FROM parcels ORDER BY n DESC"), "100\n12\n11\n")
				if err := tx.Rollback(); err != nil {
					t.Fatal(err)
				}
				want(t, query(t, c, "SELECT n FROM parcels ORDER BY n DESC"), "12\n11\n10\n")
				if o := run.last(t); o.Completeness != rewrite.Truncated || o.Rows != 3 || o.Plan.Method != rewrite.MethodProbe {
					t.Errorf("outcome is %+v", o)
				}
			})
		}
	})
}

func TestSeveralStatements(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		const text = "SELECT n FROM parcels ORDER BY n; SELECT COUNT(*) FROM parcels; SELECT n FROM parcels ORDER BY n DESC"
		run := serve(t, s.Addr(), policy(3, 10))
		c := connect(t, s, database, run, func(c *driver.Config) { c.MultiStatements = true })
		want(t, query(t, c, text), "1\n2\n3\n--\n12\n--\n12\n11\n10\n")
		want(t, query(t, c, "SHOW WARNINGS"), of(1, notice3)+of(3, notice3))
		want(t, query(t, c, "SHOW COUNT(*) WARNINGS"), "2\n")
		want(t, query(t, c, "SHOW WARNINGS LIMIT 1, 5"), of(3, notice3))
		// A whole result behind a cut one does not take the notice for its own,
		// and results without rows count.
		want(t, query(t, c, "DO 1; SELECT n FROM parcels ORDER BY n; SELECT 7"), "1\n2\n3\n--\n7\n")
		want(t, query(t, c, "SHOW WARNINGS"), of(2, notice3))
		// A command that fails midway tells of what was cut before.
		rows, err := c.QueryContext(t.Context(), "SELECT n FROM parcels ORDER BY n; SELECT nothing")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := readResults(rows); got != "1\n2\n3\n" || err == nil {
			t.Errorf("got %q, %v", got, err)
		}
		if got := query(t, c, "SHOW WARNINGS"); !strings.HasPrefix(got, "Error|1054|") || !strings.HasSuffix(got, "\n"+of(1, notice3)) {
			t.Errorf("warnings are\n%s", got)
		}
		// The next command begins anew.
		want(t, query(t, c, "SELECT n FROM parcels ORDER BY n"), "1\n2\n3\n")
		want(t, query(t, c, "SHOW WARNINGS"), notice3)
		// Not every statement has rows, and what changes how the rest is read
		// leaves the rest to the guard.
		want(t, query(t, c, "SET @a = 1; SELECT n FROM parcels ORDER BY n; DO 1; SELECT @a"), "1\n2\n3\n--\n1\n")
		want(t, query(t, c, `SET SESSION sql_mode = 'ANSI_QUOTES'; SELECT "n" FROM "parcels" ORDER BY "n"; SELECT "label" FROM "parcels" ORDER BY n DESC LIMIT 9`),
			"1\n2\n3\n--\nparcel 12\nparcel 11\nparcel 10\n")
		want(t, query(t, c, `SELECT "n" FROM "parcels" ORDER BY "n" LIMIT 5`), "1\n2\n3\n4\n5\n")

		query(t, c, "SET sql_mode = ''")
		query(t, c, "SELECT 1; SET sql_mode = 'ANSI_QUOTES'; SELECT 2")
		want(t, query(t, c, `SELECT "n" FROM "parcels" ORDER BY "n" LIMIT 4`), "1\n2\n3\n4\n")
		if p := run.lastPlan(t); p.Method != rewrite.MethodOwn {
			t.Errorf("plan is %v: %s", p.Method, p.Why)
		}

		// A client that has not agreed on several statements gets the server's
		// own error, of the text that it sent.
		c = connect(t, s, database, run, nil)
		_, err = c.QueryContext(t.Context(), text)
		direct, _ := sql.Open("mysql", s.DSN(database))
		defer direct.Close()
		_, wantErr := direct.Query(text)
		if err == nil || wantErr == nil || err.Error() != wantErr.Error() {
			t.Errorf("error is %v, want %v", err, wantErr)
		}
	})
}

func TestCall(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		s.SQL(t, database, "DELIMITER //\nCREATE PROCEDURE one_list() SELECT n FROM parcels ORDER BY n//\nCREATE PROCEDURE two_lists() BEGIN SELECT n FROM parcels ORDER BY n; SELECT n FROM parcels ORDER BY n DESC; END//\n")
		run := serve(t, s.Addr(), policy(3, 10))
		c := connect(t, s, database, run, nil)
		want(t, query(t, c, "CALL two_lists()"), "1\n2\n3\n--\n12\n11\n10\n")
		want(t, query(t, c, "SELECT @@warning_count"), "2\n")
		const cut = "Warning|61001|showing the first 3 rows; more rows exist; cap 3 from the default limit; narrow the statement to fewer rows, or have the cap raised\n"
		want(t, query(t, c, "SHOW WARNINGS"), of(1, cut)+of(2, cut))
		// The OK that ends CALL makes no second result of it.
		want(t, query(t, c, "CALL one_list()"), "1\n2\n3\n")
		want(t, query(t, c, "SHOW WARNINGS"), cut)
		want(t, query(t, c, "SELECT 7"), "7\n")
		st, err := c.PrepareContext(t.Context(), "CALL two_lists()")
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		for range 2 {
			rows, err := st.Query()
			want(t, results(t, rows, err), "1\n2\n3\n--\n12\n11\n10\n")
			want(t, query(t, c, "SHOW WARNINGS"), of(1, cut)+of(2, cut))
		}
		want(t, query(t, c, "SELECT 7"), "7\n")
	})
}

func TestLargeParameter(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		s.SQL(t, "", "SET GLOBAL max_allowed_packet = 67108864")
		run := serve(t, s.Addr(), policy(5, 0))
		for _, interpolate := range []bool{true, false} {
			c := connect(t, s, "", run, func(c *driver.Config) { c.InterpolateParams = interpolate; c.MaxAllowedPacket = 64 << 20 })
			big := strings.Repeat("y", 17_000_000)
			want(t, query(t, c, "SELECT CHAR_LENGTH(?) AS len", big), "17000000\n")
			// And back, in rows that the cap counts.
			got := query(t, c, "SELECT REPEAT('z', 17000000 + ?) FROM (SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6) t", 1)
			if strings.Count(got, "\n") != 5 || len(got) != 5*17000002 {
				t.Errorf("%d bytes in %d rows", len(got), strings.Count(got, "\n"))
			}
			want(t, query(t, c, "SELECT 7"), "7\n")
		}
	})
}

func TestLocalInfile(t *testing.T) {
	s := dbtest.MariaDB(t)
	s.SQL(t, "", "SET GLOBAL local_infile = 1")
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), policy(3, 10))
	c := connect(t, s, database, run, func(c *driver.Config) { c.MultiStatements = true })
	var lines strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&lines, "%d,line %d\n", 1000+i, i)
	}
	driver.RegisterReaderHandler("lines", func() io.Reader { return strings.NewReader(lines.String()) })
	const load = "LOAD DATA LOCAL INFILE 'Reader::lines' INTO TABLE parcels FIELDS TERMINATED BY ','"
	result, err := c.ExecContext(t.Context(), load)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := result.RowsAffected(); n != 200_000 {
		t.Errorf("%d rows loaded", n)
	}
	want(t, query(t, c, "SELECT COUNT(*) FROM parcels"), "200012\n")
	// After a result that lost its probe row the two sides' numbers differ.
	query(t, c, "DELETE FROM parcels WHERE n >= 1000")
	want(t, query(t, c, "SELECT n FROM parcels ORDER BY n; "+load+"; SELECT n FROM parcels ORDER BY n"), "1\n2\n3\n--\n1\n2\n3\n")
	want(t, query(t, c, "SELECT COUNT(*) FROM parcels"), "200012\n")
}
