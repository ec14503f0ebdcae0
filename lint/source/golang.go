package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rowcap/rowcap/rewrite"
)

// takesSQL are the methods of database/sql, pgx and sqlx that take SQL. Others of the
// same names are told by what the file imports and by their arguments.
var takesSQL = map[string]struct {
	// behind is the fewest arguments that stand before the SQL.
	behind int
	// one reports that no second statement may follow.
	one, named bool
	// common reports a name that methods of others have, as those of caches.
	common bool
	takes  Takes
}{
	"Query": {one: true}, "QueryRow": {one: true, takes: TakesOne}, "QueryContext": {one: true}, "QueryRowContext": {one: true, takes: TakesOne},
	"Exec": {takes: TakesNone}, "ExecContext": {takes: TakesNone}, "MustExec": {takes: TakesNone}, "MustExecContext": {takes: TakesNone},
	"Prepare": {one: true}, "PrepareContext": {one: true}, "Preparex": {one: true}, "PreparexContext": {one: true},
	"Queryx": {one: true}, "QueryRowx": {one: true, takes: TakesOne}, "QueryxContext": {one: true}, "QueryRowxContext": {one: true, takes: TakesOne},
	"Get": {behind: 1, one: true, common: true, takes: TakesOne}, "Select": {behind: 1, one: true, common: true},
	"GetContext": {behind: 2, one: true, common: true, takes: TakesOne}, "SelectContext": {behind: 2, one: true, common: true},
	"NamedQuery": {one: true, named: true}, "NamedExec": {one: true, named: true, takes: TakesNone}, "NamedQueryContext": {one: true, named: true},
	"NamedExecContext": {one: true, named: true, takes: TakesNone}, "PrepareNamed": {one: true, named: true}, "PrepareNamedContext": {one: true, named: true},
	"Queue": {one: true, common: true},
}

// libraries are the paths that a file imports if such methods are theirs.
var libraries = []string{"database/sql", "github.com/jackc/pgx", "github.com/jmoiron/sqlx"}

// Program is what is read of a Go program.
type Program struct {
	// Scripts are what is handed to database/sql, pgx and sqlx in string literals, in
	// order.
	Scripts []*Script
	// Left is how many calls were left out as their SQL is put together at run time.
	Left int
	// Comments are the program's own, bounded in the file.
	Comments []Comment
}

// Go reads a Go program. The error is the Go parser's.
func Go(f *File) (p Program, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.Path, f.Text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return p, err
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	for _, group := range file.Comments {
		for _, c := range group.List {
			p.Comments = append(p.Comments, Comment{offset(c.Pos()), offset(c.End())})
		}
	}
	packages := map[string]bool{}
	ours := false
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		ours = ours || slices.ContainsFunc(libraries, func(l string) bool { return strings.HasPrefix(path, l) })
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = path != "github.com/jmoiron/sqlx"
	}
	if !ours {
		return p, nil
	}
	g := goReader{text: f.Text, offset: offset, packages: packages, generated: ast.IsGenerated(file), named: map[string]ast.Expr{}, prepared: map[string]bool{}, read: map[token.Pos]*Script{},
		byName: map[*Script][]string{}, asked: map[string]int{}}
	for _, c := range p.Comments {
		if name := markerIn(f.Text[c.Start:c.End]); name != "" && c.Start < offset(file.Package) {
			g.dialect = name
			break
		}
	}
	ast.Inspect(file, g.define)
	ast.Inspect(file, g.visit)
	g.share(file)
	slices.SortFunc(g.scripts, func(a, b *Script) int { return a.Start - b.Start })
	p.Scripts, p.Left = g.scripts, g.left
	return p, nil
}

// goReader collects SQL of one Go file.
type goReader struct {
	text     string
	offset   func(token.Pos) int
	packages map[string]bool
	// dialect is what the comments before the program name, "" if nothing.
	dialect string
	// generated reports a program that another one wrote.
	generated bool
	// named are the strings that a constant or variable of the file stands for, nil
	// for a name that is given several.
	named map[string]ast.Expr
	// prepared are the names of prepared statements, whose methods take no SQL.
	prepared map[string]bool
	// read are the scripts by where they begin, as several calls may share one.
	read    map[token.Pos]*Script
	scripts []*Script
	// byName are the names by which scripts are asked for, and asked how often each name is
	// all of a call's SQL.
	byName map[*Script][]string
	asked  map[string]int
	left   int
}

// define notes what names stand for.
func (g *goReader) define(n ast.Node) bool {
	note := func(name, value ast.Expr) {
		id, ok := name.(*ast.Ident)
		if !ok || id.Name == "_" {
			return
		}
		if _, twice := g.named[id.Name]; twice {
			value = nil
		}
		g.named[id.Name] = value
	}
	switch n := n.(type) {
	case *ast.Field:
		g.prepares(n.Type, n.Names)
	case *ast.ValueSpec:
		g.prepares(n.Type, n.Names)
		for i, name := range n.Names {
			if i < len(n.Values) {
				note(name, n.Values[i])
			}
		}
	case *ast.AssignStmt:
		if call, ok := n.Rhs[0].(*ast.CallExpr); ok && makesStatement(call) && lastName(n.Lhs[0]) != "" {
			g.prepared[lastName(n.Lhs[0])] = true
		}
		for i, name := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) && n.Tok != token.ADD_ASSIGN {
				note(name, n.Rhs[i])
			} else {
				note(name, nil)
			}
		}
	}
	return true
}

