package mysql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Reader = dialect{}

// maxProbes bounds how many words of a statement are tried for the name of a table.
const maxProbes = 200

// Reads looks at the text of one statement; see rewrite.Reader. It goes by TiDB's parser
// alone: what only another one can read is an error.
func (d dialect) Reads(text string) (reads rewrite.Reads, err error) {
	defer func() {
		if p := recover(); p != nil {
			reads, err = rewrite.Reads{}, fmt.Errorf("what the statement reads cannot be told: %v", p)
		}
	}()
	if _, ok := d.long(text); ok {
		return rewrite.Reads{}, errors.New("the text is too long to find out what it reads")
	}
	if obstacle := d.settings.obstacle(text); obstacle != "" {
		return rewrite.Reads{}, errors.New(obstacle)
	}
	s, reason := one(text, &d.settings)
	if s == nil {
		return rewrite.Reads{}, errors.New(reason)
	}
	node, err := parseTiDB(s.read(nil, false), s.settings)
	if err != nil {
		return rewrite.Reads{}, fmt.Errorf("what the statement reads cannot be told: %w", err)
	}
	f := &readFinder{Reads: rewrite.Reads{Names: map[string]bool{}, Used: map[string]bool{}}}
	node.Accept(f)
	if f.err != nil {
		return rewrite.Reads{}, f.err
	}
	for i, t := range s.tokens {
		if name, ok := s.nameAt(i); ok {
			f.Names[strings.ToLower(name)] = true
			// The servers fold some letters to others that Go does not.
			f.Implicit = f.Implicit || t.kind != tokenString && strings.IndexFunc(name, func(c rune) bool { return c >= utf8.RuneSelf }) >= 0
		}
	}
	if err := f.place(s); err != nil {
		return rewrite.Reads{}, err
	}
	f.shown(node)
	return f.Reads, nil
}

// nameAt returns the name or word that token i is, without its quotes.
func (s *source) nameAt(i int) (string, bool) {
	t := s.tokens[i]
	text := s.text[t.start:t.end]
	switch t.kind {
	case tokenWord:
		return text, true
	case tokenName, tokenString:
		if n := len(text); n >= 2 && (text[0] == '`' || text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
			return strings.ReplaceAll(text[1:n-1], text[:1]+text[:1], text[:1]), true
		}
		return text, true
	}
	return "", false
}

// readFinder collects what a tree reads. The tables get their places later.
type readFinder struct {
	rewrite.Reads
	err    error
	items  map[ast.ExprNode]bool // items of SELECT lists
	alias  map[*ast.TableName]string
	inFrom map[*ast.TableName]bool
}

// Enter looks at one node.
func (f *readFinder) Enter(n ast.Node) (ast.Node, bool) {
	switch n := n.(type) {
	case *ast.ShowStmt:
		f.show(n)
		return n, true
	case *ast.TableSource:
		if t, ok := n.Source.(*ast.TableName); ok {
			if f.alias == nil {
				f.alias, f.inFrom = map[*ast.TableName]string{}, map[*ast.TableName]bool{}
			}
			f.alias[t], f.inFrom[t] = n.AsName.O, true
		}
	case *ast.TableName:
		f.Tables = append(f.Tables, rewrite.TableRead{Schema: n.Schema.O, Name: n.Name.O, Alias: f.alias[n],
			Plain: f.inFrom[n] && len(n.IndexHints) == 0 && len(n.PartitionNames) == 0 && n.TableSample == nil && n.AsOf == nil})
	case *ast.CommonTableExpression:
		f.With = append(f.With, n.Name.O)
	case *ast.SelectStmt:
		f.Queries++
		f.Implicit = f.Implicit || n.Kind == ast.SelectStmtKindTable
	case *ast.Join:
		f.Implicit = f.Implicit || n.NaturalJoin
		for _, c := range n.Using {
			f.Used[c.Name.L] = true
		}
	case *ast.SelectField:
		f.Implicit = f.Implicit || n.WildCard != nil
		if c, ok := n.Expr.(*ast.ColumnNameExpr); ok {
			if f.items == nil {
				f.items = map[ast.ExprNode]bool{}
			}
			f.items[c] = true
		}
	case *ast.ColumnNameExpr:
		if !f.items[n] {
			f.Used[n.Name.Name.L] = true
		}
	}
	return n, f.err != nil
}

// Leave goes on.
func (f *readFinder) Leave(n ast.Node) (ast.Node, bool) { return n, f.err == nil }

// shows are the SHOW statements that tell of objects and settings, not of rows or of
// what others run.
var shows = []ast.ShowStmtType{ast.ShowEngines, ast.ShowDatabases, ast.ShowTables, ast.ShowTableStatus, ast.ShowColumns, ast.ShowWarnings, ast.ShowErrors,
	ast.ShowCharset, ast.ShowCollation, ast.ShowVariables, ast.ShowStatus, ast.ShowCreateTable, ast.ShowCreateView, ast.ShowCreateDatabase, ast.ShowCreateProcedure,
	ast.ShowTriggers, ast.ShowProcedureStatus, ast.ShowFunctionStatus, ast.ShowIndex, ast.ShowEvents, ast.ShowPlugins, ast.ShowPrivileges, ast.ShowGrants}

