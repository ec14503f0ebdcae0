package lint

import (
	"maps"
	"slices"

	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// Schema is what is known of tables: which columns tell their rows apart. It is read
// from CREATE TABLE, ALTER TABLE and CREATE UNIQUE INDEX.
type Schema struct {
	tables map[string]*table
}

// table is what is known of the tables of one name.
type table struct {
	notNull map[string]bool
	numbers map[string]bool // the columns that hold numbers
	unique  [][]string
	// several reports that more than one table has the name, as in two schemas:
	// then nothing is known for certain.
	several bool
}

// Add reads the statements of a file. Those that cannot be read tell nothing.
func (s *Schema) Add(l *Linter, path string) error {
	f, err := source.Read(path)
	if err != nil {
		return err
	}
	script := &source.Script{End: len(f.Text)}
	r, err := l.rewriter(f, script)
	if err != nil {
		return err
	}
	d, ok := r.Dialect().(interface {
		rewrite.Tokenizer
		rewrite.Inspector
	})
	if !ok {
		return nil
	}
	if template := source.Cut(script, f.Text, d); template != "" {
		return nil
	}
	for _, st := range script.Statements {
		if st.Skip == "" {
			s.learn(d.Inspect(rewrite.ApplyEdits(f.Text[st.Start:st.End], st.Edits)).Schema)
		}
	}
	return nil
}

// learn notes what one statement says.
func (s *Schema) learn(facts []rewrite.Columns) {
	if s.tables == nil {
		s.tables = map[string]*table{}
	}
	for _, f := range facts {
		t := s.tables[f.Table]
		if len(f.Names) == 0 { // CREATE TABLE begins so
			if t != nil {
				t.several = true
				continue
			}
			t = &table{notNull: map[string]bool{}, numbers: map[string]bool{}}
			s.tables[f.Table] = t
		}
		if t == nil {
			continue // of a table whose columns are not known
		}
		for _, name := range f.Names {
			t.notNull[name] = t.notNull[name] || f.NotNull
			t.numbers[name] = t.numbers[name] || f.Number
		}
		if f.Unique {
			t.unique = append(t.unique, f.Names)
		}
	}
}

// Tables returns the names of the tables that are known, in order.
func (s *Schema) Tables() []string { return slices.Sorted(maps.Keys(s.tables)) }

// total reports whether columns tell the rows of a table apart. known is false where
// that cannot be told.
func (s *Schema) total(name string, columns []string) (total, known bool) {
	if s == nil {
		return false, false
	}
	t := s.tables[name]
	if t == nil || t.several {
		return false, false
	}
	for _, key := range t.unique {
		missing := func(c string) bool { return !slices.Contains(columns, c) || !t.notNull[c] }
		if !slices.ContainsFunc(key, missing) {
			return true, true
		}
	}
	return false, true
}

// one reports a query that finds one row of its table at most, as it holds all columns of
// a key to one value each.
func (s *Schema) one(h *rewrite.Pinned) bool {
	if s == nil || h == nil {
		return false
	}
	t := s.tables[h.Table]
	if t == nil || t.several {
		return false
	}
	free := func(c string) bool {
		return !slices.Contains(h.Columns, c) && !(slices.Contains(h.Numbers, c) && t.numbers[c])
	}
	return slices.ContainsFunc(t.unique, func(key []string) bool { return !slices.ContainsFunc(key, free) })
}

// keys returns the unique keys of a table without NULL.
func (s *Schema) keys(name string) (keys [][]string) {
	for _, key := range s.tables[name].unique {
		if !slices.ContainsFunc(key, func(c string) bool { return !s.tables[name].notNull[c] }) {
			keys = append(keys, key)
		}
	}
	return keys
}
