// Package dbtest gives tests real database servers: a private PostgreSQL,
// MariaDB or MySQL in a temporary folder, started on first use, shared by the
// tests of one binary and gone when that binary is, however it ends.
//
// A server given by ROWCAP_TEST_POSTGRES (or ROWCAP_TEST_POSTGRES_18 for that
// version), ROWCAP_TEST_MARIADB or ROWCAP_TEST_MYSQL (a URL, or for the last two a go-sql-driver DSN) is used
// instead of a private one. A server that can be neither found nor started
// fails the test where CI is true, and skips it elsewhere.
package dbtest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"
)

// The flavors of servers.
const (
	FlavorPostgres = "postgres"
	FlavorMariaDB  = "mariadb"
	FlavorMySQL    = "mysql"
)

// Server is a running database server.
type Server struct {
	// Flavor is postgres, mariadb or mysql.
	Flavor string
	// Host and Port are where it listens for TCP.
	Host string
	Port int
	// Socket is the path of its unix socket file, empty for a given server
	// that is not reached by one.
	Socket string
	// User has all rights (superuser, or ALL with GRANT OPTION), and Password
	// is what it logs in with. A private PostgreSQL trusts User whatever the
	// password.
	User     string
	Password string
	// Version is the server's version: 15.18, 10.11.19-MariaDB, 9.7.4.
	Version string
	// CA is the PEM file of the authority that signed the server's certificate,
	// which is for localhost and 127.0.0.1. It is empty for a given server.
	CA string

	client   string   // the path of the command line client
	shared   bool     // by all tests of this binary
	instance *running // nil for a given server
}

// Addr returns host:port.
func (s *Server) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Database creates an empty database, drops it when t is over, and returns its
// name.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	var random [6]byte
	rand.Read(random[:])
	name := "rowcap_" + hex.EncodeToString(random[:])
	create, drop := "CREATE DATABASE "+name, "DROP DATABASE IF EXISTS "+name
	if s.Flavor == FlavorPostgres {
		drop += " WITH (FORCE)"
	}
	if _, err := s.run("", create); err != nil {
		t.Fatalf("create a database on %s: %v", s, err)
	}
	t.Cleanup(func() {
		if s.instance != nil && !s.instance.answers() {
			return // a killed or frozen server takes its databases with it
		}
		if _, err := s.run("", drop); err != nil {
			t.Errorf("drop the database of this test: %v", err)
		}
	})
	return name
}

// DSN returns how a driver reaches database, by TCP and without TLS: a URL for
// pgx, or a DSN for go-sql-driver/mysql.
func (s *Server) DSN(database string) string {
	if s.Flavor == FlavorPostgres {
		u := url.URL{
			Scheme:   "postgres",
			User:     url.UserPassword(s.User, s.Password),
			Host:     s.Addr(),
			Path:     "/" + database,
			RawQuery: "sslmode=disable",
		}
		return u.String()
	}
	return fmt.Sprintf("%s:%s@tcp(%s)/%s", s.User, s.Password, s.Addr(), database)
}

// URL returns how a user of rowcap names database: the DSN of PostgreSQL, and a URL
// too for MySQL and MariaDB.
func (s *Server) URL(database string) string {
	if s.Flavor == FlavorPostgres {
		return s.DSN(database)
	}
	u := url.URL{Scheme: "mysql", User: url.UserPassword(s.User, s.Password), Host: s.Addr(), Path: "/" + database}
	return u.String()
}

// SQL runs a script in database with the server's own command line client and
// returns what it prints: one row a line, columns apart by tabs, no headings.
// The test fails at the first statement that fails.
func (s *Server) SQL(t testing.TB, database, script string) string {
	t.Helper()
	out, err := s.run(database, script)
	if err != nil {
		t.Fatalf("run SQL on %s: %v", s, err)
	}
	return out
}

// String names the server for messages.
func (s *Server) String() string {
	return fmt.Sprintf("%s %s at %s", s.Flavor, s.Version, s.Addr())
}
