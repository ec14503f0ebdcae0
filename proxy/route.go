// Package proxy accepts client connections and ends them well. It knows no
// protocol: a Protocol carries each session.
package proxy

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
)

// Address is where a listener or an upstream is: a TCP host and port, or the
// path of a unix socket.
type Address struct {
	// Network is tcp or unix.
	Network string
	// Addr is host:port or a path.
	Addr string
}

// ParseAddress reads host:port, or a path that begins with a slash.
func ParseAddress(s string) (Address, error) {
	if strings.HasPrefix(s, "/") {
		return Address{Network: "unix", Addr: filepath.Clean(s)}, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		return Address{}, fmt.Errorf("address %q: %v: use host:port or the path of a unix socket", s, err)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return Address{}, fmt.Errorf("address %q: port %q is not a port: use host:port or the path of a unix socket", s, port)
	}
	return Address{Network: "tcp", Addr: net.JoinHostPort(host, port)}, nil
}

// String returns the address as ParseAddress reads it.
func (a Address) String() string { return a.Addr }

// Host returns the host name or IP address of a TCP address, "" of a socket.
func (a Address) Host() string {
	if a.Network == "unix" {
		return ""
	}
	host, _, _ := net.SplitHostPort(a.Addr)
	return host
}

// Route is one listener and the upstream behind it.
type Route struct {
	Listen Address
	// Upstreams are where the upstream is; each session goes to the first that
	// accepts it.
	Upstreams Upstreams
}

// ParseRoute reads LISTEN=UPSTREAM, where UPSTREAM is one address or several
// with commas between them.
func ParseRoute(s string) (Route, error) {
	listen, upstreams, found := strings.Cut(s, "=")
	if !found {
		return Route{}, fmt.Errorf("route %q: use LISTEN=UPSTREAM, as in 127.0.0.1:6432=127.0.0.1:5432", s)
	}
	l, err := ParseAddress(listen)
	if err != nil {
		return Route{}, err
	}
	r := Route{Listen: l}
	for _, upstream := range strings.Split(upstreams, ",") {
		u, err := ParseAddress(upstream)
		if err != nil {
			return Route{}, err
		}
		if l == u {
			return Route{}, fmt.Errorf("route %q: the listener and the upstream are the same address", s)
		}
		if slices.Contains(r.Upstreams, u) {
			return Route{}, fmt.Errorf("route %q: the upstream %s is named twice", s, u)
		}
		r.Upstreams = append(r.Upstreams, u)
	}
	return r, nil
}
