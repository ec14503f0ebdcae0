package rewrite

import "iter"

// Tokenizer is a Dialect whose lexer can be used apart from its parsers, by readers
// of files that hold more than SQL, and of what stands in comments.
type Tokenizer interface {
	Dialect
	// Tokens yields the tokens of sql in order, comments among them. White space is
	// no token. Where a token begins that does not end, or the lexer cannot tell how
	// the server goes on, there is one of TokenBroken, which reaches to the end of
	// sql.
	Tokens(sql string) iter.Seq[Token]
}

// TokenKind is the class of a token.
type TokenKind uint8

// The classes of tokens.
const (
	// TokenComment is a comment that the server does not read.
	TokenComment TokenKind = iota
	// TokenWord is a keyword or a name without quotes.
	TokenWord
	// TokenQuoted is a string or a name in quotes.
	TokenQuoted
	// TokenNumber is a number.
	TokenNumber
	// TokenParam is a parameter.
	TokenParam
	// TokenOp is an operator or a punctuation mark.
	TokenOp
	// TokenBroken is what has no end.
	TokenBroken
)

// Token is the bytes [Start, End) of a text.
type Token struct {
	Start, End int
	Kind       TokenKind
}
