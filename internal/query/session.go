package query

import (
	"context"
	"strings"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// connectTimeout bounds connecting where the DSN sets no time of its own.
const connectTimeout = 10 * time.Second

// Session is one connection to a server. It is not safe for concurrent use.
type Session interface {
	// Dialect is the name of the dialect that the server speaks: postgres, mysql
	// or mariadb.
	Dialect() string
	// Run runs every statement of sql as r plans it and returns an answer for
	// each, in order. r is for the session's dialect; settings of the session
	// that change how SQL is read are taken into account. A text with a refused
	// statement is not sent: the error is a *rewrite.RefusedError. An error of
	// the server is an *Error; the answers before it are returned with it.
	Run(ctx context.Context, r *rewrite.Rewriter, sql string, ask rewrite.Ask) ([]Result, error)
	// Close ends the session.
	Close() error
}

// Open connects to the server that dsn names; see the package comment for its
// forms. A DSN that cannot be used is a *DSNError.
func Open(ctx context.Context, dsn string) (Session, error) {
	switch kind(dsn) {
	case "postgres":
		return openPostgres(ctx, dsn)
	case "mysql":
		return openMySQL(ctx, dsn)
	}
	return nil, errNoKind
}

// CheckDSN reports a DSN that Open could not use, without connecting. The error
// is a *DSNError.
func CheckDSN(dsn string) error {
	var err error
	switch kind(dsn) {
	case "postgres":
		_, err = postgresConfig(dsn)
	case "mysql":
		_, err = mysqlConfig(dsn)
	default:
		err = errNoKind
	}
	return err
}

// kind says which kind of server dsn names, "" if none.
func kind(dsn string) string {
	scheme, _, isURL := strings.Cut(dsn, "://")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"), !isURL && strings.Contains(dsn, "="):
		return "postgres"
	case isURL && (scheme == "mysql" || scheme == "mariadb"):
		return "mysql"
	}
	return ""
}

var errNoKind = &DSNError{"it must begin with postgres://, mysql:// or mariadb://, or be a list of key=value for PostgreSQL"}
