package postgres

// A relation named without a schema may be a user's: a temporary table comes before the
// catalogue of its name. The answer tells by the columns that are plain columns of it,
// as the server names their table. So an expression of the outermost SELECT list
// may take values only of relations of which a plain column, or all, stand beside it.

// witnessed reports that about a SELECT whose FROM is f.
func witnessed(sel node, f *frame) bool {
	seen, all := map[string]bool{}, false
	for target := range sel.get("targetList").children {
		value := target.get("ResTarget", "val").only()
		names := value.get("fields").strings()
		switch {
		case value.key() != "ColumnRef":
		case len(names) == 1 && names[0] == "":
			all = true
		case len(names) > 1:
			seen[names[len(names)-2]] = true
		default:
			if it := f.owner(names[0]); it != nil {
				seen[it.name] = true
			}
		}
	}
	if all {
		return true
	}
	for target := range sel.get("targetList").children {
		value := target.get("ResTarget", "val").only()
		if value.key() == "ColumnRef" {
			continue
		}
		for m := range value.below {
			if m.key() == "ColumnRef" && !f.witnessed(m.get("fields").strings(), seen) {
				return false
			}
		}
	}
	return true
}

// witnessed reports that about a column in an expression.
func (f *frame) witnessed(names []string, seen map[string]bool) bool {
	it := f.owner(names[0])
	if len(names) > 1 {
		it = f.find(names[len(names)-2])
	}
	if it != nil {
		return !it.bare || seen[it.name]
	}
	for i := range f.items {
		if f.items[i].bare && !seen[f.items[i].name] {
			return false
		}
	}
	return true
}
