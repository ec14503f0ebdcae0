package query

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// maxViews bounds how deep views over views are looked into.
const maxViews = 10

// object is what a name of a text stands for on the server.
type object struct {
	schema, name string
	// definition is the query of a view or a materialized view, and view reports one.
	view       bool
	definition string
	columns    []catalogColumn
	// relatives are the tables that inherit from this one or that it inherits from, as
	// schema and name: rows of one are read through another.
	relatives [][2]string
}

// catalogColumn is a column as the catalogue has it.
type catalogColumn struct {
	name, kind string
	// from is the expression of a generated column.
	from string
}

// catalog looks things up for masking.
type catalog interface {
	// objects returns what the names stand for, nil for what is not there. The order is
	// that of the names.
	objects(ctx context.Context, tables []rewrite.TableRead) ([]*object, error)
	// routines returns those functions and operators of the given names that may read
	// tables, as schema and name.
	routines(ctx context.Context, called []string, names map[string]bool) ([][2]string, error)
	// null is what stands for a value of a column.
	null(c catalogColumn) string
	// keys returns the unique keys of a table whose columns are never NULL, each as the
	// names of its columns, and all columns that are never NULL.
	keys(ctx context.Context, table rewrite.TableRead) (keys [][]string, never []string, err error)
}

// look finds out what masking has to change in a text; nil if nothing. A text that may
// tell masked values in a way that cannot be followed is a *rewrite.RefusedError.
func (s *Source) look(ctx context.Context, session reader, d rewrite.Dialect, text string) (*substitution, error) {
	if len(s.columns) == 0 {
		return nil, nil
	}
	reads, found, err := s.find(ctx, session.catalog(), d, text, 0)
	if err != nil {
		return nil, err
	}
	return s.substitute(d, text, reads, found)
}

// unmasked reports why a statement that changes data is not run where columns are
// masked: it must not touch a table that has some.
func (s *Source) unmasked(ctx context.Context, session reader, d rewrite.Dialect, text string) error {
	if len(s.columns) == 0 {
		return nil
	}
	_, found, err := s.find(ctx, session.catalog(), d, text, 0)
	if err != nil {
		return err
	}
	for _, r := range found {
		if r != nil {
			return refusedMask("it touches the table %s, which has masked columns", r.name, "leave the table out of statements that change data")
		}
	}
	return nil
}

// find returns what a text reads, and which of its tables have masked columns.
func (s *Source) find(ctx context.Context, c catalog, d rewrite.Dialect, text string, depth int) (rewrite.Reads, tables, error) {
	reads, err := dialect.Reads(d, text)
	if err != nil {
		return reads, nil, &rewrite.RefusedError{
			Message: "the statement is refused because columns are masked here, and it cannot be told which it reads: " + err.Error(),
			Hint:    "simplify the statement",
		}
	}
	if err := s.checkRoutines(ctx, c, d, text, reads); err != nil {
		return reads, nil, err
	}
	objects, err := c.objects(ctx, reads.Tables)
	if err != nil {
		return reads, nil, err
	}
	found := make(tables, len(reads.Tables))
	for i, o := range objects {
		switch {
		case o == nil:
			// a WITH query, or nothing: the server says so
		case isSystem(d, o.schema):
			if !tellsNoRows(d, o.schema, o.name) && !s.exempt(o.schema, o.name) {
				return reads, nil, refusedMask("%s may tell values of masked columns, or what others run", o.schema+"."+o.name, "leave it out")
			}
		case o.view:
			if !s.exempt(o.schema, o.name) {
				if err := s.checkView(ctx, c, d, o, depth); err != nil {
					return reads, nil, err
				}
			}
			fallthrough // its own columns may be masked by their names
		default:
			found[i] = s.relation(c, d, o)
		}
	}
	return reads, found, nil
}

// relation returns the table or view with its masked columns, nil if it has none.
func (s *Source) relation(c catalog, d rewrite.Dialect, o *object) *relation {
	r := &relation{schema: o.schema, name: o.name}
	names := map[string]bool{}
	for _, column := range o.columns {
		masked := s.masks(o.schema, o.name, column.name)
		for _, other := range o.relatives {
			masked = masked || s.masks(other[0], other[1], column.name)
		}
		if masked {
			names[strings.ToLower(column.name)] = true
		}
	}
	if len(names) == 0 {
		return nil
	}
	for _, own := range o.columns {
		x := column{name: own.name}
		if names[strings.ToLower(own.name)] || own.from != "" && tellsOf(d, own.from, names) {
			x.null = c.null(own)
		}
		r.columns = append(r.columns, x)
	}
	return r
}

// tellsOf reports that the expression of a generated column names one of names.
func tellsOf(d rewrite.Dialect, expression string, names map[string]bool) bool {
	reads, err := dialect.Reads(d, "SELECT "+expression)
	if err != nil {
		return true
	}
	for name := range names {
		if reads.Names[name] {
			return true
		}
	}
	return false
}

// checkView refuses a view that reads a masked column, unless all it does is to show it
// under a name that is masked too.
func (s *Source) checkView(ctx context.Context, c catalog, d rewrite.Dialect, o *object, depth int) error {
	refused := refusedMask("the view %s reads masked columns, or it cannot be told what it reads", o.schema+"."+o.name, "read the tables themselves, or have the view exempted with --mask-exempt")
	if o.definition == "" || depth >= maxViews {
		return refused
	}
	reads, found, err := s.find(ctx, c, d, strings.TrimRight(strings.TrimSpace(o.definition), ";"), depth+1)
	var no *rewrite.RefusedError
	switch {
	case errors.As(err, &no):
		return refused
	case err != nil:
		return err
	}
	names := found.touched()
	if len(names) > 0 && reads.Implicit {
		return refused
	}
	for name := range names {
		if reads.Names[name] && (reads.Queries != 1 || reads.Used[name]) {
			return refused
		}
	}
	for i, item := range reads.Shown {
		if !names[item.Column] {
			continue
		}
		name := item.Name
		if name == "" {
			name = item.Column
		}
		if i >= len(o.columns) || !s.masks(o.schema, o.name, o.columns[i].name) || !s.masks(o.schema, o.name, name) {
			return refused
		}
	}
	return nil
}

// checkRoutines refuses functions that may read tables on their own.
func (s *Source) checkRoutines(ctx context.Context, c catalog, d rewrite.Dialect, text string, reads rewrite.Reads) error {
	called, err := dialect.Functions(d, text)
	if err != nil {
		return &rewrite.RefusedError{Message: "the statement is refused because it cannot be read: " + err.Error(), Hint: "simplify the statement"}
	}
	for _, name := range called {
		if runsText(d, name) {
			return refusedMask("the function %s runs SQL or tells of other statements, and columns are masked here", name, "leave the call out")
		}
	}
	found, err := c.routines(ctx, called, reads.Names)
	if err != nil {
		return err
	}
	for _, r := range found {
		if !s.exempt(r[0], r[1]) {
			return refusedMask("it cannot be told what %s reads, and columns are masked here", r[0]+"."+r[1], "leave the call out, or have it exempted with --mask-exempt")
		}
	}
	return nil
}

// asked runs a query of rowcap's own in the statement's transaction.
func asked(ctx context.Context, session reader, sql string, params ...Param) ([][]Value, error) {
	plan := rewrite.Plan{Statement: rewrite.Statement{Kind: rewrite.KindSelect, ReturnsRows: true}}
	result, err := session.read(ctx, nil, order{plan: plan, text: sql, sent: sql, params: params})
	if err != nil {
		return nil, fmt.Errorf("cannot look up which columns are masked: %w", err)
	}
	return result.Rows, nil
}
