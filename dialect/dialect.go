// Package dialect finds a dialect by name and remembers what it read.
package dialect

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/rewrite"
)

// Names returns the names of all dialects.
func Names() []string { return []string{"postgres", "mysql", "mariadb"} }

// Lookup returns the dialect called name, which remembers what it reads; see
// Cached. postgresql is another name for postgres. Every call returns a dialect
// with a memory of its own.
func Lookup(name string) (rewrite.Dialect, error) {
	switch strings.ToLower(name) {
	case "postgres", "postgresql":
		return Cached(postgres.New()), nil
	case "mysql":
		return Cached(mysql.New()), nil
	case "mariadb":
		return Cached(mysql.NewMariaDB()), nil
	}
	return nil, fmt.Errorf("dialect %q is not known: use one of %s", name, strings.Join(Names(), ", "))
}
