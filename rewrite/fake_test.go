package rewrite_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// fake is a dialect whose statements are given by the test: Parse looks each
// line up by its first word. It lets the table tests name facts directly.
type fake struct {
	facts map[string]rewrite.Statement
	// fails makes SetLimit fail.
	fails error
}

func (f *fake) Name() string                     { return "fake" }
func (f *fake) With(_, _ string) rewrite.Dialect { return f }

func (f *fake) Parse(sql string) ([]rewrite.Statement, error) {
	var out []rewrite.Statement
	pos := 0
	for _, text := range strings.SplitAfter(sql, ";") {
		word := strings.TrimSuffix(text, ";")
		if word == "" {
			continue
		}
		if word == "garbage" {
			return nil, &rewrite.ParseError{Message: "syntax error", Offset: 0}
		}
		st, ok := f.facts[word]
		if !ok {
			return nil, errors.New("the test names no facts for " + word)
		}
		st.Text, st.Pos = word, pos
		out = append(out, st)
		pos += len(text)
	}
	return out, nil
}

func (f *fake) SetLimit(st rewrite.Statement, rows uint64) ([]rewrite.Edit, error) {
	if f.fails != nil {
		return nil, f.fails
	}
	return []rewrite.Edit{{Start: len(st.Text), End: len(st.Text), Text: fmt.Sprintf(" LIMIT %d", rows)}}, nil
}
