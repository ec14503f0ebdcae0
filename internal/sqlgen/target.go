package sqlgen

// The dialects, by the names of package dialect.
const (
	Postgres = "postgres"
	MySQL    = "mysql"
	MariaDB  = "mariadb"
)

// Target is the server and the session that statements are drawn for.
type Target struct {
	// Dialect is postgres, mysql or mariadb.
	Dialect string
	// Version is the server's own number: 150018 for PostgreSQL 15.18, 90704 for
	// MySQL 9.7.4, 101119 for MariaDB 10.11.19.
	Version int
	// ANSIQuotes is MySQL's and MariaDB's sql_mode ANSI_QUOTES.
	ANSIQuotes bool
	// NoBackslash is their sql_mode NO_BACKSLASH_ESCAPES, and PostgreSQL's
	// standard_conforming_strings = on, which is its default.
	NoBackslash bool
	// PipesConcat is MySQL's and MariaDB's sql_mode PIPES_AS_CONCAT.
	PipesConcat bool
	// Params draws parameters, as limits above all, in queries alone.
	Params bool
	// Only bounds the classes that are drawn; empty stands for all.
	Only []Class
	// Plain leaves out comments, hints and unusual white space.
	Plain bool
}

func (t Target) postgres() bool { return t.Dialect == Postgres }
func (t Target) mariadb() bool  { return t.Dialect == MariaDB }
func (t Target) mysql() bool    { return t.Dialect == MySQL }

// Class is a class of statements that rowcap treats alike.
type Class string

// The classes.
const (
	// ClassSelect is a SELECT with joins, subqueries, grouping, windows.
	ClassSelect Class = "select"
	// ClassSetOperation is UNION, INTERSECT and EXCEPT, nested and in brackets.
	ClassSetOperation Class = "set operation"
	// ClassWith is a query behind WITH, also RECURSIVE.
	ClassWith Class = "with"
	// ClassWithWrite is a query behind a WITH that changes data (PostgreSQL).
	ClassWithWrite Class = "with write"
	// ClassValues is VALUES and TABLE.
	ClassValues Class = "values"
	// ClassLocking is FOR UPDATE and its kind.
	ClassLocking Class = "locking"
	// ClassVolatile calls functions whose evaluation leaves a trace.
	ClassVolatile Class = "volatile"
	// ClassOneRow returns at most one row.
	ClassOneRow Class = "one row"
	// ClassInto stores the rows of a query.
	ClassInto Class = "into"
	// ClassReturning is a write that returns rows.
	ClassReturning Class = "returning"
	// ClassWrite is a write that returns none.
	ClassWrite Class = "write"
	// ClassExplain is EXPLAIN of a query.
	ClassExplain Class = "explain"
	// ClassShow is SHOW and DESCRIBE.
	ClassShow Class = "show"
	// ClassCall is CALL of a procedure that returns rows.
	ClassCall Class = "call"
	// ClassCursor is DECLARE and FETCH (PostgreSQL).
	ClassCursor Class = "cursor"
	// ClassPrepared is SQL's own PREPARE and EXECUTE.
	ClassPrepared Class = "prepared"
	// ClassCatalog reads system catalogues only.
	ClassCatalog Class = "catalog"
	// ClassScript is several statements in one text.
	ClassScript Class = "script"
	// ClassFault is a statement that the server refuses.
	ClassFault Class = "fault"
)

// Weighted is a class and how often it is drawn.
type Weighted struct {
	Class  Class
	Weight int
}

// Classes returns the classes that t has, with their weights.
func (t Target) Classes() []Weighted {
	all := []Weighted{
		{ClassSelect, 34}, {ClassSetOperation, 16}, {ClassWith, 10}, {ClassValues, 5}, {ClassLocking, 5}, {ClassOneRow, 3},
		{ClassInto, 2}, {ClassReturning, 4}, {ClassWrite, 2}, {ClassExplain, 2}, {ClassShow, 2}, {ClassCall, 2},
		{ClassScript, 6}, {ClassFault, 4}, {ClassPrepared, 2}, {ClassCatalog, 2}, {ClassVolatile, 2},
		{ClassWithWrite, 2}, {ClassCursor, 3},
	}
	var out []Weighted
	for _, w := range all {
		if t.has(w.Class) && (len(t.Only) == 0 || contains(t.Only, w.Class)) {
			out = append(out, w)
		}
	}
	return out
}

func (t Target) has(c Class) bool {
	if t.Params {
		switch c {
		case ClassSelect, ClassSetOperation, ClassWith, ClassValues, ClassLocking:
			return true
		}
		return false
	}
	switch c {
	case ClassWithWrite, ClassCursor:
		return t.postgres()
	case ClassReturning:
		return !t.mysql()
	}
	return true
}

func contains(all []Class, c Class) bool {
	for _, x := range all {
		if x == c {
			return true
		}
	}
	return false
}
