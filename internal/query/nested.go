package query

import (
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// Stage is a query that later ones can read by its name, as a table.
type Stage struct {
	Name string
	SQL  string
	// Limit is the number of rows of the stage at most, 0 for all.
	Limit uint64
}

// nested returns sql behind a WITH clause of its stages. Each stage and sql itself
// has been read as one query, and so has the whole.
func nested(d rewrite.Dialect, stages []Stage, sql string) (string, error) {
	quote := "`"
	if d.Name() == "postgres" {
		quote = `"`
	}
	var b strings.Builder
	seen := map[string]bool{}
	for i, s := range stages {
		what := fmt.Sprintf("query %d (%s)", i+1, s.Name)
		name := strings.ToLower(s.Name)
		if s.Name == "" || strings.IndexByte(s.Name, 0) >= 0 || seen[name] {
			return "", &rewrite.RefusedError{Message: what + " has no name of its own", Hint: "give each query another name"}
		}
		seen[name] = true
		text, err := stage(d, s, what)
		if err != nil {
			return "", err
		}
		if i == 0 {
			b.WriteString("WITH ")
		} else {
			b.WriteString(",\n")
		}
		b.WriteString(quote + strings.ReplaceAll(s.Name, quote, quote+quote) + quote + " AS (\n" + text + "\n)")
	}
	root, err := oneQuery(d, sql, "the last query")
	if err != nil {
		return "", err
	}
	b.WriteString("\n" + root.Text)
	whole := b.String()
	read, err := d.Parse(whole)
	if err != nil || len(read) != 1 || read[0].Kind != rewrite.KindSelect || read[0].Text != whole || read[0].Limit != root.Limit || read[0].Ordered != root.Ordered {
		return "", &rewrite.RefusedError{Message: "the queries cannot be put together", Hint: "leave WITH out of the last query and make each of its parts a query of its own"}
	}
	return whole, nil
}

// stage returns the text of one stage within its limit.
func stage(d rewrite.Dialect, s Stage, what string) (string, error) {
	st, err := oneQuery(d, s.SQL, what)
	if err != nil || s.Limit == 0 || st.Limit.Form == rewrite.LimitLiteral && st.Limit.Rows <= s.Limit {
		return st.Text, err
	}
	edits, err := d.SetLimit(st, s.Limit)
	if err != nil || !st.Limitable {
		return "", &rewrite.RefusedError{Message: what + " cannot be given a limit", Hint: "write a LIMIT into the query"}
	}
	return rewrite.ApplyEdits(st.Text, edits), nil
}

// oneQuery reads the text of one query that may run.
func oneQuery(d rewrite.Dialect, sql, what string) (rewrite.Statement, error) {
	read, err := d.Parse(sql)
	switch {
	case err != nil:
		return rewrite.Statement{}, &rewrite.RefusedError{Message: what + " cannot be read: " + err.Error(), Hint: "correct or simplify the query"}
	case len(read) != 1:
		return rewrite.Statement{}, &rewrite.RefusedError{Message: fmt.Sprintf("%s has %d statements", what, len(read)), Hint: "give one statement"}
	}
	if refused := onlyReads(d, read[0]); refused != nil {
		return rewrite.Statement{}, &rewrite.RefusedError{Message: what + ": " + refused.Message, Hint: refused.Hint}
	}
	if read[0].Kind != rewrite.KindSelect {
		return rewrite.Statement{}, &rewrite.RefusedError{Message: what + " is no query", Hint: "give a SELECT"}
	}
	return read[0], nil
}
