package mcp

import (
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// Source is one database of a server.
type Source struct {
	// Name is what calls give as source; it may be empty where there is one source.
	Name string
	// Description is told to clients.
	Description string
	// Database is read from. Its policy has the default and the maximum limit.
	Database *query.Source
	// Identity tells the source from others in cursors, also to servers that resume
	// this one's.
	Identity string
}

func (c Config) checkSources() error {
	if len(c.Sources) == 0 {
		return errors.New("there is no source")
	}
	seen := map[string]bool{}
	for _, s := range c.Sources {
		switch {
		case s.Database == nil:
			return fmt.Errorf("the source %q has no database", s.Name)
		case s.Name == "" && len(c.Sources) > 1, seen[s.Name]:
			return fmt.Errorf("the name %q is not that of one source alone", s.Name)
		}
		seen[s.Name] = true
	}
	for _, q := range c.Saved {
		if !seen[q.Source] {
			return fmt.Errorf("the saved query %q is for the source %q, which is not there", q.Name, q.Source)
		}
	}
	return nil
}

// source returns the source with a name; the first one for none, which sourceArgument
// lets through only where there is one.
func (c Config) source(name string) Source {
	for _, s := range c.Sources {
		if s.Name == name {
			return s
		}
	}
	return c.Sources[0]
}

// sourceArgument is the argument by which calls say which database they are for. There
// is none where the only database has no name.
func (c Config) sourceArgument() (a argument, ok bool) {
	if c.Sources[0].Name == "" {
		return argument{}, false
	}
	a = argument{name: "source", kind: "string", required: len(c.Sources) > 1}
	var said []string
	for _, s := range c.Sources {
		a.enum = append(a.enum, s.Name)
		if s.Description != "" {
			said = append(said, s.Name+": "+s.Description)
		}
	}
	a.help = "The database, one of " + strings.Join(a.enum, ", ") + "."
	if len(said) > 0 {
		a.help += " " + strings.Join(said, "; ") + "."
	}
	return a, true
}

// limits says the configured numbers in one sentence, or one for each source.
func (c Config) limits() string {
	first := limitsOf(c.Sources[0].Database.Policy)
	alike := true
	var each []string
	for _, s := range c.Sources {
		own := limitsOf(s.Database.Policy)
		alike = alike && own == first
		each = append(each, "On "+s.Name+": "+own)
	}
	if alike {
		return first
	}
	return strings.Join(each, " ")
}

func limitsOf(p rewrite.Policy) string {
	def, most := "Without a limit every row is returned", "there is no maximum"
	if p.DefaultLimit > 0 {
		def = fmt.Sprintf("Without a limit at most %d rows are returned", p.DefaultLimit)
	}
	if p.MaxLimit > 0 {
		most = fmt.Sprintf("a limit, and the statement's own LIMIT, may be up to %d", p.MaxLimit)
		if p.Explicit == rewrite.ExplicitTrust {
			most = fmt.Sprintf("a limit may be up to %d, and the statement's own LIMIT is taken as it is", p.MaxLimit)
		}
	}
	return def + "; " + most + "."
}

// limitArgument is the argument for a number of rows.
func (c Config) limitArgument() argument {
	a := argument{name: "limit", kind: "integer", min: 1, max: MaxLimit, help: "Rows at most."}
	p := c.Sources[0].Database.Policy
	for _, s := range c.Sources {
		if s.Database.Policy.DefaultLimit != p.DefaultLimit || s.Database.Policy.MaxLimit != p.MaxLimit {
			a.help += " The default and the maximum are those of the source."
			return a
		}
	}
	if p.DefaultLimit > 0 {
		a.help += fmt.Sprintf(" Default %d.", p.DefaultLimit)
	}
	if p.MaxLimit > 0 {
		a.help += fmt.Sprintf(" More than %d is lowered to %d, with a warning.", p.MaxLimit, p.MaxLimit)
	}
	return a
}

// userHeader carries the name of an authenticated user from the checks of a request
// to the call. What clients send under this name is dropped.
const userHeader = "Rowcap-User"

// userOf returns who calls, "" where users are not told apart.
func userOf(extra *sdk.RequestExtra) string {
	if extra == nil || extra.Header == nil {
		return ""
	}
	return extra.Header.Get(userHeader)
}
