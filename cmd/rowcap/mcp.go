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

	"github.com/rowcap/rowcap/internal/mcp"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/telemetry"
	"github.com/rowcap/rowcap/rewrite"
)

// mcpCmd is rowcap mcp.
type mcpCmd struct {
	DSN           string           `name:"dsn" env:"ROWCAP_DSN" required:"" placeholder:"URL" help:"Server and database, as for rowcap query. Use an account that may read only what the agent may see."`
	DefaultLimit  uint64           `name:"default-limit" aliases:"mcp-default-limit" env:"ROWCAP_DEFAULT_LIMIT" default:"100" placeholder:"N" help:"Rows at most where neither the statement nor the call has a limit; 0 for no limit."`
	MaxLimit      uint64           `name:"max-limit" env:"ROWCAP_MAX_LIMIT" default:"1000" placeholder:"N" help:"Rows at most that a statement or a call may ask for; 0 for no limit."`
	Explicit      rewrite.Explicit `name:"explicit" env:"ROWCAP_EXPLICIT" default:"clamp" enum:"clamp,trust" help:"What becomes of a statement's own limit above the maximum: ${enum}."`
	Overflow      rewrite.Overflow `name:"overflow" env:"ROWCAP_OVERFLOW" default:"truncate" enum:"truncate,error" help:"How an answer ends that has more rows than its cap: ${enum}."`
	PushDown      bool             `name:"push-down" env:"ROWCAP_PUSH_DOWN" default:"true" negatable:"" help:"Write the cap into the statement. Without it rows are only counted as they come."`
	Timeout       time.Duration    `name:"statement-timeout" env:"ROWCAP_STATEMENT_TIMEOUT" default:"30s" placeholder:"TIME" help:"Time that a statement may take, on the server too."`
	Sessions      int              `env:"ROWCAP_SESSIONS" default:"4" placeholder:"N" help:"Statements that run at once."`
	CellChars     int              `env:"ROWCAP_CELL_CHARS" default:"4096" placeholder:"N" help:"Characters of a value that are shown; 0 for all."`
	ResponseChars int              `env:"ROWCAP_RESPONSE_CHARS" default:"32000" placeholder:"N" help:"Characters of a response; rows at the end that do not fit are left for the next page. 0 for no bound."`
	CursorKey     string           `name:"cursor-key-file" env:"ROWCAP_CURSOR_KEY_FILE" placeholder:"FILE" help:"File with the key that signs cursors, of at least 16 bytes, for servers that resume each other's pages. Without it cursors end with the process."`
	HTTP          string           `name:"http" env:"ROWCAP_HTTP" placeholder:"HOST:PORT" help:"Serve streamable HTTP at this address under /mcp, in place of standard input and output. Without a host it is this machine only."`
	HTTPToken     string           `name:"http-token-file" env:"ROWCAP_HTTP_TOKEN_FILE" placeholder:"FILE" help:"File with the token that clients send as Authorization: Bearer. On this machine's own addresses one is made up and printed if none is given."`
	HTTPHost      []string         `name:"http-host" env:"ROWCAP_HTTP_HOST" placeholder:"NAME" help:"Further names of this server in the Host and Origin headers."`
	HTTPRequests  int              `name:"http-requests" env:"ROWCAP_HTTP_REQUESTS" default:"32" placeholder:"N" help:"Requests that are worked on at once."`
	LogLevel      string           `env:"ROWCAP_LOG_LEVEL" default:"warn" enum:"debug,info,warn,error" help:"What is logged to standard error: ${enum} and above."`
}

// Help says what the server does and does not do.
func (mcpCmd) Help() string {
	return `Offers tools to an AI agent by the Model Context Protocol, over standard input and output or HTTP: query, query_nested, explain_query, list_databases, list_schemas, list_tables, list_views, list_materialized_views, list_functions, list_procedures, list_triggers, describe_table. Every answer says whether rows are missing, whose cap it was and how to get more. All statements run in READ ONLY transactions.`
}

func (c mcpCmd) policy() rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit, p.Explicit, p.Overflow, p.PushDown = c.DefaultLimit, c.MaxLimit, c.Explicit, c.Overflow, c.PushDown
	p.Catalogs = rewrite.CatalogsCap // an agent's list that was cut must say so
	return p
}

// Validate reports flags that have no meaning.
func (c mcpCmd) Validate() error {
	if c.DSN != "" { // kong reports that it is missing
		if err := query.CheckDSN(c.DSN); err != nil {
			return err
		}
	}
	switch {
	case c.Timeout < time.Millisecond:
		return fmt.Errorf("--statement-timeout must be at least 1ms, and is %s", c.Timeout)
	case c.Sessions < 1 || c.HTTPRequests < 1:
		return errors.New("--sessions and --http-requests must be at least 1")
	case c.CellChars < 0 || c.ResponseChars < 0:
		return errors.New("--cell-chars and --response-chars must be 0 or more")
	case c.HTTP == "" && (c.HTTPToken != "" || len(c.HTTPHost) > 0):
		return errors.New("--http-token-file and --http-host would not be used: give --http too")
	}
	if c.HTTP != "" {
		if _, err := mcp.ListenAddress(c.HTTP); err != nil {
			return fmt.Errorf("--http: %w", err)
		}
	}
	return c.policy().Validate()
}

// Run serves until the client leaves or a signal comes.
func (c mcpCmd) Run(std streams) error {
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
	source, err := query.NewSource(c.DSN, c.policy(), c.Timeout, c.Sessions)
	if err != nil {
		return err
	}
	defer source.Close()
	server, err := mcp.NewServer(mcp.Config{Source: source, Identity: c.DSN, CellChars: c.CellChars, ResponseChars: c.ResponseChars,
		CursorKey: key, Version: cmp.Or(version, "devel"), Log: log})
	if err != nil {
		return err
	}
	if c.HTTP == "" {
		in, ok := std.in.(io.ReadCloser) // closing it ends a read that waits
		if !ok {
			in = io.NopCloser(std.in)
		}
		return mcp.ServeStreams(ctx, server, in, keepOpen{std.out})
	}
	address, err := mcp.ListenAddress(c.HTTP)
	if err != nil {
		return usageError{err}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another address with --http", address, err)
	}
	defer l.Close()
	h := mcp.HTTP{Hosts: c.HTTPHost, Requests: c.HTTPRequests, Log: log}
	if h.Token, err = c.token(l.Addr()); err != nil {
		return err
	}
	fmt.Fprintf(std.err, "rowcap: serving http://%s%s\n", l.Addr(), mcp.Path)
	if c.HTTPToken == "" {
		fmt.Fprintf(std.err, "rowcap: clients must send Authorization: Bearer %s\n", h.Token)
	}
	return h.Serve(ctx, l, server)
}

// token returns the token that clients must send.
func (c mcpCmd) token(at net.Addr) (string, error) {
	if c.HTTPToken != "" {
		b, err := secret("--http-token-file", c.HTTPToken)
		return string(b), err
	}
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return "", usagef("--http %s can be reached from other machines: give --http-token-file, and put TLS in front of it", c.HTTP)
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
