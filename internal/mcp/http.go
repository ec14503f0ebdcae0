package mcp

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP says how a server is offered over streamable HTTP.
type HTTP struct {
	// Token is what clients must send as Authorization: Bearer. It is never empty.
	Token string
	// Hosts are further names by which clients may call the server, beside the
	// loopback names and the address that it listens on.
	Hosts []string
	// Requests is the most requests that are worked on at once.
	Requests int
	Log      *slog.Logger
}

// The bounds of one request over HTTP.
const (
	maxBody        = 4 << 20
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	sessionIdle    = 30 * time.Minute
	lastPatience   = 5 * time.Second
)

// Path is where the server is offered.
const Path = "/mcp"

// ListenAddress completes an address: without a host it is the loopback
// interface.
func ListenAddress(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("%q is no address: use HOST:PORT, or :PORT for this machine only", addr)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Serve serves server on l until ctx ends. Requests that run then are given a few
// seconds.
func (h HTTP) Serve(ctx context.Context, l net.Listener, server *sdk.Server) error {
	handler, err := h.Handler(server, l.Addr())
	if err != nil {
		return err
	}
	serving := &http.Server{Handler: handler, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- serving.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	for session := range server.Sessions() {
		session.Close()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastPatience)
	defer cancel()
	if serving.Shutdown(last) != nil {
		serving.Close()
	}
	<-ended
	return nil
}

// Handler returns the server as a handler for the path Path, behind all checks.
func (h HTTP) Handler(server *sdk.Server, address net.Addr) (http.Handler, error) {
	if h.Token == "" || h.Requests < 1 {
		return nil, errors.New("a token and a number of requests are needed")
	}
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody, SessionTimeout: sessionIdle, PropagateRequestCancellation: true, Logger: h.Log,
			// The Host check below has its own list.
			DisableLocalhostProtection: true})
	want := sha256.Sum256([]byte(h.Token))
	hosts := append([]string{"localhost", "127.0.0.1", "::1"}, h.Hosts...)
	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		hosts = append(hosts, tcp.IP.String())
	}
	slots := make(chan struct{}, h.Requests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !slices.Contains(hosts, hostOf(r.Host)):
			http.Error(w, "this Host is not served; the operator can allow it with --http-host", http.StatusForbidden)
			return
		case !originAllowed(r.Header.Get("Origin"), hosts):
			http.Error(w, "requests of this Origin are not served", http.StatusForbidden)
			return
		}
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(token))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Bearer realm="rowcap"`)
			http.Error(w, "send the token of this server as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		if r.URL.Path != Path {
			http.Error(w, "the server is at "+Path, http.StatusNotFound)
			return
		}
		if r.Method == http.MethodPost { // a GET only waits for messages
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			default:
				w.Header().Set("Retry-After", "1")
				http.Error(w, "too many requests are being worked on: try again later", http.StatusServiceUnavailable)
				return
			}
		}
		inner.ServeHTTP(w, r)
	}), nil
}

// hostOf returns a host without its port and brackets.
func hostOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return strings.ToLower(h)
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// originAllowed reports that a page of this origin may call: programs that are no
// browsers send none.
func originAllowed(origin string, hosts []string) bool {
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && slices.Contains(hosts, strings.ToLower(u.Hostname()))
}
