package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// batch is how many rows one INSERT brings.
const batch = 2_000

// ExistsError says that the schema is there already.
type ExistsError struct{ Drop string }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("the server has a %s already, perhaps of a demo that did not end well: if nobody needs it, run %s; and try again", Schema, e.Drop)
}

// patience is how long the server gets to make the schema and to drop it, whatever is
// cancelled meanwhile: a statement that is abandoned may take effect all the same.
const patience = 30 * time.Second

// Load makes Schema and its tables on the server of at, whose dialect's plain
// client r is, and fills them. It changes nothing else there. The error is an
// *ExistsError if there is such a schema already.
func Load(ctx context.Context, at Place, r *rewrite.Rewriter) error {
	s, err := query.Open(ctx, at.DSN(""))
	if err != nil {
		return err
	}
	defer s.Close()
	run := func(ctx context.Context, sql string) error {
		_, err := s.Run(ctx, r, sql, rewrite.Ask{})
		return err
	}
	patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := run(patient, "CREATE SCHEMA "+Schema); err != nil {
		var server *query.Error
		if errors.As(err, &server) && (server.Code == "42P06" || strings.HasPrefix(server.Code, "1007 ")) {
			return &ExistsError{Drop: dropSchema(at)}
		}
		return fmt.Errorf("make the schema %s: %w", Schema, err)
	}
	if err := fill(func(sql string) error { return run(ctx, sql) }); err != nil {
		if left := Drop(ctx, at, r); left != nil {
			return fmt.Errorf("load %s: %v; %w", Schema, err, left)
		}
		return fmt.Errorf("load %s: %w", Schema, err)
	}
	return nil
}

// fill makes and fills the tables.
func fill(run func(sql string) error) error {
	for _, table := range []string{
		`CREATE TABLE rowcap_demo.customers (id int PRIMARY KEY, name varchar(60) NOT NULL, city varchar(30) NOT NULL)`,
		`CREATE TABLE rowcap_demo.invoices (id int PRIMARY KEY, number varchar(20) NOT NULL, customer_id int NOT NULL,
			issued_on date NOT NULL, due_on date NOT NULL, amount decimal(10,2) NOT NULL, status varchar(10) NOT NULL)`,
	} {
		if err := run(table); err != nil {
			return err
		}
	}
	customers := &inserts{run: run, table: Schema + ".customers"}
	for c := range AllCustomers() {
		customers.add("(%d,'%s','%s')", c.ID, c.Name, c.City)
	}
	if err := customers.flush(); err != nil {
		return err
	}
	invoices := &inserts{run: run, table: Schema + ".invoices"}
	for i := range AllInvoices() {
		invoices.add("(%d,'%s',%d,'%s','%s',%s,'%s')", i.ID, i.Number, i.Customer,
			i.IssuedOn.Format("2006-01-02"), i.DueOn.Format("2006-01-02"), i.Amount(), i.Status)
		if invoices.err != nil {
			break
		}
	}
	return invoices.flush()
}

// inserts gathers rows of one table.
type inserts struct {
	run   func(sql string) error
	table string
	rows  []string
	err   error // the first
}

func (i *inserts) add(format string, values ...any) {
	if i.rows = append(i.rows, fmt.Sprintf(format, values...)); len(i.rows) == batch {
		i.flush()
	}
}

func (i *inserts) flush() error {
	if i.err == nil && len(i.rows) > 0 {
		i.err = i.run("INSERT INTO " + i.table + " VALUES " + strings.Join(i.rows, ","))
	}
	i.rows = i.rows[:0]
	return i.err
}

// Drop takes away what Load made, even if ctx is cancelled. Its error is never that ctx
// was.
func Drop(ctx context.Context, at Place, r *rewrite.Rewriter) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	s, err := query.Open(ctx, at.DSN(""))
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Run(ctx, r, dropSchema(at), rewrite.Ask{}); err != nil {
		return fmt.Errorf("drop the schema %s: %w", Schema, err)
	}
	return nil
}

func dropSchema(at Place) string {
	if at.Dialect == "postgres" {
		return "DROP SCHEMA " + Schema + " CASCADE"
	}
	return "DROP SCHEMA " + Schema
}
