package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// question asks for the overdue invoices, and count for their number.
const (
	question = `SELECT i.number, c.name, i.due_on, i.amount
FROM invoices i JOIN customers c ON c.id = i.customer_id
WHERE i.status = 'overdue'
ORDER BY i.due_on, i.number`
	count = `SELECT count(*) AS overdue FROM invoices WHERE status = 'overdue'`
)

// Story is the question and where it is asked. The tables are found by their bare
// names in both places.
type Story struct {
	// Direct is the DSN of the server, and Through leads there by way of rowcap.
	Direct, Through string
	// Server names the server for the reader, and Door is where rowcap listens.
	Server, Door string
	// Cap is rowcap's default limit, and what the silent tool adds.
	Cap uint64
	// Client reads statements of the server's dialect under a policy without
	// limits: the reader's client knows nothing of rowcap.
	Client *rewrite.Rewriter
}

// Tell tells the story. An error means that an answer could not be had, or was
// not what the story says.
func (s Story) Tell(ctx context.Context, w io.Writer) error {
	direct, err := query.Open(ctx, s.Direct)
	if err != nil {
		return err
	}
	defer direct.Close()
	through, err := query.Open(ctx, s.Through)
	if err != nil {
		return fmt.Errorf("by way of rowcap: %w", err)
	}
	defer through.Close()

	p := &page{w: w}
	p.say("%s invoices of %s customers, in %s.", grouped(Invoices), grouped(Customers), s.Server)
	p.say("The question: how many invoices are overdue?")

	p.heading("1. A client without a cap, straight to the server")
	all, err := s.ask(ctx, direct, question, p)
	if err != nil {
		return err
	}
	p.reads(len(all.Rows))
	p.say("Right. All %s rows had to be sent and read for it; SELECT * FROM invoices would have sent %s.",
		grouped(len(all.Rows)), grouped(Invoices))

	p.heading(fmt.Sprintf("2. A silent cap: a tool that adds LIMIT %d and says nothing", s.Cap))
	silent, err := s.ask(ctx, direct, fmt.Sprintf("%s\nLIMIT %d", question, s.Cap), p)
	if err != nil {
		return err
	}
	p.reads(len(silent.Rows))
	p.say("Wrong by %s, and nothing on the screen says so.", grouped(len(all.Rows)-len(silent.Rows)))

	p.heading("3. rowcap: the client and the SQL of 1, connected to " + s.Door)
	capped, err := s.ask(ctx, through, question, p)
	if err != nil {
		return err
	}
	if uint64(len(capped.Rows)) != s.Cap || len(capped.ServerWarnings) == 0 {
		return fmt.Errorf("by way of rowcap %d rows and %d warnings came, not %d rows and a warning", len(capped.Rows), len(capped.ServerWarnings), s.Cap)
	}
	p.say("Nobody reads %d as the answer: the warning says that rows are missing, whose cap it was,", s.Cap)
	p.say("and what to do. So the reader lets the server count:")
	counted, err := s.ask(ctx, through, count, p)
	if err != nil {
		return err
	}
	if len(counted.ServerWarnings) > 0 {
		return fmt.Errorf("a complete answer came with the warning %q", counted.ServerWarnings[0].Message)
	}
	if len(counted.Rows) != 1 || counted.Rows[0][0].Text != fmt.Sprint(len(all.Rows)) {
		return fmt.Errorf("the server counts %v, but sent %d rows", counted.Rows, len(all.Rows))
	}
	p.reads(len(all.Rows))
	p.say("Right, no warning, and %d rows were sent in all.", len(capped.Rows)+len(counted.Rows))
	return p.err
}

// ask runs one statement and shows it with its answer, as a client would.
func (s Story) ask(ctx context.Context, at query.Session, sql string, p *page) (query.Result, error) {
	p.line("  > " + strings.ReplaceAll(sql, "\n", "\n  > ") + ";")
	p.line("")
	results, err := at.Run(ctx, s.Client, sql, rewrite.Ask{})
	if err != nil {
		return query.Result{}, err
	}
	if len(results) != 1 {
		return query.Result{}, errors.New("the server gave several answers to one statement")
	}
	return results[0], p.answer(results[0])
}

// NoLimits is the policy of a client that knows nothing of rowcap.
func NoLimits() rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = 0, 0
	return p
}
