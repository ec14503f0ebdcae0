package main

import (
	"context"
	"fmt"
	"io"
	"net"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/memory"
	"github.com/dolthub/go-mysql-server/server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"github.com/rowcap/rowcap/internal/demo"
)

// database is the name of the embedded database.
const database = "shop"

// load returns an embedded database that holds the customers and invoices.
func load(ctx context.Context) (*memory.DbProvider, error) {
	db := memory.NewDatabase(database)
	db.EnablePrimaryKeyIndexes()
	provider := memory.NewDBProvider(db)
	session := memory.NewSession(sql.NewBaseSession(), provider)
	sqlCtx := sql.NewContext(ctx, sql.WithSession(session))
	sqlCtx.SetCurrentDatabase(database)

	text := func(n int64) sql.Type { return types.MustCreateStringWithDefaults(querypb.Type_VARCHAR, n) }
	column := func(table, name string, t sql.Type) *sql.Column {
		return &sql.Column{Name: name, Type: t, Source: table}
	}
	customers := memory.NewTable(db, "customers", sql.NewPrimaryKeySchema(sql.Schema{
		column("customers", "id", types.Int32),
		column("customers", "name", text(60)),
		column("customers", "city", text(30)),
	}), db.GetForeignKeyCollection())
	db.AddTable("customers", customers)
	invoices := memory.NewTable(db, "invoices", sql.NewPrimaryKeySchema(sql.Schema{
		column("invoices", "id", types.Int32),
		column("invoices", "number", text(20)),
		column("invoices", "customer_id", types.Int32),
		column("invoices", "issued_on", types.Date),
		column("invoices", "due_on", types.Date),
		column("invoices", "amount", types.MustCreateDecimalType(10, 2)),
		column("invoices", "status", text(10)),
	}), db.GetForeignKeyCollection())
	db.AddTable("invoices", invoices)

	if err := insert(sqlCtx, customers, func(row func(...any) bool) {
		for c := range demo.AllCustomers() {
			if !row(int32(c.ID), c.Name, c.City) {
				return
			}
		}
	}); err != nil {
		return nil, err
	}
	err := insert(sqlCtx, invoices, func(row func(...any) bool) {
		for i := range demo.AllInvoices() {
			if !row(int32(i.ID), i.Number, int32(i.Customer), i.IssuedOn, i.DueOn, decimal.New(i.Cents, -2), i.Status) {
				return
			}
		}
	})
	return provider, err
}

// insert adds rows to a table as one statement.
func insert(ctx *sql.Context, t *memory.Table, rows func(row func(...any) bool)) error {
	inserter := t.Inserter(ctx)
	inserter.StatementBegin(ctx)
	var err error
	rows(func(values ...any) bool {
		err = inserter.Insert(ctx, sql.NewRow(values...))
		return err == nil
	})
	if err == nil {
		err = inserter.StatementComplete(ctx)
	}
	if err == nil {
		err = inserter.Close(ctx)
	}
	if err != nil {
		return fmt.Errorf("load %s: %w", t.Name(), err)
	}
	return nil
}

// engine is the embedded database behind MySQL's protocol.
type engine struct {
	address string
	server  *server.Server
	ended   chan struct{}
}

// startEngine loads the database and serves it on a free port of this machine.
func startEngine(ctx context.Context) (*engine, error) {
	logrus.SetOutput(io.Discard) // its log is about sessions, which the reader sees
	provider, err := load(ctx)
	if err != nil {
		return nil, err
	}
	// Nobody is to read this machine's files through it.
	if err := sql.SystemVariables.AssignValues(map[string]any{"secure_file_priv": "/nonexistent", "local_infile": int8(0)}); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	config := server.Config{Listener: l, Address: l.Addr().String(), Version: "8.0.31", MaxLoggedQueryLen: -1}
	s, err := server.NewServer(config, sqle.NewDefault(provider), sql.NewContext, memory.NewSessionBuilder(provider), nil)
	if err != nil {
		l.Close()
		return nil, err
	}
	e := &engine{address: l.Addr().String(), server: s, ended: make(chan struct{})}
	go func() {
		defer close(e.ended)
		s.Start()
	}()
	return e, nil
}

// stop ends the server.
func (e *engine) stop() {
	e.server.Close()
	<-e.ended
}
