package sqlgen

import "strings"

// Token is a piece of a statement: a word, a mark or a literal.
type Token struct {
	// Text is the token as it is written.
	Text string
	// Before is what stands between the token before and this one: white space
	// and comments.
	Before string
	// Glued reports that nothing may stand before the token: the bracket of a
	// function call, the quote of E''.
	Glued bool
	// Free reports a plain literal. Another one of its spelling makes a
	// statement that reads the same.
	Free bool
	// Param is what the token stands for, if it is a parameter.
	Param Param
}

// join writes tokens out.
func join(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Before)
		b.WriteString(t.Text)
	}
	return b.String()
}

// mayTouch reports that two tokens need nothing between them.
func mayTouch(before, after string) bool {
	return bracket(before[len(before)-1]) || bracket(after[0])
}

func bracket(c byte) bool { return c == '(' || c == ')' || c == ',' || c == ';' }
