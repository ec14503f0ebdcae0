package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/rewrite"
)

// postgres is a Session with a PostgreSQL server. It uses the simple query
// protocol, whose values are all text.
type postgres struct {
	conn    *pgconn.PgConn
	types   *typeNames
	copying *copyWatch
	notices []ServerWarning // since the last answer
	dropped int             // notices beyond maxServerWarnings
}

func postgresConfig(dsn string) (*pgconn.Config, error) {
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		var p *pgconn.ParseConfigError
		if errors.As(err, &p) && p.Unwrap() == nil {
			return nil, &DSNError{"it is no PostgreSQL URL or key=value list"}
		}
		return nil, &DSNError{"it is no PostgreSQL URL or key=value list, or names a file that cannot be read; percent-encode special characters in the password"}
	}
	return config, nil
}

func openPostgres(ctx context.Context, dsn string) (Session, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for name, value := range map[string]string{
		"client_encoding":  "UTF8", // without it the server speaks the database's encoding
		"application_name": "rowcap",
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	p := &postgres{types: newTypeNames(), copying: &copyWatch{}}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { p.notice(n) }
	config.BuildFrontend = watchCopies(config.BuildFrontend, p.copying)
	p.conn, err = pgconn.ConnectConfig(ctx, config)
	if err != nil {
		where := fmt.Sprintf("the PostgreSQL server at %s port %d", config.Host, config.Port)
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			return nil, fmt.Errorf("%s refuses the connection: %w", where, pgError(pe, "", nil, "", nil, ""))
		}
		// The whole message repeats user, database and every try.
		err = cause(err)
		return nil, unreachable(where, err)
	}
	p.notices, p.dropped = nil, 0
	return p, nil
}

// Dialect is postgres.
func (p *postgres) Dialect() string { return "postgres" }

// Close ends the session.
func (p *postgres) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	return p.conn.Close(ctx)
}

// planner returns r as the session's settings have it.
func (p *postgres) planner(r *rewrite.Rewriter, ask rewrite.Ask) (*rewrite.Rewriter, rewrite.Ask) {
	for _, s := range []string{"server_version", "standard_conforming_strings", "client_encoding"} {
		r = r.With(s, p.conn.ParameterStatus(s))
	}
	return r, ask
}

// Run runs sql as one simple query.
func (p *postgres) Run(ctx context.Context, r *rewrite.Rewriter, sql string, ask rewrite.Ask) ([]Result, error) {
	r, ask = p.planner(r, ask)
	script := r.Script(sql, ask)
	if refused := script.Refused(); refused != nil {
		return nil, refused
	}
	if strings.IndexByte(sql, 0) >= 0 {
		return nil, errors.New("the SQL holds a NUL byte, which PostgreSQL cannot take: remove it")
	}
	for _, plan := range script.Plans {
		if plan.Statement.Kind == rewrite.KindCopy && plan.Statement.ReturnsRows {
			return nil, errCopyOut
		}
	}
	sent := script.SQL()
	p.copying.reset()
	p.notices, p.dropped = nil, 0
	answers := p.conn.Exec(ctx, sent)
	var results []Result
	for answers.NextResult() {
		result, err := p.gather(answers.ResultReader(), r, order{plan: planFor(script, r, len(results)), writes: true}, 0)
		if err != nil {
			break // Close returns it
		}
		if result.Columns == nil && result.Command == "" {
			continue // the text holds no statement
		}
		result.ServerWarnings = p.take()
		results = append(results, result)
	}
	err := answers.Close()
	if late := p.take(); len(late) > 0 && len(results) > 0 {
		last := &results[len(results)-1]
		last.ServerWarnings = append(last.ServerWarnings, late...)
	}
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		err = pgError(pe, sql, nil, sql, script.Edits(), sent)
	case err != nil:
		err = lost(err)
	case p.copying.out:
		err = errCopyOut
	}
	if !p.conn.IsClosed() {
		p.types.fill(ctx, p.conn, results)
	}
	return results, err
}

var errCopyOut = errors.New("COPY … TO STDOUT is no query whose rows can be shown here: run the query itself, or use psql")

// planFor returns the plan for the answer with the given number.
func planFor(s rewrite.Script, r *rewrite.Rewriter, number int) rewrite.Plan {
	switch {
	case s.Err != nil && len(s.Plans) == 1:
		return s.Plans[0] // it stands for the whole text
	case number < len(s.Plans):
		return s.Plans[number]
	}
	return r.Guard("the server sent more answers than statements were read")
}

// gather takes one answer to its end, or where the order only reads until no further
// row is of interest; then it ends the session. It keeps most bytes at most, 0 for any
// number.
func (p *postgres) gather(answer *pgconn.ResultReader, r *rewrite.Rewriter, o order, most int) (Result, error) {
	plan := o.plan
	fields := answer.FieldDescriptions()
	if fields == nil { // no RowDescription came; a SELECT of no columns has an empty one
		tag, err := answer.Close()
		n := uint64(tag.RowsAffected())
		return Result{Command: tag.String(), Affected: &n, Outcome: rewrite.Outcome{Plan: plan}}, err
	}
	switch st := plan.Statement; {
	case !st.ReturnsRows:
		plan = r.Guard("rows came where none were expected")
	case st.CatalogOnly && plan.Method == rewrite.MethodPass && slices.ContainsFunc(fields, ofUser):
		st.CatalogOnly = false
		plan = r.Unedited(st, "a user's relation has the name of a system catalogue")
	}
	columns := make([]Column, len(fields))
	for i, f := range fields {
		columns[i] = p.types.column(f.Name, f.DataTypeOID)
	}
	g := newGather(plan, columns)
	g.skip, g.most = o.skip, most
	for answer.NextRow() {
		if !g.wants() {
			if g.stopped && !o.writes {
				p.abandon()
				return g.done(r), nil
			}
			continue
		}
		row := make([]Value, len(fields))
		for i, b := range answer.Values() {
			row[i] = g.value(b)
		}
		if err := g.keep(row); err != nil {
			return Result{}, err
		}
	}
	tag, err := answer.Close()
	if err != nil {
		return Result{}, err
	}
	if o.writes {
		n := uint64(tag.RowsAffected())
		g.result.Affected = &n
	}
	return g.done(r), nil
}

// ofUser reports a column of a relation that is not the server's own: FirstNormalObjectId
// in src/include/access/transam.h.
func ofUser(f pgconn.FieldDescription) bool { return f.TableOID >= 16384 }

func (p *postgres) notice(n *pgconn.Notice) {
	if len(p.notices) == maxServerWarnings {
		p.dropped++
		return
	}
	p.notices = append(p.notices, ServerWarning{Level: n.Severity, Code: n.Code,
		Message: valid(n.Message), Detail: valid(n.Detail), Hint: valid(n.Hint)})
}

// take returns the notices since the last answer.
func (p *postgres) take() []ServerWarning {
	taken, dropped := p.notices, p.dropped
	p.notices, p.dropped = nil, 0
	return andMore(taken, dropped)
}

// pgError maps a server's error from the text that was sent to the caller's: masks made
// sql of the caller's, and edits made sent of that.
func pgError(e *pgconn.PgError, callers string, masks []rewrite.Edit, sql string, edits []rewrite.Edit, sent string) *Error {
	out := &Error{Code: e.Code, Message: valid(e.Message), Detail: valid(e.Detail), Hint: valid(e.Hint)}
	if e.Position > 0 && sent != "" {
		out.Line, out.Column = lineColumn(callers, rewrite.OriginalOffset(masks, rewrite.OriginalOffset(edits, byteOffset(sent, int(e.Position)))))
	}
	return out
}
