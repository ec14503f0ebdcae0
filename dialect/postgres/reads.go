package postgres

import (
	"errors"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Reader = Dialect{}

// Reads looks at the text of one statement; see rewrite.Reader.
func (d Dialect) Reads(text string) (rewrite.Reads, error) {
	if _, ok := d.long(text); ok {
		return rewrite.Reads{}, errors.New("the text is too long to find out what it reads")
	}
	if err := checkText(text); err != nil {
		return rewrite.Reads{}, err
	}
	if err := d.checkSettings(text); err != nil {
		return rewrite.Reads{}, err
	}
	masked, err := d.mask(text)
	if err != nil {
		return rewrite.Reads{}, err
	}
	t, tokens, err := readBoth(masked)
	if err != nil {
		return rewrite.Reads{}, parseError(text, err)
	}
	stmt, ok := single(t)
	if !ok {
		return rewrite.Reads{}, errors.New("the text is not one statement")
	}
	f := readFinder{w: newWords(masked, tokens), Reads: rewrite.Reads{Names: map[string]bool{}, Used: map[string]bool{}}}
	for m := range t.root().below {
		f.look(m)
	}
	if f.err != nil {
		return rewrite.Reads{}, f.err
	}
	f.use(t.root(), false)
	f.wholeRows(t.root())
	if stmt.key() == "SelectStmt" {
		f.shown(stmt)
		f.rows(stmt)
	}
	return f.Reads, nil
}

// readFinder collects what a tree reads.
type readFinder struct {
	rewrite.Reads
	w   words
	err error
}

// look notes what one cell of the tree says by itself.
func (f *readFinder) look(m node) {
	if m.t.cells[m.i].kind == '"' {
		f.Names[strings.ToLower(m.str())] = true
	}
	switch m.key() {
	case "relname":
		// noted with the node that it is a member of
	case "CommonTableExpr":
		f.With = append(f.With, m.get("ctename").str())
	case "A_Star":
		f.Implicit = true
	case "SelectStmt", "larg", "rarg":
		f.Queries++
	case "JoinExpr":
		f.Implicit = f.Implicit || m.is("isNatural") || m.get("alias", "colnames").there()
	}
	if m.get("relname").there() && m.t.cells[m.i].kind == '{' {
		f.table(m)
	}
}

// table notes a RangeVar.
func (f *readFinder) table(m node) {
	r := rewrite.TableRead{Schema: m.get("schemaname").str(), Name: m.get("relname").str(), Alias: m.get("alias", "aliasname").str()}
	f.Implicit = f.Implicit || m.get("alias", "colnames").there()
	r.Plain = m.is("inh")
	from := f.w.at(int(m.get("location").int()))
	to := from
	for _, qualifier := range []string{"catalogname", "schemaname"} {
		if m.get(qualifier).there() {
			if !f.w.is(to+1, ".") {
				f.err = errors.New("the place of a table's name cannot be told")
				return
			}
			to += 2
		}
	}
	if from < 0 || to >= len(f.w.tokens) || f.w.is(to+1, ".") {
		f.err = errors.New("the place of a table's name cannot be told")
		return
	}
	r.Start, r.End = int(f.w.tokens[from].start), int(f.w.tokens[to].end)
	f.Tables = append(f.Tables, r)
}

// use notes the columns at n and below that are more than an item of a SELECT list;
// item reports that n is one.
func (f *readFinder) use(n node, item bool) {
	switch key := n.key(); key {
	case "ColumnRef":
		if !item {
			f.used(last(n.get("fields").strings()))
		}
		return
	case "A_Indirection":
		f.used(n.get("indirection").strings())
	case "usingClause":
		f.used(n.strings())
	case "targetList":
		for target := range n.children {
			f.use(target.get("ResTarget", "val").only(), true)
			f.use(target.get("ResTarget", "indirection"), false)
		}
		return
	}
	for m := range n.children {
		f.use(m, false)
	}
}

func (f *readFinder) used(names []string) {
	for _, name := range names {
		f.Used[strings.ToLower(name)] = true
	}
}

// wholeRows notes names that may stand for a whole row of a table.
func (f *readFinder) wholeRows(root node) {
	rows := map[string]bool{}
	for _, t := range f.Tables {
		rows[t.Name] = true
		if t.Alias != "" {
			rows[t.Alias] = true
		}
	}
	for m := range root.below {
		if m.key() == "ColumnRef" {
			for _, name := range last(m.get("fields").strings()) {
				f.Implicit = f.Implicit || rows[name]
			}
		}
	}
}

// shown notes the items of the outermost SELECT list, which in a set operation is the
// first one.
func (f *readFinder) shown(sel node) {
	for sel.get("larg").there() {
		sel = sel.get("larg")
	}
	f.Shown = []rewrite.ShownItem{}
	for target := range sel.get("targetList").children {
		item := rewrite.ShownItem{Name: target.get("ResTarget", "name").str()}
		if ref := target.get("ResTarget", "val", "ColumnRef"); ref.there() {
			item.Star = ref.has("A_Star")
			if !item.Star {
				for _, name := range last(ref.get("fields").strings()) {
					item.Column = strings.ToLower(name)
				}
			}
		}
		f.Shown = append(f.Shown, item)
	}
}
