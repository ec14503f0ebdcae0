package property

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

type mysqlSession struct {
	t      *testing.T
	server *dbtest.Server
	db     *sql.DB
	conn   *sql.Conn // nil until it is needed, and after the server died
	setup  string
	drawn  sqlgen.Target
	d      rewrite.Dialect
	dsn    string
	// looks is called behind a statement that has not failed, if it is set.
	looks func(t fataler, conn *sql.Conn)
}

// openMySQL makes the schema in a database of its own and connects to it, once with
// each of some sql_modes. The server is the test's own, as some statements end it.
func openMySQL(t *testing.T, s *dbtest.Server) []session {
	t.Helper()
	database := s.Database(t)
	var out []session
	for _, mode := range []string{"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT,IGNORE_SPACE"} {
		patience := "max_execution_time = 20000"
		if s.Flavor == dbtest.FlavorMariaDB {
			patience = "max_statement_time = 20"
		}
		m := &mysqlSession{t: t, server: s, setup: "SET NAMES utf8mb4 COLLATE utf8mb4_bin, SESSION sql_mode = CONCAT(@@sql_mode, '," + mode + "'), SESSION " + patience,
			drawn: sqlgen.Target{Dialect: s.Flavor, ANSIQuotes: mode == "ANSI_QUOTES", NoBackslash: mode == "NO_BACKSLASH_ESCAPES",
				PipesConcat: strings.HasPrefix(mode, "PIPES")}}
		m.dsn = s.DSN(database) + "?multiStatements=true"
		m.open(t)
		t.Cleanup(m.close)
		if len(out) == 0 {
			for _, text := range append([]string{"ALTER DATABASE " + database + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"}, sqlgen.Schema(m.drawn)...) {
				if _, err := m.db.Exec(text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
		}
		m.connect()
		var version, all string
		if err := m.conn.QueryRowContext(context.Background(), "SELECT @@version, @@sql_mode").Scan(&version, &all); err != nil {
			t.Fatal(err)
		}
		var major, minor, patch int
		fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch)
		m.drawn.Version = major*10000 + minor*100 + patch
		// The version tells MariaDB from MySQL.
		m.d = mysql.New().With("server_version", version).With("sql_mode", all).With("character_set_client", "utf8mb4").With("database", database)
		out = append(out, m)
	}
	return out
}

func (m *mysqlSession) open(t fataler) {
	var err error
	if m.db, err = sql.Open("mysql", m.dsn); err != nil {
		t.Fatalf("%v", err)
	}
}

func (m *mysqlSession) close() {
	if m.conn != nil {
		m.conn.Close()
	}
	m.db.Close()
}

// connect connects, and starts the server again if it has died.
func (m *mysqlSession) connect() {
	ctx := context.Background()
	var err error
	for try := 0; try < 2; try++ {
		if m.conn, err = m.db.Conn(ctx); err == nil {
			if _, err = m.conn.ExecContext(ctx, m.setup); err == nil {
				return
			}
			m.conn.Close()
		}
		m.server.Restart(m.t)
	}
	m.t.Fatalf("connect: %v", err)
}

func (m *mysqlSession) target() sqlgen.Target    { return m.drawn }
func (m *mysqlSession) dialect() rewrite.Dialect { return m.d }

// exec runs a statement of the test itself and reports whether the connection lives.
func (m *mysqlSession) exec(t fataler, text string) bool {
	_, err := m.conn.ExecContext(context.Background(), text)
	var me *driver.MySQLError
	switch {
	case err == nil:
		return true
	case errors.As(err, &me):
		t.Fatalf("%s: %v", text, err)
	}
	m.conn.Close()
	m.conn = nil
	return false
}

func (m *mysqlSession) run(t fataler, text string, bound *uint64) (out []answer, failed *failure) {
	before, after := "START TRANSACTION", "ROLLBACK; DO RELEASE_ALL_LOCKS(); SET sql_select_limit = DEFAULT, @x = NULL, @y = NULL"
	if bound != nil {
		before += fmt.Sprintf("; SET sql_select_limit = %d", *bound)
	}
	if m.conn == nil || !m.exec(t, before) {
		m.connect()
		m.exec(t, before)
	}
	out, failed = m.query(t, text)
	if m.looks != nil && failed == nil {
		m.looks(t, m.conn)
	}
	if m.conn != nil {
		m.exec(t, after)
	}
	return out, failed
}

func (m *mysqlSession) query(t fataler, text string) (out []answer, failed *failure) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rows, err := m.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, m.failure(err)
	}
	return m.read(t, text, rows)
}

// read reads all answers.
func (m *mysqlSession) read(t fataler, text string, rows *sql.Rows) (out []answer, failed *failure) {
	defer rows.Close()
	for {
		types, err := rows.ColumnTypes()
		if err != nil {
			return out, m.failure(err)
		}
		if len(types) > 0 {
			a := answer{}
			for _, c := range types {
				// Not whether it can be NULL, and not how wide an integer is: both servers
				// say so after the plan that they made, which a limit may change.
				kind := c.DatabaseTypeName()
				if kind == "BIGINT" {
					kind = "INT"
				}
				precision, scale, _ := c.DecimalSize()
				a.columns = append(a.columns, fmt.Sprintf("%q %s %d %d", c.Name(), kind, precision, scale))
			}
			for rows.Next() {
				values := make([]sql.NullString, len(types))
				into := make([]any, len(types))
				for i := range values {
					into[i] = &values[i]
				}
				if err := rows.Scan(into...); err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				row := make([]string, len(types))
				for i, v := range values {
					row[i] = null
					if v.Valid {
						row[i] = v.String
					}
				}
				a.rows = append(a.rows, row)
			}
			if err := rows.Err(); err != nil {
				return out, m.failure(err)
			}
			out = append(out, a)
		}
		if !rows.NextResultSet() {
			break
		}
	}
	if err := rows.Err(); err != nil {
		return out, m.failure(err)
	}
	return out, nil
}

func (m *mysqlSession) failure(err error) *failure {
	var me *driver.MySQLError
	if errors.As(err, &me) && (me.Number == 3024 || me.Number == 1969) {
		return &failure{tooLong, -1, me.Message}
	}
	if !errors.As(err, &me) {
		m.conn.Close()
		m.conn = nil
		return &failure{died, -1, err.Error()}
	}
	return &failure{fmt.Sprint(me.Number), -1, me.Message}
}

// late: a subquery of several rows, a value out of range, data that cannot be
// converted, a sort that ROWS EXAMINED ends.
func (m *mysqlSession) late(code string) bool {
	return strings.Contains(" 1028 1242 1690 1264 1292 1365 1366 1406 1411 ", " "+code+" ")
}
