package rewrite

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// NoLimit is a row count that bounds nothing.
const NoLimit uint64 = math.MaxUint64

// maxPolicyLimit leaves room for the probe row in a signed 64-bit integer,
// which is the widest number that PostgreSQL takes in LIMIT.
const maxPolicyLimit uint64 = math.MaxInt64 - 1

// Explicit says what happens to a statement's own limit above the maximum.
type Explicit string

const (
	// ExplicitClamp lowers it to the maximum, with a warning.
	ExplicitClamp Explicit = "clamp"
	// ExplicitTrust leaves it as it is.
	ExplicitTrust Explicit = "trust"
)

// Unparsed says what happens to text that cannot be read.
type Unparsed string

const (
	// UnparsedGuard runs it and holds its rows to the cap as they come back.
	UnparsedGuard Unparsed = "guard"
	// UnparsedRefuse refuses it.
	UnparsedRefuse Unparsed = "refuse"
)

// CopyOut says what happens to COPY … TO STDOUT, and on MySQL to the answers to
// programs that write dumps.
type CopyOut string

const (
	// CopyRefuse refuses it: a dump that was cut is worse than none. On MySQL an answer
	// with more rows than its cap ends with an error.
	CopyRefuse CopyOut = "refuse"
	// CopyCap delivers its rows up to the cap.
	CopyCap CopyOut = "cap"
	// CopyPass lets it through uncapped.
	CopyPass CopyOut = "pass"
)

// Catalogs says what happens to statements over system catalogues only.
type Catalogs string

const (
	// CatalogsExempt lets them through uncapped, so that a client's own
	// listing of objects loses none.
	CatalogsExempt Catalogs = "exempt"
	// CatalogsCap caps them like any other statement.
	CatalogsCap Catalogs = "cap"
)

// Overflow says how an answer ends that has more rows than its cap.
type Overflow string

const (
	// OverflowTruncate ends it as a whole one would, and says that rows are missing.
	OverflowTruncate Overflow = "truncate"
	// OverflowError ends it with an error that has the same facts. Answers to
	// statements that write, and pages of a cursor, are truncated all the same.
	OverflowError Overflow = "error"
)

// Replication says what happens to PostgreSQL's replication connections and to
// MySQL's replication commands.
type Replication string

const (
	// ReplicationRefuse refuses them.
	ReplicationRefuse Replication = "refuse"
	// ReplicationPass lets them through as they are.
	ReplicationPass Replication = "pass"
)

// Policy is what an operator decided about row caps. Every knob is declared
// here and nowhere else: the tags give its flag, environment variable, default
// and help, which says what the knob does. Limits are numbers of rows, and 0 is no
// limit. The zero Policy is not valid; begin with DefaultPolicy.
type Policy struct {
	DefaultLimit uint64      `name:"default-limit" env:"ROWCAP_DEFAULT_LIMIT" default:"100" placeholder:"N" help:"Rows at most where the statement has no limit of its own; 0 for no limit."`
	MaxLimit     uint64      `name:"max-limit" env:"ROWCAP_MAX_LIMIT" default:"1000" placeholder:"N" help:"Rows at most that a statement or a request may ask for; 0 for no limit."`
	Explicit     Explicit    `name:"explicit" env:"ROWCAP_EXPLICIT" default:"clamp" enum:"clamp,trust" help:"What becomes of a statement's own limit above the maximum: ${enum}."`
	Unparsed     Unparsed    `name:"unparsed" env:"ROWCAP_UNPARSED" default:"guard" enum:"guard,refuse" help:"What becomes of text that cannot be read: ${enum}. A guarded statement runs, and its rows are counted as they come back."`
	CopyOut      CopyOut     `name:"copy-out" env:"ROWCAP_COPY_OUT" default:"refuse" enum:"refuse,cap,pass" help:"What becomes of COPY … TO STDOUT, and on MySQL of answers to programs that write dumps (as mysqldump): ${enum}."`
	Overflow     Overflow    `name:"overflow" env:"ROWCAP_OVERFLOW" default:"truncate" enum:"truncate,error" help:"How an answer ends that has more rows than its cap: ${enum}. A statement that writes is never answered with this error."`
	Catalogs     Catalogs    `name:"catalogs" env:"ROWCAP_CATALOGS" default:"exempt" enum:"exempt,cap" help:"What becomes of statements over system catalogues only: ${enum}."`
	Replication  Replication `name:"replication" env:"ROWCAP_REPLICATION" default:"refuse" enum:"refuse,pass" help:"What becomes of replication (PostgreSQL's connections for it, MySQL's commands), by which backups and replicas are made and whose rows cannot be capped: ${enum}."`
	PushDown     bool        `name:"push-down" env:"ROWCAP_PUSH_DOWN" default:"true" negatable:"" help:"Write the cap into the statement. Without it every statement is only guarded, as a LIMIT can change the server's plan."`
	Observe      bool        `name:"observe" env:"ROWCAP_OBSERVE" default:"false" negatable:"" help:"Change nothing, refuse nothing, and report in metrics and the log what would have been."`
}

// DefaultPolicy returns the policy that the defaults in the tags describe.
func DefaultPolicy() Policy {
	return Policy{DefaultLimit: 100, MaxLimit: 1000, Explicit: ExplicitClamp, Unparsed: UnparsedGuard,
		CopyOut: CopyRefuse, Overflow: OverflowTruncate, Catalogs: CatalogsExempt, Replication: ReplicationRefuse, PushDown: true}
}

// Validate reports the first knob that has no meaning.
func (p Policy) Validate() error {
	switch {
	case p.DefaultLimit > maxPolicyLimit:
		return fmt.Errorf("default-limit %d is too large: use 0 for no limit, or at most %d", p.DefaultLimit, maxPolicyLimit)
	case p.MaxLimit > maxPolicyLimit:
		return fmt.Errorf("max-limit %d is too large: use 0 for no limit, or at most %d", p.MaxLimit, maxPolicyLimit)
	case p.MaxLimit != 0 && p.DefaultLimit > p.MaxLimit:
		return fmt.Errorf("default-limit %d is above max-limit %d: lower the first or raise the second", p.DefaultLimit, p.MaxLimit)
	}
	for _, knob := range []struct {
		name, value string
		allowed     []string
	}{
		{"explicit", string(p.Explicit), []string{"clamp", "trust"}},
		{"unparsed", string(p.Unparsed), []string{"guard", "refuse"}},
		{"copy-out", string(p.CopyOut), []string{"refuse", "cap", "pass"}},
		{"overflow", string(p.Overflow), []string{"truncate", "error"}},
		{"catalogs", string(p.Catalogs), []string{"exempt", "cap"}},
		{"replication", string(p.Replication), []string{"refuse", "pass"}},
	} {
		if !slices.Contains(knob.allowed, knob.value) {
			last := len(knob.allowed) - 1
			return fmt.Errorf("%s %q is not known: use %s or %s", knob.name, knob.value, strings.Join(knob.allowed[:last], ", "), knob.allowed[last])
		}
	}
	return nil
}
