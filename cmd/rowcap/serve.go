package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/telemetry"
	"github.com/rowcap/rowcap/proxy"
	"github.com/rowcap/rowcap/proxy/mysqlwire"
	"github.com/rowcap/rowcap/proxy/pgwire"
	"github.com/rowcap/rowcap/rewrite"
)

// serveCmd is rowcap serve.
type serveCmd struct {
	Postgres    []string `sep:"none" placeholder:"LISTEN=UPSTREAM" help:"Serve PostgreSQL clients on LISTEN in front of the server at UPSTREAM, each host:port or the path of a unix socket. May be repeated."`
	MySQL       []string `name:"mysql" sep:"none" placeholder:"LISTEN=UPSTREAM" help:"Serve MySQL and MariaDB clients likewise. May be repeated."`
	ListenAdmin string   `placeholder:"HOST:PORT" help:"Serve /healthz, /readyz and /metrics there."`
	rewrite.Policy
	LogFormat string        `default:"text" enum:"text,json" help:"Log lines on standard error: ${enum}."`
	LogLevel  string        `default:"info" enum:"debug,info,warn,error" help:"Lowest level of log lines: ${enum}."`
	Drain     time.Duration `default:"10s" placeholder:"TIME" help:"How long sessions get to end after SIGINT or SIGTERM; a second signal ends at once."`
}

// Help gives an example.
func (serveCmd) Help() string {
	return `Example: rowcap serve --postgres 127.0.0.1:6432=127.0.0.1:5432 --mysql 127.0.0.1:6033=/run/mysqld/mysqld.sock

Clients log in to the upstream through rowcap, which holds no credentials.

Exit status: 0 after an orderly end, 1 if a listener cannot be opened or fails, 2 for a usage error.`
}

// door is one route and the protocol that is spoken on it.
type door struct {
	proxy.Route
	protocol string
}

// routes reads the routes of all flags.
func (c serveCmd) routes() ([]door, error) {
	var doors []door
	listeners := map[proxy.Address]bool{}
	for _, flag := range []struct {
		protocol string
		values   []string
	}{{"postgres", c.Postgres}, {"mysql", c.MySQL}} {
		for _, v := range flag.values {
			r, err := proxy.ParseRoute(v)
			if err != nil {
				return nil, fmt.Errorf("--%s: %w", flag.protocol, err)
			}
			if listeners[r.Listen] {
				return nil, fmt.Errorf("--%s: two routes listen on %s", flag.protocol, r.Listen)
			}
			listeners[r.Listen] = true
			doors = append(doors, door{r, flag.protocol})
		}
	}
	return doors, nil
}

// Validate reports flags that have no meaning.
func (c serveCmd) Validate() error {
	doors, err := c.routes()
	if err != nil {
		return err
	}
	if len(doors) == 0 {
		return errors.New("there is no route: give --postgres or --mysql LISTEN=UPSTREAM, as in --postgres 127.0.0.1:6432=127.0.0.1:5432")
	}
	if c.ListenAdmin != "" {
		if _, err := proxy.ParseAddress(c.ListenAdmin); err != nil {
			return fmt.Errorf("--listen-admin: %w", err)
		}
	}
	if c.Drain < 0 {
		return errors.New("--drain must not be negative")
	}
	return c.Policy.Validate()
}

// Run serves until a signal comes.
func (c serveCmd) Run(std streams) error {
	log, err := telemetry.NewLog(std.err, c.LogFormat, c.LogLevel)
	if err != nil {
		return usageError{err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	return c.serve(ctx, stop, log)
}

func (c serveCmd) serve(ctx context.Context, stop func(), log *slog.Logger) error {
	doors, err := c.routes()
	if err != nil {
		return usageError{err}
	}
	protocols := make([]string, len(doors))
	for i, d := range doors {
		protocols[i] = d.protocol
	}
	metrics := telemetry.NewMetrics(protocols...)
	observer := telemetry.NewObserver(metrics, log)
	server := &proxy.Server{Log: log, Observer: observer, Drain: c.Drain}
	if c.Drain == 0 {
		server.Drain = -1
	}
	defer server.Close()
	rewriters := map[string]*rewrite.Rewriter{}
	for _, d := range doors {
		if rewriters[d.protocol] == nil {
			if rewriters[d.protocol], err = c.rewriter(d.protocol); err != nil {
				return err
			}
		}
		addr, err := server.Listen(d.Route, newProtocol(d.protocol, d.Upstream, rewriters[d.protocol], observer))
		if err != nil {
			return err
		}
		log.Info("listening", "protocol", d.protocol, "listen", addr.String(), "upstream", d.Upstream.String(),
			"default_limit", c.DefaultLimit, "max_limit", c.MaxLimit)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	admin, err := c.admin(ctx, cancel, metrics, server, doors, log)
	if err != nil {
		return err
	}
	announce := sync.OnceFunc(func() {
		stop() // a second signal ends the process
		log.Info("shutting down", "drain", c.Drain.String())
	})
	defer context.AfterFunc(ctx, announce)()
	err = server.Serve(ctx)
	if ctx.Err() != nil {
		announce() // or wait until it was said
	}
	cancel()
	if err = errors.Join(err, <-admin); err == nil {
		log.Info("stopped")
	}
	return err
}

// newProtocol returns the wire door for postgres or mysql.
func newProtocol(name string, upstream proxy.Address, r *rewrite.Rewriter, o proxy.Observer) proxy.Protocol {
	if name == "postgres" {
		return pgwire.New(upstream, r, o)
	}
	return mysqlwire.New(upstream, r, o)
}

// rewriter returns the rewriter for a protocol.
func (c serveCmd) rewriter(protocol string) (*rewrite.Rewriter, error) {
	d, err := dialect.Lookup(protocol)
	if err != nil {
		return nil, err
	}
	return rewrite.New(d, c.Policy)
}

// admin serves the admin address until ctx is done; its failure cancels. The
// channel gives one error.
func (c serveCmd) admin(ctx context.Context, cancel func(), m *telemetry.Metrics, s *proxy.Server, doors []door, log *slog.Logger) (<-chan error, error) {
	done := make(chan error, 1)
	if c.ListenAdmin == "" {
		done <- nil
		return done, nil
	}
	address, err := proxy.ParseAddress(c.ListenAdmin)
	if err != nil {
		return nil, usageError{err}
	}
	l, err := proxy.Listen(address)
	if err != nil {
		return nil, err
	}
	checks := make([]telemetry.Check, len(doors))
	for i, d := range doors {
		checks[i] = telemetry.Check{Name: d.protocol + " " + d.Listen.String(), Upstream: d.Upstream,
			Listening: func() bool { return s.Listening()[i] }}
	}
	log.Info("listening", "protocol", "admin", "listen", l.Addr().String())
	go func(l net.Listener) {
		err := telemetry.NewAdmin(m, checks).Serve(ctx, l)
		if err != nil {
			cancel()
		}
		done <- err
	}(l)
	return done, nil
}
