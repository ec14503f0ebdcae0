package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// Masking. The values of a masked column never leave the server: where a statement
// reads a table with such columns, a query over the table stands in the table's place
// in which these columns are NULL. So neither aliases nor expressions, conditions,
// whole rows, stars, joins, set operations, errors or notices can tell them. That the
// new text reads nothing else is proved by reading it again. Views and functions hide
// what they read, so what they read is looked up; where it is masked or cannot be told
// the statement is refused.

// substitution is what masking changed in a text.
type substitution struct {
	text  string // the caller's
	own   string // the statement in it
	edits []rewrite.Edit
	// masked are the columns that read as NULL, as schema.table.column.
	masked []string
	// names are the names of these columns, in lower case.
	names map[string]bool
	shown []rewrite.ShownItem
}

// relation is a table with masked columns.
type relation struct {
	schema, name string
	columns      []column
}

// column is one column of a relation.
type column struct {
	name string
	// null is what stands for the value of a masked column; "" if it is not masked.
	null string
}

// masked returns the names of the masked columns in lower case.
func (r *relation) masked() []string {
	var all []string
	for _, c := range r.columns {
		if c.null != "" {
			all = append(all, strings.ToLower(c.name))
		}
	}
	return all
}

// tables says for the tables of a text which have masked columns; nil for the others.
type tables []*relation

// touched returns the names of all masked columns of tables.
func (t tables) touched() map[string]bool {
	names := map[string]bool{}
	for _, r := range t {
		if r != nil {
			for _, name := range r.masked() {
				names[name] = true
			}
		}
	}
	return names
}

// substitute returns text with the masked columns read as NULL. It returns nil where
// the text cannot read any.
func (s *Source) substitute(d rewrite.Dialect, text string, reads rewrite.Reads, found tables) (*substitution, error) {
	names := found.touched()
	named := reads.Implicit
	for name := range names {
		named = named || reads.Names[name]
	}
	if len(names) == 0 || !named {
		return nil, nil
	}
	if s.Mask.Use != MaskNull {
		for _, name := range slices.Sorted(maps(names)) {
			if reads.Used[name] {
				return nil, &rewrite.RefusedError{
					Message: fmt.Sprintf("the statement is refused because it uses the column %s, which is masked, for more than showing it", name),
					Hint:    "leave the column out of conditions, orders, groups and expressions",
				}
			}
		}
	}
	c := &substitution{text: text, names: names, shown: reads.Shown}
	for i, t := range reads.Tables {
		r := found[i]
		if r == nil {
			continue
		}
		switch {
		case slices.Contains(reads.With, t.Name):
			return nil, refusedMask("a WITH query has the name of the table %s, which has masked columns", t.Name, "give the WITH query another name")
		case !t.Plain:
			return nil, refusedMask("it reads the table %s, which has masked columns, in a way in which they cannot be masked", t.Name, "name the table in FROM without further clauses")
		}
		c.edits = append(c.edits, rewrite.Edit{Start: t.Start, End: t.End, Text: inPlace(d, r, text[t.Start:t.End], t)})
		for _, column := range r.columns {
			if column.null != "" {
				c.masked = append(c.masked, r.schema+"."+r.name+"."+column.name)
			}
		}
	}
	slices.SortFunc(c.edits, func(a, b rewrite.Edit) int { return a.Start - b.Start })
	slices.Sort(c.masked)
	c.masked = slices.Compact(c.masked)
	return c, proveMasked(d, text, c, reads, found)
}

// inPlace is the query that stands for a table.
func inPlace(d rewrite.Dialect, r *relation, name string, t rewrite.TableRead) string {
	items := make([]string, len(r.columns))
	for i, c := range r.columns {
		items[i] = quoteName(d, c.name)
		if c.null != "" {
			items[i] = c.null + " AS " + items[i]
		}
	}
	text := "(SELECT " + strings.Join(items, ", ") + " FROM " + name + ")"
	if t.Alias == "" {
		text += " AS " + quoteName(d, t.Name)
	}
	return text
}

func quoteName(d rewrite.Dialect, name string) string {
	quote := "`"
	if d.Name() == "postgres" {
		quote = `"`
	}
	return quote + strings.ReplaceAll(name, quote, quote+quote) + quote
}

// proveMasked reads the new text and checks that it names the same tables, those with
// masked columns nowhere but inside of what was put there.
func proveMasked(d rewrite.Dialect, text string, c *substitution, reads rewrite.Reads, found tables) error {
	failed := &rewrite.RefusedError{Message: "the statement is refused because its masked columns cannot be masked where they stand", Hint: "simplify the FROM clause"}
	changed := rewrite.ApplyEdits(text, c.edits)
	before, err := d.Parse(text)
	if err != nil || len(before) != 1 {
		return failed
	}
	after, err := d.Parse(changed)
	if err != nil || len(after) != 1 || after[0].Kind != before[0].Kind || after[0].Writes != before[0].Writes || after[0].Volatile != before[0].Volatile {
		return failed
	}
	again, err := dialect.Reads(d, changed)
	if err != nil || len(again.Tables) != len(reads.Tables) || !slices.Equal(again.With, reads.With) {
		return failed
	}
	places := map[int]bool{} // where the masked tables are to stand
	shift := 0
	for _, e := range c.edits {
		inside := strings.LastIndex(e.Text, " FROM "+text[e.Start:e.End]+")")
		places[e.Start+shift+inside+len(" FROM ")] = true
		shift += len(e.Text) - (e.End - e.Start)
	}
	masked := map[string]bool{}
	for i, t := range reads.Tables {
		if found[i] != nil {
			masked[strings.ToLower(t.Name)] = true
		}
	}
	standing := 0
	for _, t := range again.Tables {
		switch {
		case places[t.Start]:
			standing++
		case masked[strings.ToLower(t.Name)] && !sameElsewhere(reads, found, t):
			return failed
		}
	}
	if standing != len(c.edits) {
		return failed
	}
	return nil
}

// sameElsewhere reports that a table of a masked table's name is another one.
func sameElsewhere(reads rewrite.Reads, found tables, t rewrite.TableRead) bool {
	for i, other := range reads.Tables {
		if other.Name == t.Name && other.Schema == t.Schema {
			return found[i] == nil
		}
	}
	return false
}

func refusedMask(format, name, hint string) *rewrite.RefusedError {
	return &rewrite.RefusedError{Message: "the statement is refused: " + fmt.Sprintf(format, name), Hint: hint}
}

// maps yields the keys of a set.
func maps(set map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range set {
			if !yield(name) {
				return
			}
		}
	}
}
