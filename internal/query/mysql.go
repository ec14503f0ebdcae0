package query

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	driver "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/rewrite"
)

// mysqlSession is a Session with a MySQL or MariaDB server. It uses the text
// protocol, one statement at a time.
type mysqlSession struct {
	db       *sql.DB
	conn     *sql.Conn
	dialect  string
	settings mysqlSettings
	id       uint64 // the server's number of the connection, 0 if not known
	gone     bool   // the session was abandoned
}

// mysqlSettings are the settings of a session that change how SQL is read, and
// the session's own bound on rows.
type mysqlSettings struct {
	version, mode, charset, database string
	selectLimit                      uint64
}

func openMySQL(ctx context.Context, dsn string) (Session, error) {
	config, err := mysqlConfig(dsn)
	if err != nil {
		return nil, err
	}
	connector, err := driver.NewConnector(config)
	if err != nil {
		return nil, &DSNError{err.Error()}
	}
	s := &mysqlSession{db: sql.OpenDB(connector)}
	where := "the MySQL server at " + config.Addr
	if s.conn, err = s.db.Conn(ctx); err == nil {
		err = s.learn(ctx)
	}
	if err != nil {
		s.Close()
		var me *driver.MySQLError
		if errors.As(err, &me) {
			return nil, fmt.Errorf("%s refuses the connection: %w", where, mysqlError(me, 0))
		}
		return nil, unreachable(where, err)
	}
	s.dialect = "mysql"
	if strings.Contains(s.settings.version, "MariaDB") {
		s.dialect = "mariadb"
	}
	return s, nil
}

// Dialect is mysql or mariadb, by the server's version.
func (s *mysqlSession) Dialect() string { return s.dialect }

// Close ends the session.
func (s *mysqlSession) Close() error {
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	return errors.Join(err, s.db.Close())
}

// learn reads the settings.
func (s *mysqlSession) learn(ctx context.Context) error {
	var limit string
	m := &s.settings
	err := s.conn.QueryRowContext(ctx,
		"SELECT @@version, @@sql_mode, @@character_set_client, COALESCE(DATABASE(), ''), @@sql_select_limit, CONNECTION_ID()").
		Scan(&m.version, &m.mode, &m.charset, &m.database, &limit, &s.id)
	if err != nil {
		return err
	}
	m.selectLimit, err = strconv.ParseUint(limit, 10, 64)
	if m.selectLimit == 0 && strings.Contains(m.version, "-Vitess") {
		m.selectLimit = rewrite.NoLimit // as Vitess means it
	}
	return err
}

// planner returns r and ask as the session's settings have them.
func (s *mysqlSession) planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask) {
	r = r.With("server_version", s.settings.version).With("sql_mode", s.settings.mode).
		With("character_set_client", s.settings.charset).With("database", s.settings.database)
	if s.settings.selectLimit < rewrite.NoLimit {
		ask.Session = &s.settings.selectLimit
	}
	return r, ask
}

// Run runs the statements of text one by one.
func (s *mysqlSession) Run(ctx context.Context, r *rewrite.Rewriter, text string, ask rewrite.Ask) ([]Result, error) {
	var results []Result
	start := 0 // where in text the rest begins that is planned but has not run
	planner, limits := s.planner(r, ask)
	script := planner.Script(text, limits)
	for next := 0; next < len(script.Plans); {
		if refused := script.Refused(); refused != nil {
			if len(results) > 0 {
				return results, fmt.Errorf("the statements before it have run: %w", refused)
			}
			return nil, refused
		}
		plan := script.Plans[next]
		next++
		last := next == len(script.Plans)
		answers, err := s.statement(ctx, planner, plan, last)
		results = append(results, answers...)
		if err != nil {
			return results, s.explain(err, text, start+plan.Statement.Pos)
		}
		if last || !mayChangeSettings(plan.Statement.Kind) {
			continue
		}
		before := s.settings
		if err := s.learn(ctx); err != nil {
			return results, s.explain(err, text, start+plan.Statement.Pos)
		}
		if s.settings != before { // read the rest anew
			start += script.Plans[next].Statement.Pos
			planner, limits = s.planner(r, ask)
			script, next = planner.Script(text[start:], limits), 0
		}
	}
	return results, nil
}

