package mysql

import (
	"iter"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Tokenizer = dialect{}

// tokenKinds are the kinds of tokens under the names that other packages know.
var tokenKinds = [...]rewrite.TokenKind{
	tokenWord: rewrite.TokenWord, tokenName: rewrite.TokenWord, tokenString: rewrite.TokenQuoted, tokenInt: rewrite.TokenNumber,
	tokenNumber: rewrite.TokenNumber, tokenParam: rewrite.TokenParam, tokenVar: rewrite.TokenWord, tokenOp: rewrite.TokenOp,
}

// Tokens yields the tokens of sql; see rewrite.Tokenizer. The marks around a comment
// that this server executes are no tokens, what stands between them is.
func (d dialect) Tokens(sql string) iter.Seq[rewrite.Token] {
	return func(yield func(rewrite.Token) bool) {
		if len(sql) > maxScript {
			yield(rewrite.Token{End: len(sql), Kind: rewrite.TokenBroken})
			return
		}
		var comments []span
		l := lexer{settings: d.settings, text: sql, passed: &comments}
		for {
			t, ok := l.next()
			for _, c := range comments {
				if !yield(rewrite.Token{Start: c.start, End: c.end, Kind: rewrite.TokenComment}) {
					return
				}
			}
			comments = comments[:0]
			if !ok {
				if l.fault != "" {
					yield(rewrite.Token{Start: l.faultAt(t), End: len(sql), Kind: rewrite.TokenBroken})
				}
				return
			}
			kind := tokenKinds[t.kind]
			if c := sql[t.start]; kind == rewrite.TokenWord && (c == '`' || c == '"') {
				kind = rewrite.TokenQuoted
			}
			if !yield(rewrite.Token{Start: int(t.start), End: int(t.end), Kind: kind}) {
				return
			}
		}
	}
}

// faultAt returns where the token or comment stands that the lexer gave up at.
func (l *lexer) faultAt(t token) int {
	return min(max(l.pos, int(t.start)), len(l.text))
}
