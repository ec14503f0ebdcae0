package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// HTTP says how a server is offered over streamable HTTP.
type HTTP struct {
	// Token is what clients must send as Authorization: Bearer, if they do not show a
	// certificate. It may be empty only if TLS asks for one.
	Token string
	// TLS is what NewTLS returns; nil is HTTP without TLS.
	TLS *tls.Config
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
	bodyPatience   = 10 * time.Second
	idlePatience   = 2 * time.Minute
	sessionIdle    = 30 * time.Minute
	lastPatience   = 5 * time.Second
	endPatience    = 2 * time.Second
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

// Serve serves server on l until ctx ends. Then streams on which clients wait for
// messages end at once, and calls that run are given lastPatience before they are
// cancelled.
func (h HTTP) Serve(ctx context.Context, l net.Listener, server *sdk.Server) error {
	handler, err := h.Handler(ctx, server, l.Addr())
	if err != nil {
		return err
	}
	if h.TLS != nil {
		l = tls.NewListener(l, h.TLS)
	}
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var silent sync.Map // connections on which nothing was asked yet; Shutdown waits for these too
	serving := &http.Server{Handler: handler, ReadHeaderTimeout: headerPatience, IdleTimeout: idlePatience, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		ConnState: func(c net.Conn, state http.ConnState) {
			if state == http.StateNew {
				silent.Store(c, nil)
			} else {
				silent.Delete(c)
			}
		}}
	serving.RegisterOnShutdown(func() {
		silent.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true })
	})
	ended := make(chan error, 1)
	go func() { ended <- serving.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), lastPatience)
	defer done()
	if serving.Shutdown(last) != nil {
		cancel()
		serving.Close()
	}
	<-ended
	closeSessions(server)
	return nil
}

// closeSessions ends the sessions, and waits a little for calls that were cancelled to end
// their statements.
func closeSessions(server *sdk.Server) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		for session := range server.Sessions() {
			session.Close()
		}
	}()
	select {
	case <-closed:
	case <-time.After(endPatience):
	}
}

// Handler returns the server as a handler for the path Path, behind all checks. When ctx
// ends, so do the streams on which clients wait for messages.
func (h HTTP) Handler(ctx context.Context, server *sdk.Server, address net.Addr) (http.Handler, error) {
	if h.Token == "" && h.TLS == nil || h.Requests < 1 {
		return nil, errors.New("a token or TLS, and a number of requests are needed")
	}
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{MaxRequestBodyBytes: maxBody, SessionTimeout: sessionIdle, Logger: h.Log,
			// The Host check below has its own list.
			DisableLocalhostProtection: true})
	want := sha256.Sum256([]byte(h.Token))
	hosts := append([]string{"localhost", "127.0.0.1", "::1"}, h.Hosts...)
	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		hosts = append(hosts, tcp.IP.String())
	}
	slots := make(chan struct{}, h.Requests)
	var left leaving
	server.AddReceivingMiddleware(left.cancels)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !slices.Contains(hosts, hostOf(r.Host)):
			http.Error(w, "this Host is not served; the operator can allow it with --http-host", http.StatusForbidden)
			return
		case !originAllowed(r.Header.Get("Origin"), hosts):
			http.Error(w, "requests of this Origin are not served", http.StatusForbidden)
			return
		}
		user, ok := certified(r)
		if !ok && h.Token != "" {
			scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
			got := sha256.Sum256([]byte(token))
			user, ok = "token", strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1
		}
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer realm="rowcap"`)
			http.Error(w, "send the token of this server as Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		r.Header.Set(userHeader, user)
		if r.URL.Path != Path {
			http.Error(w, "the server is at "+Path, http.StatusNotFound)
			return
		}
		switch r.Method {
		case http.MethodGet: // it only waits for messages
			waits, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(ctx, cancel)()
			r = r.WithContext(waits)
		case http.MethodPost:
			if status, err := readBody(w, r); err != nil {
				http.Error(w, err.Error(), status)
				return
			}
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			default:
				w.Header().Set("Retry-After", "1")
				http.Error(w, "too many requests are being worked on: try again later", http.StatusServiceUnavailable)
				return
			}
			defer left.knows(r)()
		}
		inner.ServeHTTP(w, r)
	}), nil
}

// readBody reads the body of a request as a whole, so that a client that is slow to send
// one takes nobody's place.
func readBody(w http.ResponseWriter, r *http.Request) (status int, err error) {
	deadline := http.NewResponseController(w)
	if err := deadline.SetReadDeadline(time.Now().Add(bodyPatience)); err != nil {
		return http.StatusInternalServerError, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, fmt.Errorf("the request is longer than %d bytes: send less at once", maxBody)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return http.StatusRequestTimeout, fmt.Errorf("the request did not come within %v: send it again", bodyPatience)
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return 0, deadline.SetReadDeadline(time.Time{})
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
