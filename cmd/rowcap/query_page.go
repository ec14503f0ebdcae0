package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/rowcap/rowcap/internal/query"
)

// pageFlags ask for more than the rows of a script: they are for one statement that
// reads.
type pageFlags struct {
	PageSize *uint64     `name:"page-size" placeholder:"N" help:"Print a page of at most N rows, and the cursor of the next one. For one statement that reads, as are the four flags below."`
	Cursor   string      `env:"-" placeholder:"TEXT" help:"Print the page that this cursor of the same statement stands for."`
	Count    query.Count `default:"none" enum:"none,estimate,exact" help:"Find out how many rows there are without a cap: ${enum}. Estimate asks the server's planner; exact counts, for a few seconds at most."`
	Explain  bool        `env:"-" help:"Print the server's plan of the statement, which does not run."`
	DryRun   bool        `name:"dry-run" env:"-" help:"Print the SQL that would be sent, and send nothing but what finds out about the session."`
}

// asked reports that any of the flags was given.
func (f pageFlags) asked() bool {
	return f.PageSize != nil || f.Cursor != "" || f.Count != "" && f.Count != query.CountNone || f.Explain || f.DryRun
}

func (f pageFlags) validate(limit *uint64) error {
	switch {
	case f.PageSize != nil && *f.PageSize == 0:
		return errors.New("--page-size 0 is out of range: use a number from 1 up, or leave it out")
	case f.PageSize != nil && limit != nil:
		return errors.New("--page-size and --limit are the same for one page: leave out one")
	case f.Explain && (f.Cursor != "" || f.Count != query.CountNone || f.DryRun):
		return errors.New("--explain goes with none of --cursor, --count and --dry-run")
	}
	return nil
}

// page runs one statement that reads.
func (c queryCmd) page(ctx context.Context, source *query.Source, dsn, sql string) ([]query.Answer, func(offset uint64) string, error) {
	q := query.Request{SQL: sql, Count: c.Page.Count, Explain: c.Page.Explain, DryRun: c.Page.DryRun}
	// Who knows the DSN may run what it wants: the cursor is signed so that it is not
	// used for another statement by mistake.
	key := sha256.Sum256([]byte("rowcap query\x00" + dsn))
	cursors, bound := query.Cursors{Key: key[:]}, query.Bound("rowcap query", query.Identity(dsn), "", q)
	for _, given := range []*uint64{c.Limit, c.Page.PageSize} {
		if given != nil {
			q.Limit = *given
		}
	}
	if c.Page.Cursor != "" {
		if err := cursors.Resume(&q, c.Page.Cursor, bound); err != nil {
			return nil, nil, usageError{err}
		}
	}
	a, err := source.Read(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return []query.Answer{a}, cursors.Next(q, a, bound), nil
}

// runningShown is how long a statement runs before a terminal shows that it does, and
// how often that is renewed.
const runningShown = time.Second

// running shows on a terminal how long the work has taken, until the function that it
// returns is called.
func running(to io.Writer, terminal bool, every time.Duration) (done func()) {
	if !terminal {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		began, shown := time.Now(), false
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(to, "\r\x1b[K")
				}
				return
			case <-tick.C:
				shown = true
				fmt.Fprintf(to, "\rrowcap: running for %s; Ctrl-C ends it\x1b[K", time.Since(began).Round(time.Second))
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
