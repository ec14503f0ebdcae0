package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/internal/config"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
	"github.com/rowcap/rowcap/rewrite"
)

// queryCmd is rowcap query.
type queryCmd struct {
	From   dsnFlags `embed:""`
	Source string   `placeholder:"NAME" help:"A source of the configuration, in place of --dsn."`
	rewrite.Policy
	Masking maskFlags     `embed:""`
	Timeout time.Duration `name:"statement-timeout" default:"30s" placeholder:"TIME" help:"Time that a statement may take; only of those that the flags below or a mask are for."`
	Limit   *uint64       `placeholder:"N" help:"Rows to return at most, from 1 up to the maximum."`
	Format  string        `default:"table" enum:"table,markdown,csv,json" help:"Output: ${enum}. Each tells whether rows are missing: a table and markdown below the rows, CSV in lines that begin with #, JSON in the fields before the rows."`
	Page    pageFlags     `embed:""`
	SQL     *string       `arg:"" optional:"" name:"sql" help:"The SQL; standard input if it is not given. Write -- before SQL that begins with a dash."`
}

// Help states the exit statuses.
func (queryCmd) Help() string {
	return `Exit status: 0 if all statements ran, also where rows are missing; 1 for an error of the server, a refused statement, or rows beyond the cap under --overflow=error; 2 for a usage error.`
}

// Validate reports flags that have no meaning.
func (c queryCmd) Validate() error {
	if err := c.From.validate(); err != nil {
		return err
	}
	if err := checkAsk(c.Limit); err != nil {
		return err
	}
	if err := c.Masking.mask().Validate(); err != nil {
		return err
	}
	if err := c.Page.validate(c.Limit); err != nil {
		return err
	}
	if c.Timeout < time.Millisecond {
		return fmt.Errorf("--statement-timeout must be at least 1ms, and is %s", c.Timeout)
	}
	return c.Policy.Validate()
}

// Run runs the SQL and prints the results.
func (c queryCmd) Run(std streams, file *config.File) error {
	dsn, err := c.settle(file)
	if err != nil {
		return err
	}
	sql, err := readSQL(c.SQL, std.in)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	source, err := query.NewSource(query.Options{DSN: dsn, Policy: c.Policy, Timeout: c.Timeout, Sessions: 1, Mask: c.Masking.mask()})
	if err != nil {
		return usageError{err}
	}
	defer source.Close()
	done := running(std.err, terminal(std.err), runningShown)
	answers, cursor, err := c.answers(ctx, source, dsn, sql)
	done()
	if printed := render.PrintAnswers(std.out, answers, render.Options{Format: c.Format, Cursor: cursor}); printed != nil {
		return fmt.Errorf("cannot print the rows: %w", printed)
	}
	return explainFailure(err, std.err)
}

// answers runs the SQL. cursor is that of the next page, nil where there are no pages.
func (c queryCmd) answers(ctx context.Context, source *query.Source, dsn, sql string) (all []query.Answer, cursor func(offset uint64) string, err error) {
	if c.Page.asked() || len(c.Masking.Mask) > 0 {
		return c.page(ctx, source, dsn, sql)
	}
	all, err = source.Run(ctx, sql, ask(c.Limit))
	return all, nil, err
}

// settle returns the DSN, and takes over the knobs of a source.
func (c *queryCmd) settle(file *config.File) (string, error) {
	if c.From.DSN != "" && c.Source == "" {
		return c.From.address()
	}
	s, err := sourceNamed(file, c.Source)
	if err != nil {
		return "", err
	}
	if c.Policy, err = s.Policy(c.Policy); err != nil {
		return "", usageError{err}
	}
	own := c.Masking.of(s)
	c.Masking = maskFlags{Mask: own.Columns, MaskUse: string(own.Use), MaskExempt: own.Exempt}
	c.Timeout = orOwn(s.Timeout, c.Timeout)
	dsn, err := addressOf(s)
	if err != nil {
		return "", usageError{err}
	}
	return dsn, nil
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
