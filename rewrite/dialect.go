package rewrite

// Dialect reads statements of one database's grammar and writes limits into
// them. Implementations are safe for concurrent use and hold no session state;
// With returns a changed copy instead. They are comparable values: two that read
// alike are equal, so that what is learnt with one is used with the other.
type Dialect interface {
	// Name is the dialect's name: postgres, mysql or mariadb.
	Name() string
	// Parse reads a script of one or more statements in order of appearance.
	// A statement that cannot be read but whose extent is known comes back with
	// KindUnknown and its Obstacle. Empty statements are left out, so a script
	// of comments and semicolons has none. The error is a *ParseError and means
	// that not even the statements' extents could be told.
	Parse(sql string) ([]Statement, error)
	// SetLimit returns the edits, in ascending order and relative to
	// st.Text, that make rows the statement's outermost limit: an absent limit
	// is added, a literal is replaced, any other expression is bounded by rows
	// (NULL included). A FETCH from a cursor gets its count lowered to rows.
	// The edited text has been read back and is the same statement with that
	// limit and no other difference; where that fails, the error says why and
	// there are no edits.
	SetLimit(st Statement, rows uint64) ([]Edit, error)
	// With returns a Dialect that reads statements as a session does in which
	// setting has value. Settings that do not change how SQL is read return the
	// Dialect itself. Names are the server's own (sql_mode,
	// standard_conforming_strings, client_encoding, character_set_client,
	// server_version).
	With(setting, value string) Dialect
}
