package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/rowcap/rowcap/internal/config"
	"github.com/rowcap/rowcap/internal/mcp"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/telemetry"
	"github.com/rowcap/rowcap/rewrite"
)

// mcpCmd is rowcap mcp.
type mcpCmd struct {
	From dsnFlags `embed:""`
	rewrite.Policy
	Masking       maskFlags     `embed:""`
	Execute       bool          `help:"Offer the tool execute too, which runs INSERT, UPDATE, DELETE and MERGE."`
	Timeout       time.Duration `name:"statement-timeout" default:"30s" placeholder:"TIME" help:"Time that a statement may take, on the server too."`
	Sessions      int           `default:"4" placeholder:"N" help:"Statements that run at once, for each source."`
	CellChars     int           `default:"4096" placeholder:"N" help:"Characters of a value that are shown; 0 for all."`
	ResponseChars int           `default:"32000" placeholder:"N" help:"Characters of a response; rows at the end that do not fit are left for the next page. 0 for no bound."`
	CursorKey     string        `name:"cursor-key-file" placeholder:"FILE" help:"File with the key that signs cursors, of at least 16 bytes, for servers that resume each other's pages. Without it cursors end with the process."`
	Web           mcpHTTP       `embed:""`
	LogLevel      string        `default:"warn" enum:"debug,info,warn,error" help:"What is logged to standard error: ${enum} and above."`
}

// mcpHTTP are the flags for HTTP.
type mcpHTTP struct {
	HTTP         string   `name:"http" placeholder:"HOST:PORT" help:"Serve streamable HTTP at this address under /mcp, in place of standard input and output. Without a host it is this machine only."`
	HTTPToken    string   `name:"http-token-file" placeholder:"FILE" help:"File with the token that clients send as Authorization: Bearer. On this machine's own addresses one is made up and printed if none is given."`
	HTTPCert     string   `name:"http-tls-cert" placeholder:"FILE" help:"Serve HTTPS with this certificate, with its chain, in PEM. The files are read again for each connection."`
	HTTPKey      string   `name:"http-tls-key" placeholder:"FILE" help:"Its private key, not encrypted."`
	HTTPClientCA string   `name:"http-tls-client-ca" placeholder:"FILE" help:"Take clients with a certificate that one of these authorities has signed, without a token. Cursors hold for the client that they were given to."`
	HTTPHost     []string `name:"http-host" placeholder:"NAME" help:"Further names of this server in the Host and Origin headers."`
	HTTPRequests int      `name:"http-requests" default:"32" placeholder:"N" help:"Requests that are worked on at once."`
}

// fixedInMCP are the knobs of the policy that rowcap mcp does not have: it always refuses
// what it cannot read, COPY and replication, and an agent's list that was cut must say
// so.
var fixedInMCP = []string{"unparsed", "copy-out", "catalogs", "replication", "observe"}

func fixed(p rewrite.Policy) rewrite.Policy {
	d := rewrite.DefaultPolicy()
	p.Unparsed, p.CopyOut, p.Replication, p.Observe = d.Unparsed, d.CopyOut, d.Replication, d.Observe
	p.Catalogs = rewrite.CatalogsCap
	return p
}

// Help says what the server does and does not do.
func (mcpCmd) Help() string {
	return `Offers tools to an AI agent by the Model Context Protocol, over standard input and output or HTTP: query, query_nested, explain_query, list_saved_queries, run_saved_query, list_databases, list_schemas, list_tables, list_views, list_materialized_views, list_functions, list_procedures, list_triggers, describe_table. Every answer says whether rows are missing, whose cap it was and how to get more. All statements run in READ ONLY transactions, but for those of the tool execute, which is there with --execute only. The databases are the one of --dsn, or the sources that are declared in the configuration.`
}

// Validate reports flags that have no meaning.
func (c mcpCmd) Validate() error {
	if err := c.From.validate(); err != nil {
		return err
	}
	switch {
	case c.Timeout < time.Millisecond:
		return fmt.Errorf("--statement-timeout must be at least 1ms, and is %s", c.Timeout)
	case c.Sessions < 1 || c.Web.HTTPRequests < 1:
		return errors.New("--sessions and --http-requests must be at least 1")
	case c.CellChars < 0 || c.ResponseChars < 0:
		return errors.New("--cell-chars and --response-chars must be 0 or more")
	case c.Web.HTTP == "" && (c.Web.HTTPToken != "" || len(c.Web.HTTPHost) > 0 || c.Web.HTTPCert != "" || c.Web.HTTPKey != "" || c.Web.HTTPClientCA != ""):
		return errors.New("--http-token-file, --http-host and --http-tls-… would not be used: give --http too")
	case (c.Web.HTTPCert == "") != (c.Web.HTTPKey == ""):
		return errors.New("--http-tls-cert and --http-tls-key go together: give both")
	case c.Web.HTTPClientCA != "" && c.Web.HTTPCert == "":
		return errors.New("--http-tls-client-ca needs --http-tls-cert and --http-tls-key")
	}
	if c.Web.HTTP != "" {
		if _, err := mcp.ListenAddress(c.Web.HTTP); err != nil {
			return fmt.Errorf("--http: %w", err)
		}
	}
	if err := c.Masking.mask().Validate(); err != nil {
		return err
	}
	return fixed(c.Policy).Validate()
}

