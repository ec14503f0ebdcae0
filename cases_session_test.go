package rowcap_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// failure is an error of a server, as its protocol gives it; the zero failure is
// none. Code is MySQL's number or PostgreSQL's SQLSTATE.
type failure struct {
	Code, State, Message, Detail, Hint, Where string
	Position, InternalPosition                int32
}

// caseSession is a client's connection, to a server or to a sidecar.
type caseSession interface {
	// run sends one text and reads all its answers, up to the server's error.
	run(t *testing.T, text string, params []any) ([]answer, failure)
	// runPrepared does so after preparing the text, which must be one statement.
	runPrepared(t *testing.T, text string, params []any) ([]answer, failure)
	// told reports whether rowcap said of the last text that rows are missing.
	told(t *testing.T) bool
}

// connect opens a session with database at addr, which is the server's own
// address or that of a sidecar in front of it, until the test ends.
func connect(t *testing.T, s *dbtest.Server, addr, database string) caseSession {
	t.Helper()
	if s.Flavor == dbtest.FlavorPostgres {
		return connectPostgres(t, s, addr, database)
	}
	return connectMySQL(t, s, addr, database)
}

type postgresSession struct {
	conn    *pgconn.PgConn
	noticed bool
}

func connectPostgres(t *testing.T, s *dbtest.Server, addr, database string) *postgresSession {
	t.Helper()
	ctx := context.Background()
	cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", s.User, s.Password, addr, database))
	if err != nil {
		t.Fatal(err)
	}
	p := &postgresSession{}
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.noticed = p.noticed || n.Code == "01RC1" }
	if p.conn, err = pgconn.ConnectConfig(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.conn.Close(ctx) })
	return p
}

// run uses the extended protocol for a statement with parameters and the simple
// one for all others.
func (p *postgresSession) run(t *testing.T, text string, params []any) ([]answer, failure) {
	t.Helper()
	if len(params) > 0 {
		return p.runPrepared(t, text, params)
	}
	p.noticed = false
	results, err := p.conn.Exec(context.Background(), text).ReadAll()
	return postgresAnswers(t, results, err)
}

func (p *postgresSession) runPrepared(t *testing.T, text string, params []any) ([]answer, failure) {
	t.Helper()
	p.noticed = false
	values := make([][]byte, len(params))
	for i, v := range params {
		if v != nil {
			values[i] = fmt.Append(nil, v)
		}
	}
	r := p.conn.ExecParams(context.Background(), text, values, nil, nil, nil).Read()
	return postgresAnswers(t, []*pgconn.Result{r}, r.Err)
}

func postgresAnswers(t *testing.T, results []*pgconn.Result, err error) ([]answer, failure) {
	t.Helper()
	var got []answer
	for _, r := range results {
		got = append(got, postgresAnswer(r))
	}
	if err == nil {
		return got, failure{}
	}
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		t.Fatal(err)
	}
	return got, failure{Code: server.Code, State: server.Code, Message: server.Message, Detail: server.Detail, Hint: server.Hint,
		Where: server.Where, Position: server.Position, InternalPosition: server.InternalPosition}
}

func (p *postgresSession) told(*testing.T) bool { return p.noticed }

func postgresAnswer(r *pgconn.Result) answer {
	var a answer
	for _, f := range r.FieldDescriptions {
		a.Columns = append(a.Columns, f.Name)
	}
	for _, values := range r.Rows {
		row := make([]*string, len(values))
		for i, v := range values {
			if v != nil {
				text := string(v)
				row[i] = &text
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a
}

type mysqlSession struct{ conn *sql.Conn }

func connectMySQL(t *testing.T, s *dbtest.Server, addr, database string) *mysqlSession {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = s.User, s.Password, "tcp", addr, database
	cfg.MultiStatements = true
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &mysqlSession{conn}
}

// run uses the binary protocol for a statement with parameters and the text one
// for all others.
func (m *mysqlSession) run(t *testing.T, text string, params []any) ([]answer, failure) {
	t.Helper()
	return mysqlAnswers(t, func(ctx context.Context, values ...any) (*sql.Rows, error) {
		return m.conn.QueryContext(ctx, text, values...)
	}, params)
}

func (m *mysqlSession) runPrepared(t *testing.T, text string, params []any) ([]answer, failure) {
	t.Helper()
	return mysqlAnswers(t, func(ctx context.Context, values ...any) (*sql.Rows, error) {
		st, err := m.conn.PrepareContext(ctx, text)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { st.Close() })
		return st.QueryContext(ctx, values...)
	}, params)
}

func mysqlAnswers(t *testing.T, query func(context.Context, ...any) (*sql.Rows, error), params []any) ([]answer, failure) {
	t.Helper()
	values := make([]any, len(params))
	for i, p := range params {
		values[i] = p
		if n, ok := p.(json.Number); ok {
			values[i] = mysqlNumber(t, n)
		}
	}
	var got []answer
	rows, err := query(context.Background(), values...)
	if err == nil {
		got, err = readMySQL(rows)
	}
	if err == nil {
		return got, failure{}
	}
	var server *mysql.MySQLError
	if !errors.As(err, &server) {
		t.Fatal(err)
	}
	return got, failure{Code: strconv.Itoa(int(server.Number)), State: string(server.SQLState[:]), Message: server.Message}
}

func mysqlNumber(t *testing.T, n json.Number) any {
	t.Helper()
	if i, err := strconv.ParseInt(n.String(), 10, 64); err == nil {
		return i
	}
	if u, err := strconv.ParseUint(n.String(), 10, 64); err == nil {
		return u
	}
	f, err := n.Float64()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (m *mysqlSession) told(t *testing.T) bool {
	t.Helper()
	warnings, fail := m.run(t, "SHOW WARNINGS", nil)
	if fail != (failure{}) {
		t.Fatal(fail.Message)
	}
	for _, w := range warnings[0].Rows {
		if *w[1] == "61001" {
			return true
		}
	}
	return false
}

// readMySQL reads every result of a text; values are as the server writes them.
func readMySQL(rows *sql.Rows) ([]answer, error) {
	defer rows.Close()
	var all []answer
	for {
		var a answer
		var err error
		if a.Columns, err = rows.Columns(); err != nil {
			return all, err
		}
		for rows.Next() {
			values := make([]sql.NullString, len(a.Columns))
			into := make([]any, len(values))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return all, fmt.Errorf("scan: %w", err)
			}
			row := make([]*string, len(values))
			for i, v := range values {
				if v.Valid {
					row[i] = &v.String
				}
			}
			a.Rows = append(a.Rows, row)
		}
		all = append(all, a)
		if !rows.NextResultSet() {
			return all, rows.Err()
		}
	}
}