// visit looks at one node.
func (g *goReader) visit(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	how, ok := takesSQL[method.Sel.Name]
	if !ok || g.prepared[lastName(method.X)] {
		return true
	}
	last := how.behind + 1 // of the arguments that may be the SQL
	if x, isName := method.X.(*ast.Ident); isName {
		other, isPackage := g.packages[x.Name]
		if other {
			return true
		}
		if isPackage { // sqlx takes what is asked as an argument
			last++
		}
	}
	if how.behind == 0 && len(call.Args) > 0 && !g.anyLiteral(call.Args[:min(len(call.Args), last+1)]) {
		g.left++
		return true
	}
	for i := how.behind; i < len(call.Args) && i <= last; i++ {
		pieces, constant := g.constant(call.Args[i], nil)
		if len(pieces) == 0 {
			continue
		}
		if constant && isName(pieces) { // of a prepared statement, whose SQL may follow
			if strings.HasPrefix(method.Sel.Name, "Prepare") {
				last = i + 1
				continue
			}
			return true
		}
		if how.common && !looksLikeSQL(pieces[0]) {
			return true
		}
		if !constant {
			g.left++
			return true
		}
		s := g.read[pieces[0].Pos()]
		if s == nil {
			s = g.script(pieces)
			s.Dialect = g.dialect
			s.Named, s.Takes, s.Generated = how.named, how.takes, g.generated
			g.read[pieces[0].Pos()] = s
			g.scripts = append(g.scripts, s)
		}
		s.Takes = min(s.Takes, how.takes)
		if name, ok := ast.Unparen(call.Args[i]).(*ast.Ident); ok {
			g.asked[name.Name]++
		}
		g.byName[s] = append(g.byName[s], names(call.Args[i])...)
		switch {
		case s.Single != "":
		case how.one:
			s.Single = method.Sel.Name + " sends one statement"
		case i+1 < len(call.Args):
			s.Single = method.Sel.Name + " with parameters sends one statement"
		}
		return true
	}
	return true
}

// anyLiteral reports arguments among which one begins with a string that is known.
func (g *goReader) anyLiteral(args []ast.Expr) bool {
	return slices.ContainsFunc(args, func(e ast.Expr) bool {
		pieces, _ := g.constant(e, nil)
		return len(pieces) > 0
	})
}

// constant returns the literals that an expression is put together from; constant is
// false if there is more to it.
func (g *goReader) constant(e ast.Expr, within []string) (pieces []*ast.BasicLit, constant bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return []*ast.BasicLit{e}, true
		}
	case *ast.ParenExpr:
		return g.constant(e.X, within)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return nil, false
		}
		left, leftConstant := g.constant(e.X, within)
		right, rightConstant := g.constant(e.Y, within)
		pieces = append(left, right...)
		inOrder := len(left) == 0 || len(right) == 0 || left[len(left)-1].End() <= right[0].Pos() && left[0].Pos() >= e.Pos() && right[0].Pos() >= e.Y.Pos()
		return pieces, leftConstant && rightConstant && inOrder
	case *ast.CallExpr: // fmt.Sprintf("SELECT …", x)
		if f, ok := e.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			pieces, _ = g.constant(e.Args[0], within)
			return pieces, false
		}
	case *ast.Ident:
		if value := g.named[e.Name]; value != nil && !slices.Contains(within, e.Name) && len(within) < 8 {
			return g.constant(value, append(within, e.Name))
		}
	}
	return nil, false
}

// script makes one text of literals that stand one behind another.
func (g *goReader) script(pieces []*ast.BasicLit) *Script {
	first, last := pieces[0], pieces[len(pieces)-1]
	s := &Script{Start: g.offset(first.Pos()) + 1, End: g.offset(last.End()) - 1, Quote: first.Value[0]}
	for i, lit := range pieces {
		start := g.offset(lit.Pos()) + 1
		end := start + len(lit.Value) - 2
		// A raw string's carriage returns are left out of lit.Value.
		if lit.Value[0] == '`' {
			end = start + strings.IndexByte(g.text[start:], '`')
			for at := start; at < end; at++ {
				if g.text[at] == '\r' {
					s.Edits = append(s.Edits, rewrite.Edit{Start: at - s.Start, End: at + 1 - s.Start})
				}
			}
		} else {
			s.unescape(g.text, start, end)
		}
		if i+1 < len(pieces) { // from this literal's quote to behind the next one's
			next := g.offset(pieces[i+1].Pos()) + 1
			s.Edits = append(s.Edits, rewrite.Edit{Start: end - s.Start, End: next - s.Start})
			if pieces[i+1].Value[0] != s.Quote {
				s.Quote = '"' // the stricter of the two
			}
		}
		s.End = end
	}
	return s
}

// unescape takes the escapes out of a string in double quotes.
func (s *Script) unescape(text string, start, end int) {
	for at := start; at < end; {
		if text[at] != '\\' {
			_, size := utf8.DecodeRuneInString(text[at:end])
			at += size
			continue
		}
		value, multibyte, rest, err := strconv.UnquoteChar(text[at:end], '"')
		if err != nil {
			return
		}
		plain := string(value)
		if !multibyte {
			plain = string([]byte{byte(value)})
		}
		next := end - len(rest)
		s.Edits = append(s.Edits, rewrite.Edit{Start: at - s.Start, End: next - s.Start, Text: plain})
		at = next
	}
}
