package mysql

import (
	"errors"
	"slices"
	"strings"
)

// Functions returns the names of the functions that sql may call: without schemas,
// in lower case, each once and in the order of the alphabet. Other words in front of a
// bracket (IN, VALUES, the name of a table) are among them. A text whose statements
// cannot be told apart is an error.
func (d dialect) Functions(sql string) ([]string, error) {
	var names []string
	for _, s := range d.settings.cut(sql) {
		switch {
		case s.fault != "":
			return nil, errors.New(s.fault)
		case s.tooLarge != "":
			return nil, errors.New(s.tooLarge)
		case s.headOnly:
			s.tokens = s.all()
		}
		for i, t := range s.tokens {
			if (t.kind == tokenWord || t.kind == tokenName) && s.isOp(i+1, '(') {
				names = append(names, strings.ToLower(strings.Trim(s.text[t.start:t.end], "`\"")))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// all returns every token of a statement of which the first ones only were kept.
func (s *source) all() (tokens []token) {
	l := lexer{settings: *s.settings, text: s.text}
	for t, ok := l.next(); ok; t, ok = l.next() {
		tokens = append(tokens, t)
	}
	return tokens
}
