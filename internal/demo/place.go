package demo

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// Schema holds the demo's tables: a schema of PostgreSQL, a database of MySQL and
// MariaDB.
const Schema = "rowcap_demo"

// Place is a server that a URL names.
type Place struct {
	url url.URL
	// Dialect is postgres, mysql or mariadb, as the URL says.
	Dialect string
	// Address is host:port or the path of a unix socket.
	Address string
}

// ParsePlace reads postgres://, mysql:// and mariadb:// URLs.
func ParsePlace(dsn string) (Place, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return Place{}, errors.New("the upstream is not a URL: use postgres://user:password@host:port/database or mysql://user:password@host:port")
	}
	p := Place{url: *u}
	port := "3306"
	switch u.Scheme {
	case "postgres", "postgresql":
		p.Dialect, port = "postgres", "5432"
	case "mysql", "mariadb":
		p.Dialect = u.Scheme
	default:
		return Place{}, errors.New("the upstream's URL must begin with postgres://, mysql:// or mariadb://")
	}
	for _, given := range []string{u.Query().Get("port"), u.Port()} {
		if given != "" {
			port = given
		}
	}
	socket := u.Query().Get("unix_socket")
	if p.Dialect == "postgres" && strings.HasPrefix(u.Query().Get("host"), "/") {
		socket = u.Query().Get("host") + "/.s.PGSQL." + port
	}
	switch {
	case socket != "":
		p.Address = socket
	case u.Hostname() == "":
		return Place{}, errors.New("the upstream's URL names neither a host nor a unix socket")
	default:
		p.Address = net.JoinHostPort(u.Hostname(), port)
	}
	return p, nil
}

// DSN leads to the server itself. Bare table names are looked up in schema, unless
// that is empty.
func (p Place) DSN(schema string) string { return p.dsn(p.url, schema) }

// By leads to the server by way of address, host:port, in plain text.
func (p Place) By(address, schema string) string {
	u := p.url
	u.Host = address
	q := u.Query()
	for _, name := range []string{"unix_socket", "host", "port", "sslmode", "tls"} {
		q.Del(name)
	}
	if p.Dialect == "postgres" {
		q.Set("sslmode", "disable")
	}
	u.RawQuery = q.Encode()
	return p.dsn(u, schema)
}

func (p Place) dsn(u url.URL, schema string) string {
	switch {
	case schema == "":
	case p.Dialect == "postgres":
		q := u.Query()
		q.Set("search_path", schema)
		u.RawQuery = q.Encode()
	default:
		u.Path = "/" + schema
	}
	return u.String()
}

// User is the name that the URL logs in with.
func (p Place) User() string { return p.url.User.Username() }

// Database is the database that the URL names.
func (p Place) Database() string { return strings.TrimPrefix(p.url.Path, "/") }

// String is the server for the reader, without the password.
func (p Place) String() string {
	name := map[string]string{"postgres": "PostgreSQL", "mysql": "MySQL", "mariadb": "MariaDB"}[p.Dialect]
	return fmt.Sprintf("%s at %s", name, p.Address)
}