// show looks at a SHOW, whose table is described and not read.
func (f *readFinder) show(n *ast.ShowStmt) {
	if !slices.Contains(shows, n.Tp) {
		f.err = errors.New("SHOW may tell of what others run")
		return
	}
	if n.Where != nil {
		n.Where.Accept(f)
	}
	if n.Pattern != nil {
		n.Pattern.Accept(f)
	}
}

// place finds where the tables' names stand. The parser does not say; so every word
// that could be one is replaced by a name of its own, and the parser says which of
// these are tables.
func (f *readFinder) place(s *source) error {
	if len(f.Tables) == 0 {
		return nil
	}
	wanted := map[string]bool{}
	for _, t := range f.Tables {
		wanted[strings.ToLower(t.Name)] = true
	}
	var candidates []int
	for i, t := range s.tokens {
		if name, ok := s.nameAt(i); ok && t.kind != tokenString && wanted[strings.ToLower(name)] {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) > maxProbes {
		return errors.New("the statement names its tables too often to find out what it reads")
	}
	names, ok := s.probe(candidates)
	if !ok { // some are words of the grammar
		var sound []int
		for _, i := range candidates {
			if _, ok := s.probe([]int{i}); ok {
				sound = append(sound, i)
			}
		}
		if names, ok = s.probe(sound); !ok {
			return errPlace
		}
	}
	if len(names) != len(f.Tables) {
		return errPlace
	}
	found := map[int]bool{}
	for k, i := range names {
		t := &f.Tables[k]
		if i < 0 || found[i] {
			return errPlace
		}
		found[i] = true
		from := i
		if t.Schema != "" {
			schema, ok := s.nameAt(max(i-2, 0))
			if i < 2 || !ok || !s.isOp(i-1, '.') || !strings.EqualFold(schema, t.Schema) {
				return errPlace
			}
			from = i - 2
		}
		t.Start, t.End = int(s.tokens[from].start), int(s.tokens[i].end)
	}
	// A name that is neither a table's place nor in front of a column may be a table
	// that the tree does not show.
	for _, i := range candidates {
		if found[i] || s.isOp(i+1, '.') || s.is(i-1, "AS") {
			continue
		}
		name, _ := s.nameAt(i)
		for k := range f.Tables {
			if strings.EqualFold(f.Tables[k].Name, name) {
				f.Tables[k].Plain = false
			}
		}
	}
	return nil
}

var errPlace = errors.New("the place of a table's name cannot be told")

// probe replaces tokens by names of their own, and returns for each table that the
// parser sees then the token that it is, -1 for another name; ok is false if it cannot
// be read so.
func (s *source) probe(tokens []int) (tables []int, ok bool) {
	prefix := "rowcap_"
	for strings.Contains(strings.ToLower(s.text), prefix) {
		prefix += "_"
	}
	var edits []rewrite.Edit
	numbers := map[string]int{}
	for _, i := range tokens {
		name := fmt.Sprintf("%s%d", prefix, i)
		numbers[name] = i
		edits = append(edits, rewrite.Edit{Start: int(s.tokens[i].start), End: int(s.tokens[i].end), Text: "`" + name + "`"})
	}
	changed, _ := one(rewrite.ApplyEdits(s.text, edits), s.settings)
	if changed == nil {
		return nil, false
	}
	node, err := parseTiDB(changed.read(nil, false), s.settings)
	if err != nil {
		return nil, false
	}
	f := &readFinder{Reads: rewrite.Reads{Names: map[string]bool{}, Used: map[string]bool{}}}
	node.Accept(f)
	for _, t := range f.Tables {
		i, known := numbers[strings.ToLower(t.Name)]
		if !known {
			i = -1
		}
		tables = append(tables, i)
	}
	return tables, true
}

// shown notes the items of the outermost SELECT list, which in a set operation is the
// first one.
func (f *readFinder) shown(n ast.Node) {
	for {
		switch q := n.(type) {
		case *ast.SetOprStmt:
			n = q.SelectList
			continue
		case *ast.SetOprSelectList:
			if len(q.Selects) == 0 {
				return
			}
			n = q.Selects[0]
			continue
		case *ast.SelectStmt:
			f.Shown = []rewrite.ShownItem{}
			f.rows(q)
			if q.Fields == nil {
				f.Shown = append(f.Shown, rewrite.ShownItem{Star: true})
				return
			}
			for _, field := range q.Fields.Fields {
				item := rewrite.ShownItem{Star: field.WildCard != nil, Name: field.AsName.O}
				if c, ok := field.Expr.(*ast.ColumnNameExpr); ok {
					item.Column = c.Name.Name.L
				}
				f.Shown = append(f.Shown, item)
			}
		}
		return
	}
}
