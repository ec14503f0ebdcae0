package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
	"github.com/rowcap/rowcap/rewrite"
)

// queryCmd is rowcap query.
type queryCmd struct {
	DSN string `name:"dsn" env:"ROWCAP_DSN" required:"" placeholder:"URL" help:"Server and database: postgres://user:password@host:port/database, mysql://… or mariadb://…; for a unix socket postgres:///database?host=/folder or mysql://user@/database?unix_socket=/path."`
	rewrite.Policy
	Limit  *uint64 `placeholder:"N" help:"Rows to return at most, from 1 up to the maximum."`
	Format string  `default:"table" enum:"table,markdown,csv,json" help:"Output: ${enum}. Each tells whether rows are missing: a table and markdown below the rows, CSV in lines that begin with #, JSON in the fields before the rows."`
	SQL    *string `arg:"" optional:"" name:"sql" help:"The SQL; standard input if it is not given. Write -- before SQL that begins with a dash."`
}

// Help states the exit statuses.
func (queryCmd) Help() string {
	return `Exit status: 0 if all statements ran, also where rows are missing; 1 for an error of the server, a refused statement, or rows beyond the cap under --overflow=error; 2 for a usage error.`
}

// Validate reports flags that have no meaning.
func (c queryCmd) Validate() error {
	if c.DSN != "" { // kong reports that it is missing
		if err := query.CheckDSN(c.DSN); err != nil {
			return err
		}
	}
	if err := checkAsk(c.Limit); err != nil {
		return err
	}
	return c.Policy.Validate()
}

// Run runs the SQL and prints the results.
func (c queryCmd) Run(std streams) error {
	sql, err := readSQL(c.SQL, std.in)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	results, err := c.run(ctx, sql)
	if printed := render.Print(std.out, c.Format, results); printed != nil {
		return fmt.Errorf("cannot print the rows: %w", printed)
	}
	return explainFailure(err, std.err)
}

func (c queryCmd) run(ctx context.Context, sql string) ([]query.Result, error) {
	session, err := query.Open(ctx, c.DSN)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	d, err := dialect.Lookup(session.Dialect())
	if err != nil {
		return nil, err
	}
	r, err := rewrite.New(d, c.Policy)
	if err != nil {
		return nil, err
	}
	results, err := session.Run(ctx, r, sql, ask(c.Limit))
	for i := range results {
		if exceeded := r.Overflow(results[i].Outcome); exceeded != nil {
			return results[:i], exceeded
		}
	}
	return results, err
}

// explainFailure prints an error of the server, or a refusal, with its facts a
// line each. Other errors are returned for the caller to print.
func explainFailure(err error, to io.Writer) error {
	var refused *rewrite.RefusedError
	var server *query.Error
	var exceeded *rewrite.ExceededError
	switch {
	case errors.As(err, &exceeded):
		fmt.Fprintf(to, "rowcap: %s\nhint: %s\n", exceeded.Message, exceeded.Hint)
	case errors.As(err, &refused):
		fmt.Fprintf(to, "rowcap: %s\nhint: %s\n", refused.Message, refused.Hint)
	case errors.As(err, &server):
		e := *server
		e.Detail, e.Hint = "", ""
		fmt.Fprintf(to, "rowcap: %v\n", &e)
		if server.Detail != "" {
			fmt.Fprintf(to, "detail: %s\n", server.Detail)
		}
		if server.Hint != "" {
			fmt.Fprintf(to, "hint: %s\n", server.Hint)
		}
	default:
		return err
	}
	return errReported
}
