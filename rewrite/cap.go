package rewrite

import "fmt"

// Source says whose cap it is. The words are the same in every JSON document,
// metric and log line.
type Source uint8

const (
	// SourceNone is no cap.
	SourceNone Source = iota
	// SourceUserSQL is the statement's own limit.
	SourceUserSQL
	// SourceToolParam is a limit given with the request: a flag or a tool's argument.
	SourceToolParam
	// SourceDefault is the policy's default limit.
	SourceDefault
	// SourceCapped is the policy's maximum, where more was asked for or where
	// what was asked for is known only to the server.
	SourceCapped
	// SourceSession is the client's own setting for its session.
	SourceSession
)

var sourceNames = [...]string{"none", "user_sql", "tool_param", "default", "capped", "session"}

// String returns the source's name.
func (s Source) String() string { return sourceNames[s] }

// MarshalText returns the source's name.
func (s Source) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Cap is the number of rows that a statement may return at most.
type Cap struct {
	// Rows is the number, or NoLimit.
	Rows   uint64
	Source Source
	// Wanted is the larger number that was asked for where Source is
	// SourceCapped and the number is known, else 0.
	Wanted uint64
}

// Ask is what a request says about its rows beside the statement itself.
type Ask struct {
	// Limit is the number of rows asked for with a flag or a tool's argument, 0
	// if none was given.
	Limit uint64
	// Session is the client's own bound for its session, as MySQL's
	// sql_select_limit, nil if there is none. It acts only on statements
	// without a limit of their own.
	Session *uint64
	// Default is the client's own default for its session, in the place of the
	// policy's, 0 if there is none. The maximum bounds it.
	Default uint64
}

// Validate reports a limit that has no meaning.
func (a Ask) Validate() error {
	if a.Limit > maxPolicyLimit {
		return fmt.Errorf("limit %d is too large: ask for at most %d", a.Limit, maxPolicyLimit)
	}
	if a.Default > maxPolicyLimit {
		return fmt.Errorf("default limit %d is too large: ask for at most %d", a.Default, maxPolicyLimit)
	}
	return nil
}

func orNoLimit(n uint64) uint64 {
	if n == 0 {
		return NoLimit
	}
	return n
}

// resolve finds the cap of a statement whose own limit is l. The smallest of
// what is asked for wins, and the maximum bounds it.
func (p Policy) resolve(l Limit, ask Ask) Cap {
	most := orNoLimit(p.MaxLimit)
	var c Cap
	switch {
	case ask.Limit > most:
		c = Cap{Rows: most, Source: SourceCapped, Wanted: ask.Limit}
	case ask.Limit > 0:
		c = Cap{Rows: ask.Limit, Source: SourceToolParam}
	case ask.Default > most:
		c = Cap{Rows: most, Source: SourceCapped, Wanted: ask.Default}
	case ask.Default > 0:
		c = Cap{Rows: ask.Default, Source: SourceSession}
	case p.DefaultLimit > 0:
		c = Cap{Rows: p.DefaultLimit, Source: SourceDefault}
	case p.MaxLimit > 0:
		c = Cap{Rows: most, Source: SourceCapped}
	default:
		c = Cap{Rows: NoLimit}
	}
	switch l.Form {
	case LimitNone:
		if ask.Session != nil && *ask.Session <= c.Rows {
			c = Cap{Rows: *ask.Session, Source: SourceSession}
		}
	case LimitLiteral:
		switch {
		case p.Explicit == ExplicitTrust:
			c = Cap{Rows: l.Rows, Source: SourceUserSQL}
		case ask.Limit > 0 && c.Rows < l.Rows:
			// The request asked for fewer rows than the statement.
		case l.Rows <= most:
			c = Cap{Rows: l.Rows, Source: SourceUserSQL}
		default:
			c = Cap{Rows: most, Source: SourceCapped, Wanted: l.Rows}
		}
	default:
		switch {
		case p.Explicit == ExplicitTrust:
			c = Cap{Rows: NoLimit, Source: SourceUserSQL}
		case ask.Limit > 0:
			// What the statement asks for is not known yet; the request's own
			// number bounds it.
		case most == NoLimit:
			c = Cap{Rows: NoLimit, Source: SourceUserSQL}
		default:
			c = Cap{Rows: most, Source: SourceCapped}
		}
	}
	return c
}
