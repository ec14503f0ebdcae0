package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// answer is what a server said to one statement.
type answer struct {
	labels []string
	rows   []string
	err    error
}

// session is a connection of its own and the dialect that reads as it does.
type session struct {
	conn    *sql.Conn
	dialect rewrite.Dialect
	// database is the name of the session's own.
	database string
}

const serverSetup = `
CREATE TABLE t (a INT PRIMARY KEY, b INT, c VARCHAR(20));
INSERT INTO t VALUES (1,1,'one'),(2,1,'two'),(3,2,'three'),(4,2,'four'),(5,3,'five'),(6,3,'six'),(7,4,'seven'),(8,4,'eight'),(9,5,'nine');
CREATE TABLE u (a INT PRIMARY KEY, b INT);
INSERT INTO u VALUES (2,20),(3,30),(4,40),(5,50),(6,60);
CREATE TABLE q (` + "`limit`" + ` INT, ` + "`for`" + ` INT);
INSERT INTO q VALUES (1,1),(2,2),(3,3),(4,4);
CREATE TABLE w (a INT);
CREATE PROCEDURE p() BEGIN SELECT a FROM t; SELECT a FROM u; END`

// connect opens a session in a fresh database with the tables of serverSetup.
func connect(t testing.TB, s *dbtest.Server) *session {
	t.Helper()
	name := s.Database(t)
	db, err := sql.Open("mysql", s.DSN(name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &session{conn: conn, database: name, dialect: New().With("server_version", s.Version).With("database", name)}
	d := c.dialect.(dialect)
	sources := split(serverSetup, &d.settings)
	for _, source := range sources {
		if _, err := conn.ExecContext(context.Background(), source.text); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// ask runs one statement.
func (c *session) ask(text string, args ...any) (a answer) {
	rows, err := c.conn.QueryContext(context.Background(), text, args...)
	if err != nil {
		if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, mysql.ErrInvalidConn) {
			panic(fmt.Sprintf("the server went away at %q: %v", text, err))
		}
		return answer{err: err}
	}
	defer rows.Close()
	for {
		labels, err := rows.Columns()
		if err != nil {
			return answer{err: err}
		}
		a.labels = append(a.labels, labels...)
		for rows.Next() {
			values := make([]sql.RawBytes, len(labels))
			into := make([]any, len(labels))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return answer{err: err}
			}
			a.rows = append(a.rows, fmt.Sprintf("%q", values))
			if len(a.rows) > 100_000 {
				return answer{err: fmt.Errorf("too many rows")}
			}
		}
		if !rows.NextResultSet() {
			break
		}
	}
	a.err = rows.Err()
	return a
}

// check compares a statement with its capped forms on the server, and its facts
// with what the server does.
func (c *session) check(t testing.TB, text string) {
	t.Helper()
	statements, err := c.dialect.Parse(text)
	if err != nil || len(statements) != 1 {
		t.Errorf("%q: %d statements, %v", text, len(statements), err)
		return
	}
	c.compare(t, statements[0], true)
}

// compare runs one statement as it is and with limits. exact asks for the rows
// themselves to be equal too, which random statements do not give.
func (c *session) compare(t testing.TB, st rewrite.Statement, exact bool) (limited int) {
	t.Helper()
	before := c.ask(st.Text)
	if before.err != nil {
		return 0 // nothing to compare; what the server refuses stays refused
	}
	l := st.Limit
	switch {
	case !st.ReturnsRows && len(before.labels) > 0:
		t.Errorf("%q: said to return no rows, and returns %d", st.Text, len(before.rows))
	case st.AtMostOneRow && len(before.rows) > 1:
		t.Errorf("%q: said to return at most one row, and returns %d", st.Text, len(before.rows))
	case l.Form == rewrite.LimitLiteral && !l.WithTies && uint64(len(before.rows)) > l.Rows:
		t.Errorf("%q: said to have limit %d, and returns %d rows", st.Text, l.Rows, len(before.rows))
	}
	if !st.Limitable || l.AtBind || st.AtMostOneRow {
		return 0 // no limit is written into these
	}
	random := strings.Contains(strings.ToLower(st.Text), "rand()")
	for _, rows := range []uint64{0, 1, 2, 4, 50} {
		if l.Form == rewrite.LimitLiteral && rows > l.Rows {
			continue
		}
		edits, err := c.dialect.SetLimit(st, rows)
		if err != nil {
			continue
		}
		edited := rewrite.ApplyEdits(st.Text, edits)
		after := c.ask(edited)
		limited++
		switch {
		case after.err != nil:
			t.Errorf("%q: as %q: %v", st.Text, edited, after.err)
		case !slices.Equal(before.labels, after.labels):
			t.Errorf("%q: as %q: labels %q became %q", st.Text, edited, before.labels, after.labels)
		case uint64(len(after.rows)) != min(rows, uint64(len(before.rows))):
			t.Errorf("%q: as %q: %d rows of %d", st.Text, edited, len(after.rows), len(before.rows))
		case random || !exact:
		case !st.Volatile && st.Ordered && !slices.Equal(after.rows, before.rows[:len(after.rows)]):
			t.Errorf("%q: as %q: rows %v are not the first of %v", st.Text, edited, after.rows, before.rows)
		case !st.Volatile && !isPart(after.rows, before.rows):
			t.Errorf("%q: as %q: rows %v are not among %v", st.Text, edited, after.rows, before.rows)
		}
	}
	return limited
}

// isPart reports whether every row of some is a row of all, as often.
func isPart(some, all []string) bool {
	left := make(map[string]int)
	for _, row := range all {
		left[row]++
	}
	for _, row := range some {
		if left[row]--; left[row] < 0 {
			return false
		}
	}
	return true
}

// forms reads the statements of testdata/forms.txt, one a line.
func forms(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, line := range strings.Split(string(data), "\n") {
		if line != "" && !strings.HasPrefix(line, "--") {
			list = append(list, strings.ReplaceAll(line, `⏎`, "\n"))
		}
	}
	return list
}

func checkForms(t *testing.T, s *dbtest.Server) {
	c := connect(t, s)
	accepted, limitable := 0, 0
	for _, text := range forms(t) {
		c.check(t, text)
		if a := c.ask(text); a.err == nil {
			accepted++
			if st, _ := c.dialect.Parse(text); len(st) == 1 && st[0].Limitable {
				limitable++
			}
		}
	}
	t.Logf("%s: %d of %d forms are accepted by the server, %d of those take a limit", s.Version, accepted, len(forms(t)), limitable)
	if accepted < len(forms(t))/2 || limitable < accepted/2 {
		t.Error("too few forms were compared")
	}
}

func TestFormsOnMariaDB(t *testing.T) { checkForms(t, dbtest.MariaDB(t)) }

func TestFormsOnMySQL(t *testing.T) { checkForms(t, dbtest.MySQL(t)) }
