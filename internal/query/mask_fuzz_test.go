package query

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// modelTables are the tables of the model's database, with their columns in order. Those
// that bothMasks masks are in upper case.
var modelTables = map[string][]string{
	"users": {"id", "name", "PASSWORD", "PIN"}, "orders": {"id", "user_id", "note"}, "tokens": {"id", "PASSWORD"},
}

func isMasked(column string) bool { return column != strings.ToLower(column) }

// modelCatalog is a catalogue of the model's tables, without views and functions.
type modelCatalog struct{ nothing string }

func (modelCatalog) objects(_ context.Context, names []rewrite.TableRead) ([]*object, error) {
	all := make([]*object, len(names))
	for i, n := range names {
		columns := modelTables[strings.ToLower(n.Name)]
		if columns == nil || n.Schema != "" && n.Schema != "shop" {
			continue
		}
		all[i] = &object{schema: "shop", name: strings.ToLower(n.Name)}
		for _, c := range columns {
			all[i].columns = append(all[i].columns, catalogColumn{name: strings.ToLower(c)})
		}
	}
	return all, nil
}

func (modelCatalog) routines(context.Context, []string, map[string]bool) ([][2]string, error) {
	return nil, nil
}

func (m modelCatalog) null(catalogColumn) string { return m.nothing }

func (modelCatalog) keys(context.Context, rewrite.TableRead) ([][]string, []string, error) {
	return nil, nil, nil
}

// flow is what a parser's whole tree says of how a text gets at masked tables.
type flow struct {
	// open are the masked tables that are read other than by a query of nothing but
	// their columns, NULL in the places of those that are masked.
	open []string
	// names are all columns that are named, in lower case, and stars reports a star or
	// another way to name columns without their names.
	names map[string]bool
	stars bool
	// called are the names by which open tables are read, and alone the names that stand
	// without a table's: of these, one of those is a whole row (PostgreSQL).
	called []string
	alone  map[string]bool
}

// maskFuzz is a grammar with a parser for the model. flowOf reports false for a text that
// the parser does not read.
type maskFuzz struct {
	dialect, nothing string
	seeds            []string
	flowOf           func(t *testing.T, text string) (flow, bool)
}

// fuzz has any text read masked tables. It is refused; or it is sent with a query in the
// place of every masked table that shows NULL for each masked column and does nothing else;
// or it names none of their masked columns, neither by name nor by a star. Then no masked value
// can reach the answer, whatever the rest of the text does: the parser's own tree says so,
// and not what the masking itself reads from it.
func (m maskFuzz) fuzz(f *testing.F) {
	for i, sql := range slices.Concat(attacks, m.seeds) {
		f.Add(sql, i%2 == 0)
	}
	for _, sql := range []string{"SELECT id, password FROM users", "SELECT * FROM users u JOIN tokens t ON t.id = u.id", "SELECT count(*) FROM users", "SELECT o.* FROM orders o, users",
		"SELECT name FROM shop.users", "SELECT * FROM other.users", "(SELECT id FROM users) UNION (SELECT pin FROM users LIMIT 1)"} {
		f.Add(sql, true)
	}
	d, err := dialect.Lookup(m.dialect)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, null bool) {
		if len(text) > 4<<10 {
			return
		}
		statements, err := d.Parse(text)
		if err != nil || len(statements) != 1 || onlyReads(d, statements[0]) != nil || statements[0].Kind == rewrite.KindShow {
			return // refused before
		}
		mask := bothMasks
		if mask.Use = MaskRefuse; null {
			mask.Use = MaskNull
		}
		s := &Source{Options: Options{Mask: mask}, columns: mask.patterns()}
		sent := statements[0].Text
		reads, found, err := s.find(t.Context(), modelCatalog{m.nothing}, d, sent, 0)
		var c *substitution
		if err == nil {
			c, err = s.substitute(d, sent, reads, found)
		}
		if refused := (*rewrite.RefusedError)(nil); errors.As(err, &refused) {
			return
		} else if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if c != nil {
			sent = rewrite.ApplyEdits(sent, c.edits)
		}
		flow, ok := m.flowOf(t, sent)
		if !ok || len(flow.open) == 0 {
			return
		}
		if c != nil {
			t.Fatalf("%q is sent as %q, which reads %q", text, sent, flow.open)
		}
		for _, table := range flow.open {
			for _, column := range modelTables[table] {
				if isMasked(column) && (flow.stars || flow.names[strings.ToLower(column)]) {
					t.Fatalf("%q is sent as it is, and reads %s of %s", text, column, table)
				}
			}
		}
	})
}
