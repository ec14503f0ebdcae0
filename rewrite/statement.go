package rewrite

// Kind is the class of a statement, as far as capping needs to tell classes
// apart.
type Kind uint8

// The kinds of statements.
const (
	// KindUnknown is text that the dialect's parsers could not read.
	KindUnknown Kind = iota
	// KindSelect is SELECT, WITH … SELECT, a set operation, VALUES or TABLE
	// that sends its rows to the client.
	KindSelect
	// KindInsert is INSERT, and MySQL's REPLACE.
	KindInsert
	// KindUpdate is UPDATE.
	KindUpdate
	// KindDelete is DELETE.
	KindDelete
	// KindMerge is MERGE.
	KindMerge
	// KindCopy is PostgreSQL's COPY, to or from wherever.
	KindCopy
	// KindExplain is EXPLAIN and its like, whose rows describe a plan or a table.
	KindExplain
	// KindShow is SHOW.
	KindShow
	// KindCall is CALL, whose answer may hold several results.
	KindCall
	// KindPrepare is PREPARE as a statement of SQL.
	KindPrepare
	// KindExecute is EXECUTE of such a statement.
	KindExecute
	// KindDeclare is DECLARE … CURSOR.
	KindDeclare
	// KindFetch is FETCH from a cursor.
	KindFetch
	// KindSelectInto stores the rows of a query instead of sending them:
	// CREATE TABLE AS, SELECT INTO, SELECT … INTO OUTFILE or @variable.
	KindSelectInto
	// KindUtility is every other statement: DDL, transactions, settings.
	KindUtility
)

var kindNames = [...]string{"unknown", "select", "insert", "update", "delete", "merge", "copy", "explain",
	"show", "call", "prepare", "execute", "declare", "fetch", "select_into", "utility"}

// String returns the kind's name as it stands in JSON, metrics and logs.
func (k Kind) String() string { return kindNames[k] }

// MarshalText returns the kind's name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// LimitForm says how a statement's own outermost limit is written.
type LimitForm uint8

const (
	// LimitNone is no limit at all, LIMIT ALL or LIMIT NULL.
	LimitNone LimitForm = iota
	// LimitLiteral is a number; Limit.Rows holds it.
	LimitLiteral
	// LimitParam is a parameter; Limit.Param holds its number.
	LimitParam
	// LimitOpaque is any other expression.
	LimitOpaque
)

// Limit is the outermost limit that a statement brings itself.
type Limit struct {
	// Form says which of the other fields mean anything.
	Form LimitForm
	// Rows is the number of a LimitLiteral.
	Rows uint64
	// Offset is the literal offset, 0 if there is none or it is no literal.
	Offset uint64
	// Param is the 1-based number of the parameter of a LimitParam.
	Param int
	// AtBind reports that the grammar allows no expression here, so that a
	// LimitParam can only be held down when its value is bound (MySQL).
	AtBind bool
	// WithTies reports FETCH FIRST … WITH TIES, which may return more rows
	// than its number.
	WithTies bool
	// Bits is the size of the integer that the parameter of a LimitParam is where
	// its type was left to the server, 0 if that is not known.
	Bits uint8
}

// Statement holds what a Dialect found out about one statement. It has facts
// only and never changes once made.
type Statement struct {
	// Text is the statement's own text, without the separating semicolon.
	Text string
	// Pos is the byte offset of Text in the script it was read from.
	Pos int
	// Kind is the statement's class.
	Kind Kind
	// ReturnsRows is false only if nothing in the statement sends rows to the
	// client. The database may still: a rule of PostgreSQL (CREATE RULE … DO ALSO
	// SELECT) adds rows to an INSERT, UPDATE or DELETE without RETURNING. Who runs
	// such a statement and sees rows come meters them by Rewriter.Guard, as the
	// doors do.
	ReturnsRows bool
	// Limit is the statement's own, of the form LimitNone if it has none.
	Limit Limit
	// Limitable reports that SetLimit may be asked to bound the statement.
	Limitable bool
	// Obstacle says in a few words why a statement that returns rows is not
	// Limitable.
	Obstacle string
	// Writes reports that running the statement changes data.
	Writes bool
	// Locks reports a locking read (FOR UPDATE, FOR SHARE, LOCK IN SHARE MODE).
	Locks bool
	// Volatile reports calls whose evaluation for one row more or less can be
	// observed afterwards (nextval, setval, advisory locks, lo_*, …).
	Volatile bool
	// Ordered reports an outermost ORDER BY.
	Ordered bool
	// AtMostOneRow reports that the statement cannot return a second row.
	AtMostOneRow bool
	// Grouped reports an outermost GROUP BY.
	Grouped bool
	// CatalogOnly reports that the statement reads system catalogues and
	// nothing else.
	CatalogOnly bool
	// Prepared is the name of the prepared statement that a PREPARE, EXECUTE,
	// EXPLAIN EXECUTE or CREATE TABLE AS EXECUTE names.
	Prepared string
	// Inner holds the facts about the statement that a PREPARE prepares.
	Inner *Statement
	// Shows is the name of the setting that a SHOW asks for.
	Shows string
	// Sets is the name of the setting that a SET or RESET changes.
	Sets string
	// Header reports that the first line of a COPY … TO STDOUT is no row.
	Header bool
	// Unsettles reports that running the statement may change the settings by which
	// the session's later texts are read; see Dialect.With.
	Unsettles bool
	// CutByServer reports a clause by which the server itself may return fewer
	// rows than the statement describes (MariaDB's LIMIT ROWS EXAMINED).
	CutByServer bool
	// ServerFault reports that Obstacle is a fault of the server: under any limit,
	// its own included, it may return other rows than the statement describes.
	ServerFault bool
}
