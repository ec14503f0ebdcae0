package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
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
	Postgres    []string `sep:"none" placeholder:"LISTEN=UPSTREAM" help:"Serve PostgreSQL clients on LISTEN in front of the server at UPSTREAM, each host:port or the path of a unix socket. UPSTREAM may be several with commas between them, of which each session gets the first that accepts it. May be repeated."`
	MySQL       []string `name:"mysql" sep:"none" placeholder:"LISTEN=UPSTREAM" help:"Serve MySQL and MariaDB clients likewise. May be repeated."`
	ListenAdmin string   `placeholder:"HOST:PORT" help:"Serve /healthz, /readyz and /metrics there."`
	rewrite.Policy
	TLS            tlsFlags      `embed:""`
	ConnectTimeout time.Duration `default:"10s" placeholder:"TIME" help:"How long each server gets to accept a connection, and to answer its first message."`
	LoginTimeout   time.Duration `default:"1m" placeholder:"TIME" help:"How long a client gets until its first message, TLS included, and a server for its verdict on a login."`
	KeepAlive      time.Duration `name:"keepalive" default:"30s" placeholder:"TIME" help:"How long a TCP connection, on either side, may be silent before it is probed; it ends after four probes without an answer. 0 never probes."`
	ProxyProtocol  []string      `placeholder:"NETWORK,…" help:"Addresses or networks of balancers, each of whose connections begins with a PROXY protocol header (version 1 or 2) that tells the client's address."`
	Announce       bool          `name:"upstream-proxy-protocol" help:"Begin connections to MySQL and MariaDB servers with such a header, so that accounts which are bound to hosts see the client's. MariaDB takes it where proxy_protocol_networks has rowcap's address."`
	LogFormat      string        `default:"text" enum:"text,json" help:"Log lines on standard error: ${enum}."`
	LogLevel       string        `default:"info" enum:"debug,info,warn,error" help:"Lowest level of log lines: ${enum}."`
	Drain          time.Duration `default:"10s" placeholder:"TIME" help:"How long sessions get to end after SIGINT or SIGTERM; a second signal ends at once."`
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
	for _, d := range doors {
		if d.protocol == "mysql" && c.TLS.UpstreamStart {
			return errors.New("--upstream-tls-direct is for --postgres only: MySQL's protocol has no TLS before the server's greeting")
		}
		if d.protocol == "postgres" && c.Announce {
			return errors.New("--upstream-proxy-protocol is for --mysql only: PostgreSQL takes no PROXY protocol header")
		}
	}
	if _, err := proxy.ParseBalancers(c.ProxyProtocol); err != nil {
		return fmt.Errorf("--proxy-protocol: %w", err)
	}
	if err := c.TLS.validate(); err != nil {
		return err
	}
	switch {
	case c.Drain < 0:
		return errors.New("--drain must not be negative")
	case c.ConnectTimeout <= 0:
		return errors.New("--connect-timeout must be above 0")
	case c.LoginTimeout <= 0:
		return errors.New("--login-timeout must be above 0")
	case c.KeepAlive != 0 && c.KeepAlive < time.Second:
		return errors.New("--keepalive must be 0 or at least 1s")
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
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP)
	defer signal.Stop(signals)
	return c.serve(ctx, stop, signals, log)
}

// serve serves until ctx is done. stop gives up waiting for it; for each signal of
// hangup the TLS files are read again.
func (c serveCmd) serve(ctx context.Context, stop func(), hangup <-chan os.Signal, log *slog.Logger) error {
	defer runtime.KeepAlive(ballast())
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
	balancers, err := proxy.ParseBalancers(c.ProxyProtocol)
	if err != nil {
		return usageError{err}
	}
	server := &proxy.Server{Log: log, Observer: observer, Drain: orNever(c.Drain), KeepAlive: orNever(c.KeepAlive), Balancers: balancers}
	defer server.Close()
	settings, err := c.TLS.load(log)
	if err != nil {
		return err
	}
	rewriters := map[string]*rewrite.Rewriter{}
	addresses, carriers := make([]net.Addr, len(doors)), make([]proxy.Protocol, len(doors))
	for i, d := range doors {
		if rewriters[d.protocol] == nil {
			if rewriters[d.protocol], err = c.rewriter(d.protocol); err != nil {
				return err
			}
		}
		carriers[i] = c.protocol(d, settings, rewriters[d.protocol], observer)
		addresses[i], err = server.Listen(d.Route, carriers[i])
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	admin, err := c.admin(ctx, cancel, metrics, server, doors, log)
	if err != nil {
		return err
	}
	for i, d := range doors {
		log.Info("listening", "protocol", d.protocol, "listen", addresses[i].String(), "upstream", d.Upstreams.String(),
			"default_limit", c.DefaultLimit, "max_limit", c.MaxLimit, "tls", c.TLS.ListenTLS, "upstream_tls", c.TLS.UpstreamTLS)
		if p, ok := carriers[i].(*pgwire.Door); ok && settings.twoLegs(d.Route) {
			go warnOfBinding(ctx, p, log.With("listen", addresses[i].String()))
		}
	}
	go settings.reloadOn(ctx, hangup, log)
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

// orNever returns d, or a negative time for 0, which on the command line is none
// and in a proxy.Server the default.
func orNever(d time.Duration) time.Duration {
	if d == 0 {
		return -1
	}
	return d
}

// protocol returns the wire door for a route.
func (c serveCmd) protocol(d door, s tlsSettings, r *rewrite.Rewriter, o proxy.Observer) proxy.Protocol {
	if d.protocol == "mysql" {
		p := mysqlwire.New(d.Upstreams[0], r, o)
		p.Upstreams = d.Upstreams
		p.ListenTLS, p.UpstreamTLS, p.Announce = s.listen, s.upstream, c.Announce
		p.ConnectTimeout, p.LoginTimeout, p.KeepAlive = c.ConnectTimeout, c.LoginTimeout, orNever(c.KeepAlive)
		return p
	}
	p := pgwire.New(d.Upstreams[0], r, o)
	p.Upstreams = d.Upstreams
	p.ConnectTimeout, p.StartupTimeout, p.KeepAlive = c.ConnectTimeout, c.LoginTimeout, orNever(c.KeepAlive)
	p.ListenTLS, p.UpstreamTLS = s.listen, s.upstream
	return p
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
		checks[i] = telemetry.Check{Name: d.protocol + " " + d.Listen.String(), Upstreams: d.Upstreams,
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
