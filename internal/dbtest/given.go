package dbtest

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// given returns the server that r's variable names, or nil if it names none.
func given(r *recipe) (*Server, error) {
	value := os.Getenv(r.variable)
	if value == "" {
		return nil, nil
	}
	s, err := parseGiven(r.flavor, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.variable, err)
	}
	if s.client, err = findClient(r.flavor); err != nil {
		return nil, err
	}
	if err := s.readVersion(); err != nil {
		return nil, fmt.Errorf("%s: %w", r.variable, err)
	}
	return s, nil
}

// findClient finds a command line client alone.
func findClient(flavor string) (string, error) {
	if flavor == FlavorPostgres {
		return findProgram(postgresFolders(), "psql")
	}
	return findProgram(nil, "mariadb", "mysql")
}

// parseGiven reads a URL (postgres://, mysql://, mariadb://) or a DSN
// user:password@tcp(host:port)/ or user:password@unix(path)/.
func parseGiven(flavor, value string) (*Server, error) {
	s := &Server{Flavor: flavor}
	if strings.Contains(value, "://") {
		u, err := url.Parse(value)
		if err != nil {
			return nil, fmt.Errorf("not a URL: %w", err)
		}
		s.User = u.User.Username()
		s.Password, _ = u.User.Password()
		return s, s.setAddress(u.Host)
	}
	if flavor == FlavorPostgres {
		return nil, fmt.Errorf("%q is not a URL: use postgres://user:password@host:port", value)
	}
	at, slash := strings.LastIndex(value, "@"), strings.LastIndex(value, ")/")
	open := strings.Index(value[at+1:], "(") + at + 1
	if at < 0 || open <= at || slash < open {
		return nil, fmt.Errorf("%q is not a DSN: use user:password@tcp(host:port)/", value)
	}
	s.User, s.Password, _ = strings.Cut(value[:at], ":")
	switch network, address := value[at+1:open], value[open+1:slash]; network {
	case "tcp":
		return s, s.setAddress(address)
	case "unix":
		s.Socket = filepath.Clean(address)
		return s, nil
	default:
		return nil, fmt.Errorf("%q: network %q is not known: use tcp or unix", value, network)
	}
}

// setAddress reads host or host:port.
func (s *Server) setAddress(address string) error {
	port := map[string]string{FlavorPostgres: "5432"}[s.Flavor]
	if port == "" {
		port = "3306"
	}
	host := address
	if h, p, err := net.SplitHostPort(address); err == nil {
		host, port = h, p
	}
	n, err := strconv.Atoi(port)
	if err != nil || host == "" {
		return fmt.Errorf("address %q: use host:port", address)
	}
	s.Host, s.Port = host, n
	return nil
}