// mayChangeSettings reports kinds of statements that can be a SET.
func mayChangeSettings(k rewrite.Kind) bool {
	return k == rewrite.KindUtility || k == rewrite.KindUnknown || k == rewrite.KindExecute
}

// statement runs one statement and, if it is the last one, asks for the
// server's warnings.
func (s *mysqlSession) statement(ctx context.Context, r *rewrite.Rewriter, plan rewrite.Plan, last bool) ([]Result, error) {
	o := order{plan: plan, text: plan.Statement.Text, writes: true}
	o.plan.Edits = at(-plan.Statement.Pos, plan.Edits)
	o.sent = rewrite.ApplyEdits(o.text, o.plan.Edits)
	return s.answers(ctx, r, o, 0, last)
}

// answers runs one statement, prepared if it has parameters, and takes all its answers;
// most bytes of each at most, 0 for any number. Of an order that only reads the rest is
// not taken once no further row is of interest: the session has ended then. Where warned,
// the server is asked for its warnings.
func (s *mysqlSession) answers(ctx context.Context, r *rewrite.Rewriter, o order, most int, warned bool) ([]Result, error) {
	params := make([]any, len(o.params))
	for i, p := range o.params {
		params[i] = p.value()
	}
	var results []Result
	var err error
	if o.plan.Statement.ReturnsRows {
		results, err = s.rows(ctx, r, o, most, params)
	} else {
		var done sql.Result
		if done, err = s.conn.ExecContext(ctx, o.sent, params...); err == nil {
			affected, _ := done.RowsAffected()
			n := uint64(affected)
			results = []Result{{Command: fmt.Sprintf("Query OK, %d rows affected", n), Affected: &n, Outcome: rewrite.Outcome{Plan: o.plan}}}
		}
	}
	if err == nil && warned && !s.gone && o.plan.Statement.Kind != rewrite.KindShow {
		results[len(results)-1].ServerWarnings, err = s.warnings(ctx)
	}
	return results, s.inOwnWords(err, o.sent, o.text, o.plan.Edits)
}

// rows runs a statement that returns rows.
func (s *mysqlSession) rows(ctx context.Context, r *rewrite.Rewriter, o order, most int, params []any) ([]Result, error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	rows, err := s.conn.QueryContext(within, o.sent, params...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var results []Result
	for more := true; more; more = rows.NextResultSet() {
		types, err := rows.ColumnTypes()
		if err != nil {
			return results, err
		}
		if len(types) == 0 {
			continue // the end of a procedure, or a statement without rows
		}
		result, stopped, err := gatherMySQL(rows, types, r, o, most)
		if stopped || errors.Is(err, errTooLarge) {
			stop() // closes the connection: the rest of the answer is not read
			rows.Close()
			s.abandon()
			return append(results, result), err
		}
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	if err := rows.Err(); err != nil {
		return results, err
	}
	if len(results) == 0 {
		results = []Result{{Command: "Query OK", Outcome: rewrite.Outcome{Plan: o.plan}}}
	}
	return results, rows.Close()
}

// warnings asks what the server remarked on the latest statement.
func (s *mysqlSession) warnings(ctx context.Context) ([]ServerWarning, error) {
	rows, err := s.conn.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var kept []ServerWarning
	dropped := 0
	for rows.Next() {
		var w ServerWarning
		if len(kept) == maxServerWarnings {
			dropped++
			continue
		}
		if err := rows.Scan(&w.Level, &w.Code, &w.Message); err != nil {
			return nil, err
		}
		w.Message = valid(w.Message)
		kept = append(kept, w)
	}
	if err := rows.Err(); err != nil || len(kept) == 0 {
		return nil, err
	}
	if s.dialect != "mariadb" {
		return andMore(kept, dropped), nil
	}
	// MariaDB keeps them until a statement comes that uses a table.
	_, err = s.conn.ExecContext(ctx, "DO (SELECT 1 FROM (SELECT 1) t)")
	return andMore(kept, dropped), err
}
