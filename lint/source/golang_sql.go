package source

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// firstWords are those that statements begin with.
var firstWords = strings.Fields("alter analyze begin call check close cluster comment commit copy create deallocate declare delete desc describe discard do " +
	"drop execute explain fetch grant handler import insert kill listen load lock merge notify optimize prepare refresh reindex release rename repair " +
	"replace reset revoke rollback savepoint select set show start table truncate unlisten unlock update use vacuum values with xa")

// looksLikeSQL reports a string that begins as a statement does, behind comments. It
// decides whether a string is SQL at all, not what it says.
func looksLikeSQL(lit *ast.BasicLit) bool {
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return false
	}
	for {
		text = strings.TrimLeft(text, blanks+"(")
		end := "\n"
		switch {
		case strings.HasPrefix(text, "/*"):
			end = "*/"
		case !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "#"):
			return slices.Contains(firstWords, strings.ToLower(firstWord(text)))
		}
		_, text, _ = strings.Cut(text, end)
	}
}

// isName reports a string of one word that is no statement: the name of one.
func isName(pieces []*ast.BasicLit) bool {
	if len(pieces) != 1 {
		return false
	}
	text, err := strconv.Unquote(pieces[0].Value)
	return err == nil && text != "" && wordEnd(text) == len(text) && !slices.Contains(firstWords, strings.ToLower(text))
}

// prepares notes names that are declared as prepared statements.
func (g *goReader) prepares(declared ast.Expr, names []*ast.Ident) {
	if star, ok := declared.(*ast.StarExpr); ok {
		declared = star.X
	}
	if t, ok := declared.(*ast.SelectorExpr); ok && (t.Sel.Name == "Stmt" || t.Sel.Name == "NamedStmt") {
		for _, name := range names {
			g.prepared[name.Name] = true
		}
	}
}

// makesStatement reports a call that returns a prepared statement.
func makesStatement(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && (strings.HasPrefix(method.Sel.Name, "Prepare") || slices.Contains([]string{"Stmt", "StmtContext", "Stmtx", "StmtxContext", "NamedStmt", "NamedStmtContext"}, method.Sel.Name))
}

// lastName returns the name of a variable or of a field, "" for another expression.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// names returns the names in an expression.
func names(e ast.Expr) (all []string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			all = append(all, id.Name)
		}
		return true
	})
	return all
}

// share notes scripts that other code may use too: by a name of the package, or by one that
// stands for more than the SQL of calls.
func (g *goReader) share(file *ast.File) {
	used := map[string]int{}
	for _, d := range file.Decls {
		ast.Inspect(d, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				used[id.Name]++
			}
			return true
		})
	}
	for _, d := range file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range decl.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range v.Names {
					delete(used, name.Name) // it is not known how often: other files may have it
				}
			}
		}
	}
	for s, names := range g.byName {
		for _, name := range names {
			s.Shared = s.Shared || used[name] != 1+g.asked[name]
		}
	}
}
