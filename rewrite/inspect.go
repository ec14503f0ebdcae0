package rewrite

// Inspector is a Dialect that can point at parts of a statement, for programs that
// show a reader where something stands. What is planned never depends on it.
type Inspector interface {
	Dialect
	// Inspect looks at the text of one statement.
	Inspect(text string) Anatomy
}

// Anatomy says where things stand in a statement's text.
type Anatomy struct {
	// Parts stand in no certain order.
	Parts []Part
	// Err is what the parser says of a text that it cannot read, nil if it can.
	Err *ParseError
	// Doubted reports that Err is a bound of what reads the text here, as of its length, and
	// that the server may well read it.
	Doubted bool
	// Order is by what the outermost query orders the rows of one table, nil if it
	// does not, or if that cannot be told.
	Order *Order
	// Pinned is what the outermost query holds to one value each, nil unless it reads one
	// table and makes one row at most of each of its rows.
	Pinned *Pinned
	// Schema is what the statement says of a table's columns, as CREATE TABLE does. One
	// without columns says that the table is made, or that what was known of it is not certain.
	Schema []Columns
}

// Order is the order of a query that reads one table and makes a row of each of its
// rows.
type Order struct {
	// Table is the table, without its schema.
	Table string
	// Columns are the columns that the rows are ordered by, and those that the query
	// holds to one value.
	Columns []string
	// Start and End bound ORDER BY's first key in the statement's text.
	Start, End int
}

// Pinned is what the condition of a query over one table holds to one value each.
type Pinned struct {
	// Table is the table, without its schema.
	Table string
	// Columns are the columns. Those of Numbers are compared with a number: more than one
	// text is equal to it on MySQL.
	Columns, Numbers []string
}

// Columns are columns of a table of which something is known.
type Columns struct {
	Table string
	Names []string
	// Unique reports that no two rows have the same values in them, unless one of
	// these is NULL; NotNull that none is; Number that they hold numbers.
	Unique, NotNull, Number bool
}

// Part is the bytes [Start, End) of a statement's text.
type Part struct {
	Kind       PartKind
	Start, End int
}

// PartKind says what a Part is.
type PartKind uint8

// The kinds of parts.
const (
	// PartLimit is the value of the outermost limit.
	PartLimit PartKind = iota
	// PartOffset is the value of the outermost offset.
	PartOffset
	// PartTies is WITH TIES.
	PartTies
	// PartLock is the clause of a locking read.
	PartLock
	// PartOutfile is INTO OUTFILE or INTO DUMPFILE.
	PartOutfile
	// PartWriteLimit is the limit of an UPDATE or DELETE without ORDER BY.
	PartWriteLimit
	// PartInnerLimit is the limit of a query inside of the statement that has no
	// ORDER BY and may leave out rows: not one in EXISTS, nor of a single row.
	PartInnerLimit
	// PartAggregatedLimit is the limit of a query whose rows the query around it
	// aggregates.
	PartAggregatedLimit
	// PartLimitKeyword is a word LIMIT or FETCH outside of brackets. Statements that can
	// be read have at most one.
	PartLimitKeyword
	// PartNegative is a limit or an offset below zero.
	PartNegative
	// PartQuantifiedLimit is the limit of a query behind IN, ALL, ANY or SOME, where MySQL
	// and MariaDB take none.
	PartQuantifiedLimit
	// PartForeignLimit is a limit in a form that is read here, and that the server does not
	// have, or has not there.
	PartForeignLimit
)

// Part returns the first part of a kind.
func (a Anatomy) Part(k PartKind) (p Part, ok bool) {
	for _, p := range a.Parts {
		if p.Kind == k {
			return p, true
		}
	}
	return Part{}, false
}
