package rewrite

// Reader is a Dialect that can tell what a statement reads, for programs that keep
// some of it back. What is planned never depends on it.
type Reader interface {
	Dialect
	// Reads looks at the text of one statement. The error says why that cannot be
	// told; then the statement may read anything.
	Reads(text string) (Reads, error)
}

// Reads is what a statement reads as far as its text says; what views and functions of
// the database read inside is not seen.
type Reads struct {
	// Tables are the names that stand for tables, views and WITH queries wherever rows
	// are read from or written to, in the order of the text. None is missing.
	Tables []TableRead
	// With are the names of the WITH queries.
	With []string
	// Names are all names in the text, in lower case, and may have other words too. No
	// column is named that is not among them.
	Names map[string]bool
	// Implicit reports that columns may be read that are not named: by a star, a
	// natural join, a row as a whole, or under other names.
	Implicit bool
	// Used are the names of columns that stand anywhere but as an item of a SELECT list
	// of their own, in lower case.
	Used map[string]bool
	// Queries is the number of SELECTs.
	Queries int
	// Shown are the items of the outermost SELECT list; nil for what is no query.
	Shown []ShownItem
	// Rows reports that the result's rows are those of one table, each at most once: a
	// single SELECT of columns under their own names, without DISTINCT, GROUP BY or locks.
	Rows bool
	// Order is the outermost ORDER BY where all its items are plain columns, nil otherwise.
	Order []OrderItem
}

// OrderItem is an item of an ORDER BY.
type OrderItem struct {
	// Column is its name as the server compares it.
	Column string
	Desc   bool
}

// TableRead is a place in a text that names a table.
type TableRead struct {
	// Schema is empty if none is given. Both are as the server compares them.
	Schema, Name string
	// Alias is the name that the statement gives it, empty for none.
	Alias string
	// Start and End are the bytes of the name, its schema included.
	Start, End int
	// Plain reports that a subquery in brackets can stand in its place.
	Plain bool
}

// ShownItem is an item of a SELECT list.
type ShownItem struct {
	// Star reports all columns, of a table or of all.
	Star bool
	// Column is the name of the column that the item is, in lower case; empty for
	// another expression. Name is the name that it is given, empty for none.
	Column, Name string
}
