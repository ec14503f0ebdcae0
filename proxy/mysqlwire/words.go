package mysqlwire

import "strings"

// tokenKind is the kind of a token, as far as telling a few fixed statements apart
// needs it.
type tokenKind uint8

const (
	// tokenEnd is the end of the text.
	tokenEnd tokenKind = iota
	// tokenWord is a name, a keyword or a number without quotes.
	tokenWord
	// tokenMark is one character of punctuation.
	tokenMark
	// tokenString is a string in ' or ".
	tokenString
	// tokenName is a name in backticks.
	tokenName
	// tokenOther is what is read differently under different settings: an
	// executable comment, a backslash in quotes, quotes that do not end.
	// Nothing after it can be trusted.
	tokenOther
)

// token is one token; text is without quotes.
type token struct {
	kind tokenKind
	text string
}

// is reports that the token is the keyword or the mark want, in upper case.
func (t token) is(want string) bool {
	return (t.kind == tokenWord || t.kind == tokenMark) && strings.EqualFold(t.text, want)
}

// words splits a text into tokens, from left to right. It is no lexer of SQL: it
// serves to recognise a few statements that read alike under all settings, and
// gives up where that ends.
type words struct {
	text string
	pos  int
}

// next returns the next token.
func (w *words) next() token {
	if !w.blanks() {
		w.pos = len(w.text)
		return token{kind: tokenOther}
	}
	if w.pos == len(w.text) {
		return token{}
	}
	from := w.pos
	switch c := w.text[from]; {
	case wordByte(c):
		for w.pos < len(w.text) && wordByte(w.text[w.pos]) {
			w.pos++
		}
		return token{tokenWord, w.text[from:w.pos]}
	case c == '\'' || c == '"' || c == '`':
		return w.quoted(c)
	default:
		w.pos++
		return token{tokenMark, w.text[from:w.pos]}
	}
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// quoted reads what stands between two quotes.
func (w *words) quoted(quote byte) token {
	kind := tokenString
	if quote == '`' {
		kind = tokenName
	}
	for i := w.pos + 1; i < len(w.text); i++ {
		switch c := w.text[i]; {
		case c == '\\' && quote != '`', c >= 0x80:
			// An escape or a part of a character, or not.
			i = len(w.text)
		case c == quote && i+1 < len(w.text) && w.text[i+1] == quote:
			i++
		case c == quote:
			text := w.text[w.pos+1 : i]
			w.pos = i + 1
			double := string([]byte{quote, quote})
			return token{kind, strings.ReplaceAll(text, double, double[:1])}
		}
	}
	w.pos = len(w.text)
	return token{kind: tokenOther}
}

// blanks goes over blanks and comments. It reports false at an executable comment
// and at one that does not end.
func (w *words) blanks() bool {
	for w.pos < len(w.text) {
		rest := w.text[w.pos:]
		switch c := rest[0]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			w.pos++
		case c == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest) - 1
			}
			w.pos += n + 1
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 || strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!") {
				return false
			}
			w.pos += n + 4
		default:
			return true
		}
	}
	return true
}
