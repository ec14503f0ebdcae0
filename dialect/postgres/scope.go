package postgres

import "strconv"

// scope is what a place in a query sees.
type scope struct {
	// withs are the WITH queries; the last of a name is the nearest.
	withs []*item
	frame *frame
	// sets says that a call which returns a set makes several rows of one here.
	sets bool
}

func (s scope) with(name string) *item {
	for i := len(s.withs) - 1; i >= 0; i-- {
		if s.withs[i].name == name {
			return s.withs[i]
		}
	}
	return nil
}

// frame is the FROM of one query, as far as it has been read, and those around it.
type frame struct {
	items []item
	outer *frame
}

// item is what a name of FROM or WITH stands for.
type item struct {
	name string
	// schema is that of a relation that has no other name.
	schema string
	// bare says that it is a relation named without a schema.
	bare bool
	// columns has those that it has for certain.
	columns columns
}

// columns are names of columns, each with the columns of its value where that is a row
// for certain.
type columns map[string][]string

func (c columns) add(name string, fields []string) { c[name] = fields }

// renamed returns the columns under the names that an alias gives them. Which are left
// under their own names is not told.
func (c columns) renamed(names []string) columns {
	if len(names) == 0 {
		return c
	}
	changed := columns{}
	for _, name := range names {
		changed.add(name, nil)
	}
	return changed
}

func columnNumber(i int) string { return "column" + strconv.Itoa(i+1) }

// catalogColumns returns the columns of a catalogue, nil if it is not known.
func catalogColumns(name string) columns {
	known, ok := knownShapes().relations[name]
	if !ok {
		return nil
	}
	c := make(columns, len(known))
	for column := range known {
		c.add(column, nil)
	}
	return c
}

// find returns the item that a name before a dot stands for, nil if there is none.
func (f *frame) find(name string) *item {
	for ; f != nil; f = f.outer {
		for i := range f.items {
			if f.items[i].name == name {
				return &f.items[i]
			}
		}
	}
	return nil
}

// owner returns the nearest item that has a column for certain, nil if none has.
func (f *frame) owner(column string) *item {
	for ; f != nil; f = f.outer {
		for i := range f.items {
			if _, ok := f.items[i].columns[column]; ok {
				return &f.items[i]
			}
		}
	}
	return nil
}

// isColumn reports a name of several parts that stands for a column for certain. A
// function of one argument can be called by it as well (calls.go).
func (f *frame) isColumn(fields []string) bool {
	n := len(fields)
	if n < 2 || fields[n-1] == "" { // a star is the last
		return n <= 2
	}
	it := f.find(fields[n-2])
	if it == nil || n > 3 || n == 3 && it.schema != fields[0] {
		return false
	}
	_, ok := it.columns[fields[n-1]]
	return ok
}

// fields returns the columns of the row that an expression is, nil if they are not
// known.
func (f *frame) fields(n node) []string {
	switch n.key() {
	case "FuncCall":
		return functionOutputs(n.get("funcname").strings())
	case "ColumnRef":
		names := n.get("fields").strings()
		switch it := f.find(names[0]); {
		case len(names) == 2 && it != nil:
			return it.columns[names[1]]
		case len(names) > 1:
		case f.owner(names[0]) != nil:
			return f.owner(names[0]).columns[names[0]]
		case it != nil:
			var all []string
			for name := range it.columns {
				all = append(all, name)
			}
			return all
		}
	}
	return nil
}

// outputs returns the columns that a SELECT list makes, as far as they are told by
// FigureColname (src/backend/parser/parse_target.c) and known here.
func (f *frame) outputs(targets node) columns {
	out := columns{}
	for target := range targets.children {
		value := target.get("ResTarget", "val").only()
		if names := value.get("fields").strings(); value.key() == "ColumnRef" && names[len(names)-1] == "" {
			for _, it := range f.items {
				if len(names) == 1 || it.name == names[len(names)-2] {
					for name, fields := range it.columns {
						out.add(name, fields)
					}
				}
			}
			continue
		}
		name := target.get("ResTarget", "name").str()
		if name == "" {
			name = outputName(value)
		}
		if name != "" {
			out.add(name, f.fields(value))
		}
	}
	return out
}

// outputName is the name that an expression gets by itself, "" where it is not known.
func outputName(n node) string {
	names := []string{""}
	switch n.key() {
	case "ColumnRef":
		names = n.get("fields").strings()
	case "FuncCall":
		names = n.get("funcname").strings()
	case "TypeCast":
		return outputName(n.get("arg").only())
	}
	return names[len(names)-1]
}
