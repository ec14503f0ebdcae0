package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/demo"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/telemetry"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

// demoCmd is rowcap demo.
type demoCmd struct {
	Upstream string `required:"" placeholder:"URL" help:"The server: postgres://user:password@host:port/database, mysql://user:password@host:port or mariadb://…"`
	Listen   string `default:"127.0.0.1:0" placeholder:"HOST:PORT" help:"Where rowcap listens meanwhile; port 0 is a free one."`
	Once     bool   `help:"End after the story, without waiting for a client of yours."`
}

// Help says what happens to the server.
func (demoCmd) Help() string {
	return `Makes a schema (on MySQL and MariaDB: a database) named ` + demo.Schema + ` on the server, fills it with invoices, puts one question to it three ways, stays up for a client of yours until Ctrl-C, and drops the schema again. It changes nothing else, and stops if there is such a schema already. The user of the URL must be allowed to create it.

Without a server at hand, run make demo in rowcap's sources: it brings a database of its own.`
}

// place reads the flags.
func (c demoCmd) place() (demo.Place, proxy.Route, error) {
	at, err := demo.ParsePlace(c.Upstream)
	if err == nil {
		err = query.CheckDSN(at.DSN(""))
	}
	if err != nil {
		return demo.Place{}, proxy.Route{}, fmt.Errorf("--upstream: %w", err)
	}
	listen, err := proxy.ParseAddress(c.Listen)
	if err == nil && listen.Network != "tcp" {
		err = errors.New("use host:port")
	}
	if err != nil {
		return demo.Place{}, proxy.Route{}, fmt.Errorf("--listen: %w", err)
	}
	upstream, err := proxy.ParseAddress(at.Address)
	if err != nil {
		return demo.Place{}, proxy.Route{}, fmt.Errorf("--upstream: %w", err)
	}
	return at, proxy.Route{Listen: listen, Upstreams: proxy.Upstreams{upstream}}, nil
}

// Validate reports flags that have no meaning.
func (c demoCmd) Validate() error {
	if c.Upstream == "" {
		return nil // kong reports that it is missing
	}
	_, _, err := c.place()
	return err
}

// Run tells the story and cleans up.
func (c demoCmd) Run(std streams) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := c.run(ctx, std)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return explainFailure(err, std.err)
}

func (c demoCmd) run(ctx context.Context, std streams) (err error) {
	at, route, err := c.place()
	if err != nil {
		return usageError{err}
	}
	d, err := dialect.Lookup(at.Dialect)
	if err != nil {
		return err
	}
	client, err := rewrite.New(d, demo.NoLimits())
	if err != nil {
		return err
	}
	door, err := openDemoDoor(route, at.Dialect, std.err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.close()) }()

	fmt.Fprintf(std.out, "Loading %d invoices into the schema %s of %s …\n\n", demo.Invoices, demo.Schema, at)
	if err := demo.Load(ctx, at, client); err != nil {
		return err
	}
	defer func() {
		if left := demo.Drop(ctx, at, client); left != nil {
			err = left // worth more than why the demo ended
		}
	}()
	story := demo.Story{
		Direct: at.DSN(demo.Schema), Through: at.By(door.address, demo.Schema),
		Server: at.String(), Door: door.address, Cap: rewrite.DefaultPolicy().DefaultLimit, Client: client,
	}
	if err := story.Tell(ctx, std.out); err != nil || c.Once {
		return err
	}
	if err := at.Invite(std.out, door.address, demo.Schema); err != nil {
		return err
	}
	fmt.Fprintf(std.out, "\nCtrl-C ends the demo and drops the schema %s.\n", demo.Schema)
	select {
	case <-ctx.Done():
		return nil
	case err := <-door.ended:
		door.ended <- nil
		return err
	}
}

// demoDoor is rowcap in front of the demo's server.
type demoDoor struct {
	address string
	stop    context.CancelFunc
	ended   chan error
}

// newProtocol returns a wire door with the usual settings.
func newProtocol(name string, upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) proxy.Protocol {
	if name == "postgres" {
		return pgwire.New(upstream, r, o)
	}
	return mysqlwire.New(upstream, r, o)
}

// openDemoDoor serves route under the default policy. Sessions that fail are
// logged to w.
func openDemoDoor(route proxy.Route, dialectName string, w io.Writer) (*demoDoor, error) {
	protocol := "mysql"
	if dialectName == "postgres" {
		protocol = "postgres"
	}
	r, err := serveCmd{Policy: rewrite.DefaultPolicy()}.rewriter(protocol)
	if err != nil {
		return nil, err
	}
	log, err := telemetry.NewLog(w, "text", "warn")
	if err != nil {
		return nil, err
	}
	observer := telemetry.NewObserver(telemetry.NewMetrics(protocol), log)
	server := &proxy.Server{Log: log, Observer: observer, Drain: time.Second}
	address, err := server.Listen(route, newProtocol(protocol, route.Upstreams[0], r, observer))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	door := &demoDoor{address: address.String(), stop: stop, ended: make(chan error, 1)}
	go func() { door.ended <- server.Serve(ctx) }()
	return door, nil
}

// close ends the sessions and stops listening.
func (d *demoDoor) close() error {
	d.stop()
	return <-d.ended
}
