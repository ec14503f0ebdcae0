// Package dialect finds a dialect by name.
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

// Lookup returns the dialect called name. postgresql is another name for
// postgres.
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
