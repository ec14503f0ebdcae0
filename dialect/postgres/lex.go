package postgres

import (
	"iter"
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Tokenizer = Dialect{}

// Tokens yields the tokens of sql; see rewrite.Tokenizer. Forms on which servers of
// different versions differ become tokens that end where no version ends a string
// or a comment elsewhere.
func (d Dialect) Tokens(sql string) iter.Seq[rewrite.Token] {
	return func(yield func(rewrite.Token) bool) {
		var before rewrite.Token // the last token that is no comment
		for at := 0; at < len(sql); {
			if byteSets[sql[at]]&spaceByte != 0 {
				at++
				continue
			}
			end, kind := d.lex(sql, at)
			if sql[at] == '\'' && isEscaped(sql, before) && strings.IndexByte(sql[before.End:at], '\n') >= 0 {
				// A string that goes on behind a newline goes on in its own way.
				if end, _ = escapeEnd(sql, at); end < 0 {
					end, kind = len(sql), rewrite.TokenBroken
				}
				before.End = end
			} else if kind != rewrite.TokenComment {
				before = rewrite.Token{Start: at, End: end, Kind: kind}
			}
			if !yield(rewrite.Token{Start: at, End: end, Kind: kind}) {
				return
			}
			at = end
		}
	}
}

// isEscaped reports a string with the prefix E.
func isEscaped(sql string, t rewrite.Token) bool {
	return t.Kind == rewrite.TokenQuoted && sql[t.Start]|0x20 == 'e'
}

// lex returns the end and the kind of the token or comment at a place.
func (d Dialect) lex(sql string, at int) (end int, kind rewrite.TokenKind) {
	switch {
	case sql[at] == '-' && at+1 < len(sql) && sql[at+1] == '-':
		for end = at; end < len(sql) && sql[end] != '\n' && sql[end] != '\r'; {
			end++
		}
		return end, rewrite.TokenComment
	case sql[at] == '/' && at+1 < len(sql) && sql[at+1] == '*':
		if end = commentEnd(sql, at); end < 0 {
			return len(sql), rewrite.TokenBroken
		}
		return end, rewrite.TokenComment
	}
	end, class := scanToken(sql, at, d.backslashes)
	if end < 0 {
		return lexRare(sql, at)
	}
	switch {
	case isString(class):
		return end, rewrite.TokenQuoted
	case class == classWord && sql[at] == '"':
		return end, rewrite.TokenQuoted
	case class == classWord:
		return end, rewrite.TokenWord
	case sql[at] == '$':
		return end, rewrite.TokenParam
	case byteSets[sql[at]]&digitByte != 0, sql[at] == '.' && end > at+1:
		return end, rewrite.TokenNumber
	}
	return end, rewrite.TokenOp
}

// lexRare reads what scanToken leaves to the parser's scanner, and what has no end.
func lexRare(sql string, at int) (end int, kind rewrite.TokenKind) {
	rest := sql[at:]
	if byteSets[rest[0]]&digitByte != 0 {
		for end = at; end < len(sql) && (byteSets[sql[end]]&wordBytes != 0 || sql[end] == '.'); {
			end++
		}
		return end, rewrite.TokenNumber
	}
	quote := 0 // where an opening quote stands in rest, 0 if none does
	switch {
	case rest[0] == '"' && len(rest) > 1 && rest[1] == '"':
		return at + 2, rewrite.TokenQuoted
	case rest[0] == '\'' || rest[0] == '"':
		return len(sql), rewrite.TokenBroken
	case len(rest) > 2 && rest[0]|0x20 == 'u' && rest[1] == '&':
		quote = 2
	case len(rest) > 1 && rest[0]|0x20 == 'n' && rest[1] == '\'':
		quote = 1
	case len(rest) > 1 && rest[1] == '\'' && byteSets[rest[0]]&wordByte != 0:
		return len(sql), rewrite.TokenBroken
	case rest[0] == '$' && opensDollarQuote(rest):
		return len(sql), rewrite.TokenBroken
	}
	if quote == 0 {
		return at + 1, rewrite.TokenOp
	}
	if end = quoteEnd(sql, at+quote, rest[quote]); end < 0 {
		return len(sql), rewrite.TokenBroken
	}
	return end, rewrite.TokenQuoted
}

// opensDollarQuote reports a text that begins with the tag of a dollar-quoted string.
func opensDollarQuote(s string) bool {
	i := 1
	for i < len(s) && byteSets[s[i]]&tagBytes != 0 {
		i++
	}
	return i < len(s) && s[i] == '$' && (i == 1 || byteSets[s[1]]&digitByte == 0)
}
