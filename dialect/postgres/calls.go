package postgres

import (
	"errors"
	"slices"
)

// called yields the names of the functions that may be called at n or anywhere
// below, without their schemas. A function of one argument can be written as a part
// of it, as in ('s'::regclass).nextval or, in r.nextval, of the one value of a function
// r in FROM (ParseFuncOrColumn in src/backend/parser/parse_func.c).
func (n node) called(yield func(string) bool) {
	var values map[string]bool // the functions in FROM, where a name behind a dot asked for them
	for m := range n.below {
		var names []string
		switch m.key() {
		case "FuncCall":
			names = last(m.get("funcname").strings())
		case "A_Indirection":
			names = m.get("indirection").strings()
		case "ColumnRef":
			fields := m.get("fields").strings()
			if len(fields) < 2 {
				continue
			}
			if values == nil {
				values = n.functionsInFrom()
			}
			if values[fields[len(fields)-2]] {
				names = last(fields)
			}
		}
		for _, name := range names {
			if name != "" && !yield(name) {
				return
			}
		}
	}
}

// last returns the last of names, alone.
func last(names []string) []string { return names[max(len(names)-1, 0):] }

// functionsInFrom returns the names by which the functions that stand in FROM are
// known.
func (n node) functionsInFrom() map[string]bool {
	found := map[string]bool{}
	for m := range n.below {
		if m.key() != "RangeFunction" {
			continue
		}
		names := []string{m.get("alias", "aliasname").str()}
		if names[0] == "" {
			names = last(m.get("functions").only().get("List", "items").only().get("FuncCall", "funcname").strings())
		}
		for _, name := range names {
			found[name] = true
		}
	}
	return found
}

// Functions returns the names of the functions that sql may call: without schemas,
// as the server has them (in lower case unless they were quoted), each once and in
// the order of the alphabet. Names behind a dot that can be a call are
// among them. A text that cannot be read as a whole is an error.
func (d Dialect) Functions(sql string) ([]string, error) {
	if _, ok := d.long(sql); ok {
		return nil, errors.New("the text is too long to look for the functions that it calls")
	}
	if err := checkText(sql); err != nil {
		return nil, err
	}
	if err := d.checkSettings(sql); err != nil {
		return nil, err
	}
	masked, err := d.mask(sql)
	if err != nil {
		return nil, err
	}
	t, err := read(masked)
	if err != nil {
		return nil, parseError(sql, err)
	}
	names := slices.Sorted(t.root().called)
	return slices.Compact(names), nil
}
