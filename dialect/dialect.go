// Package dialect finds a dialect by name.
//
// A [rewrite.Dialect] reads the SQL of one database into facts and writes limits into
// it; the packages below this one hold them. Programs need this package only: what
// tells one server from another of its dialect is told to the value that Lookup
// returns with its method With, by the server's own names (server_version, sql_mode,
// standard_conforming_strings, …).
package dialect

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/rewrite"
)

// Names returns the names that Lookup takes, aliases left out.
func Names() []string { return []string{"postgres", "mysql", "mariadb"} }

// Lookup returns the dialect called name, in capitals or not, for a server and a
// session in their default settings: postgres (or postgresql), mysql or mariadb. The
// error names them. Equal names give equal values. Built without cgo, the first
// look-up of postgres takes seconds, as it compiles the parser.
func Lookup(name string) (rewrite.Dialect, error) {
	switch strings.ToLower(name) {
	case "postgres", "postgresql":
		return postgres.New(), nil
	case "mysql":
		return mysql.New(), nil
	case "mariadb":
		return mysql.NewMariaDB(), nil
	}
	return nil, fmt.Errorf("dialect %q is not known: use one of %s", name, strings.Join(Names(), ", "))
}
