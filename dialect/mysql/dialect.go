// Package mysql reads statements of MySQL and MariaDB into facts and writes
// limits into them as byte edits.
//
// A lexer that follows the servers' own (sql/sql_lex.cc) splits a script at
// its semicolons, resolves executable comments for this server and finds token
// boundaries. TiDB's parser, with Vitess's as fallback, says what a statement is;
// one that neither knows is read once more, with the forms that only the servers
// know written plainly. An edit is proposed at a token boundary and accepted only
// if the edited text reads back as the same tree with the planned limit and as the
// same tokens plus the new ones.
package mysql

import "github.com/rowcap/rowcap/rewrite"

// dialect reads statements as one kind of session does. It never changes; With
// makes another one.
type dialect struct {
	settings
}

// New returns the dialect of MySQL 9.7 in its default settings.
func New() rewrite.Dialect {
	return dialect{settings{version: 90700, charset: charsetUTF8MB4}}
}

// NewMariaDB returns the dialect of MariaDB 10.11 in its default settings.
func NewMariaDB() rewrite.Dialect {
	return dialect{settings{mariadb: true, version: 101100, charset: charsetUTF8MB4}}
}

// Name returns mysql or mariadb.
func (d dialect) Name() string {
	if d.mariadb {
		return "mariadb"
	}
	return "mysql"
}

// With returns the dialect of a session in which setting has value. It knows
// sql_mode, character_set_client, server_version (as in the server's greeting;
// it tells MySQL from MariaDB) and database (the session's current one).
func (d dialect) With(setting, value string) rewrite.Dialect {
	s := d.settings
	s.set(setting, value)
	return dialect{s}
}