// sources returns the databases, and the saved queries with them.
func (c mcpCmd) sources(file *config.File) (sources []mcp.Source, saved []mcp.SavedQuery, err error) {
	declared, err := file.Sources()
	if err != nil {
		return nil, nil, usageError{err}
	}
	queries, err := file.Queries()
	if err != nil {
		return nil, nil, usageError{err}
	}
	defer func() {
		if err != nil {
			closeAll(sources)
		}
	}()
	switch {
	case c.From.DSN != "":
		declared = nil
		dsn, err := c.From.address()
		if err != nil {
			return nil, nil, err
		}
		s, err := query.NewSource(query.Options{DSN: dsn, Policy: fixed(c.Policy), Timeout: c.Timeout, Sessions: c.Sessions, Mask: c.Masking.mask()})
		if err != nil {
			return nil, nil, err
		}
		sources = append(sources, mcp.Source{Database: s, Identity: identity("", dsn)})
	case len(declared) == 0:
		return nil, nil, usagef("there is no database: give --dsn URL, or declare one as [sources.NAME] in %s", config.DefaultPath)
	}
	for _, d := range declared {
		dsn, err := addressOf(d)
		if err != nil {
			return sources, nil, usageError{err}
		}
		p, err := d.Policy(c.Policy)
		if err != nil {
			return sources, nil, usageError{err}
		}
		s, err := query.NewSource(query.Options{DSN: dsn, Policy: fixed(p), Timeout: orOwn(d.Timeout, c.Timeout), Sessions: orOwn(d.Sessions, c.Sessions), Mask: c.Masking.of(d)})
		if err != nil {
			return sources, nil, usageError{fmt.Errorf("source %s: %w", d.Name, err)}
		}
		sources = append(sources, mcp.Source{Name: d.Name, Description: d.Description, Database: s, Identity: identity(d.Name, dsn)})
	}
	for _, q := range queries {
		switch {
		case c.From.DSN != "" && q.Source != "":
			continue // it is for a database that is not offered
		case q.Source == "" && len(sources) > 1:
			return sources, nil, usagef("%s:%d: the saved query %q does not say for which source it is", file.Name, q.Line, q.Name)
		case q.Source == "":
			q.Source = sources[0].Name
		}
		saved = append(saved, mcp.SavedQuery{Name: q.Name, SQL: q.SQL, Source: q.Source, Description: q.Description})
	}
	return sources, saved, nil
}

func closeAll(sources []mcp.Source) {
	for _, s := range sources {
		s.Database.Close()
	}
}

// Run serves until the client leaves or a signal comes.
func (c mcpCmd) Run(std streams, file *config.File) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log, err := telemetry.NewLog(std.err, "text", c.LogLevel)
	if err != nil {
		return err
	}
	var key []byte
	if c.CursorKey != "" {
		if key, err = secret("--cursor-key-file", c.CursorKey); err != nil {
			return err
		}
	}
	sources, saved, err := c.sources(file)
	if err != nil {
		return err
	}
	defer closeAll(sources)
	if declared, err := file.Sources(); err == nil && c.From.DSN != "" && len(declared) > 0 {
		log.Warn("the sources of the configuration are not offered, as --dsn or ROWCAP_DSN is given", "file", file.Name)
	}
	server, err := mcp.NewServer(mcp.Config{Sources: sources, Saved: saved, Execute: c.Execute, CellChars: c.CellChars, ResponseChars: c.ResponseChars,
		CursorKey: key, Version: cmp.Or(version, "devel"), Log: log})
	if err != nil {
		return err
	}
	if c.Web.HTTP == "" {
		in, ok := std.in.(io.ReadCloser) // closing it ends a read that waits
		if !ok {
			in = io.NopCloser(std.in)
		}
		return mcp.ServeStreams(ctx, server, in, keepOpen{std.out})
	}
	address, err := mcp.ListenAddress(c.Web.HTTP)
	if err != nil {
		return usageError{err}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --http", address, err)
	}
	defer l.Close()
	h := mcp.HTTP{Hosts: c.Web.HTTPHost, Requests: c.Web.HTTPRequests, Log: log}
	if h.Token, err = c.token(l.Addr()); err != nil {
		return err
	}
	scheme := "http"
	if c.Web.HTTPCert != "" {
		scheme = "https"
		if h.TLS, err = mcp.NewTLS(mcp.TLSFiles{Certificate: c.Web.HTTPCert, Key: c.Web.HTTPKey, ClientCA: c.Web.HTTPClientCA}, h.Token != "", log); err != nil {
			return fmt.Errorf("--http-tls: %w", err)
		}
	}
	fmt.Fprintf(std.err, "rowcap: serving %s://%s%s\n", scheme, l.Addr(), mcp.Path)
	if h.Token != "" && c.Web.HTTPToken == "" {
		fmt.Fprintf(std.err, "rowcap: clients must send Authorization: Bearer %s\n", h.Token)
	}
	return h.Serve(ctx, l, server)
}

// token returns the token that clients must send.
func (c mcpCmd) token(at net.Addr) (string, error) {
	if c.Web.HTTPToken != "" {
		b, err := secret("--http-token-file", c.Web.HTTPToken)
		return string(b), err
	}
	if c.Web.HTTPClientCA != "" {
		return "", nil // certificates alone
	}
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return "", usagef("--http %s can be reached from other machines: give --http-token-file or --http-tls-client-ca, and --http-tls-cert or TLS in front of it", c.Web.HTTP)
	}
	var b [24]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:]), nil
}

// secret reads a key or a token from a file.
func secret(flag, path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; give the path of a file that can be read", flag, err)
	}
	text := strings.TrimSpace(string(b))
	if len(text) < 16 {
		return nil, fmt.Errorf("%s: %s holds fewer than 16 characters: use a longer one, as from openssl rand -hex 24", flag, path)
	}
	return []byte(text), nil
}

// keepOpen is a writer that Close leaves open.
type keepOpen struct{ io.Writer }

// Close does nothing.
func (keepOpen) Close() error { return nil }
