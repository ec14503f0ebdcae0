package mysql

import (
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	// tokenWord is an unquoted name that may be a keyword.
	tokenWord tokenKind = iota
	// tokenName is a name that is no keyword: quoted, or next to a dot.
	tokenName
	tokenString
	// tokenInt is digits only.
	tokenInt
	// tokenNumber is any other number.
	tokenNumber
	tokenParam
	// tokenVar is @name or @@name.
	tokenVar
	// tokenOp is a single character or :=
	tokenOp
)

// token is one token of the server's lexer. It is small, as a text may have millions.
type token struct {
	// start and end are byte offsets; no text is longer than maxScript.
	start, end int32
	// comment is the 1-based index of the live executable comment around the
	// token, 0 if there is none.
	comment int32
	kind    tokenKind
	// gap reports blanks or comments before the token.
	gap bool
}

// length is the token's length in bytes.
func (t token) length() int { return int(t.end - t.start) }

// span is a piece of text.
type span struct{ start, end int }

// lexer splits text into tokens as sql/sql_lex.cc does, in which executable
// comments are resolved for this server.
type lexer struct {
	settings
	text string
	pos  int
	// comments are the live executable comments met so far. The last one is
	// open while open is set.
	comments []span
	open     bool
	// separator is set where the dot at pos separates two names; afterDot after
	// a dot that a name follows at once.
	separator, afterDot bool
	// fault says why the extents of tokens cannot be told from here on, empty
	// if they can.
	fault string
	// bound reports a hint that sets sql_select_limit for its statement.
	bound bool
	// unread says why the parsers must not be given the tokens seen since it
	// was last cleared; the extents are certain.
	unread string
	// passed is where comments that were passed over are noted, nil for nowhere.
	passed *[]span
}

// next returns the next token. It returns false at the end of the text and
// at a fault.
func (l *lexer) next() (t token, ok bool) {
	before := l.pos
	if !l.skip() {
		return t, false
	}
	t.gap = l.pos > before
	if l.pos >= len(l.text) {
		if l.open {
			l.fault = faultExecutable
		}
		return t, false
	}
	t.start = int32(l.pos)
	t.kind = l.scan()
	if l.fault != "" {
		return t, false
	}
	t.end = int32(l.pos)
	if l.open {
		t.comment = int32(len(l.comments))
	}
	return t, true
}

func (l *lexer) at(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// scan reads one token from pos on.
func (l *lexer) scan() tokenKind {
	c := l.text[l.pos]
	separator, afterDot := l.separator, l.afterDot
	l.separator, l.afterDot = false, false
	switch {
	case afterDot:
		l.name()
		l.dotFollows()
		return tokenName
	case isDigit(c):
		return l.number()
	case isNameByte(c):
		if c == '$' && !l.mariadb {
			l.fault = "a dollar sign begins a name or a quoted text"
			return tokenWord
		}
		l.name()
		if l.dotFollows() {
			return tokenName
		}
		return tokenWord
	}
	switch c {
	case '\'':
		l.quoted(c, !l.noBackslash)
		return tokenString
	case '"':
		if l.ansiQuotes {
			l.quoted(c, false)
			return tokenName
		}
		l.quoted(c, !l.noBackslash)
		return tokenString
	case '`':
		l.quoted(c, false)
		return tokenName
	case '.':
		if !separator && isDigit(l.at(l.pos+1)) {
			return l.real()
		}
		l.pos++
		l.afterDot = isNameByte(l.at(l.pos))
		return tokenOp
	case '@':
		return l.variable()
	case '?':
		l.pos++
		if isNameByte(l.at(l.pos)) {
			l.unread = "a question mark runs into a name"
		}
		return tokenParam
	case ':':
		l.pos++
		if l.at(l.pos) == '=' {
			l.pos++
		}
		return tokenOp
	case 0:
		l.fault = "a NUL byte stands outside of strings"
		return tokenOp
	}
	if c >= utf8.RuneSelf {
		// isNameByte took all of these under UTF-8.
		l.unread = "a character outside of ASCII stands outside of quotes"
	}
	l.pos++
	return tokenOp
}

// dotFollows notes whether the name just read runs on after a dot.
func (l *lexer) dotFollows() bool {
	l.separator = l.at(l.pos) == '.' && isNameByte(l.at(l.pos+1))
	return l.separator
}

func (l *lexer) name() {
	start := l.pos
	for l.pos < len(l.text) && isNameByte(l.text[l.pos]) {
		l.pos++
	}
	l.checkBytes(start)
}

// number follows MY_LEX_NUMBER_IDENT: a number, or a name that begins with a
// digit.
func (l *lexer) number() tokenKind {
	if l.text[l.pos] == '0' {
		digits := ""
		switch l.at(l.pos + 1) {
		case 'x':
			digits = "0123456789abcdefABCDEF"
		case 'b':
			digits = "01"
		}
		if digits != "" {
			end := l.pos + 2
			for end < len(l.text) && strings.IndexByte(digits, l.text[end]) >= 0 {
				end++
			}
			if end > l.pos+2 && !isNameByte(l.at(end)) {
				l.pos = end
				return tokenNumber
			}
			return l.numberName()
		}
	}
	end := l.pos
	for isDigit(l.at(end)) {
		end++
	}
	switch c := l.at(end); {
	case c == '.':
		return l.real()
	case !isNameByte(c):
		l.pos = end
		return tokenInt
	case c == 'e' || c == 'E':
		digits := end + 1
		if s := l.at(digits); s == '+' || s == '-' {
			digits++
		}
		if isDigit(l.at(digits)) {
			for isDigit(l.at(digits)) {
				digits++
			}
			l.pos = digits
			return tokenNumber
		}
	}
	return l.numberName()
}

func (l *lexer) numberName() tokenKind {
	l.name()
	l.dotFollows()
	return tokenName
}

// real follows MY_LEX_REAL.
func (l *lexer) real() tokenKind {
	end := l.pos
	for isDigit(l.at(end)) {
		end++
	}
	end++ // the point
	for isDigit(l.at(end)) {
		end++
	}
	if c := l.at(end); c == 'e' || c == 'E' {
		end++
		if s := l.at(end); s == '+' || s == '-' {
			end++
		}
		if !isDigit(l.at(end)) {
			l.unread = "a number has no exponent"
		}
		for isDigit(l.at(end)) {
			end++
		}
	}
	l.pos = min(end, len(l.text))
	return tokenNumber
}

// variable follows MY_LEX_USER_END, MY_LEX_HOSTNAME and MY_LEX_SYSTEM_VAR.
func (l *lexer) variable() tokenKind {
	l.pos++
	if l.at(l.pos) == '@' {
		l.pos++
	}
	switch l.at(l.pos) {
	case '\'', '"', '`':
		return tokenOp // the name follows as a token of its own
	}
	start := l.pos
	for c := l.at(l.pos); c == '.' || (c != 0 && isNameByte(c)); c = l.at(l.pos) {
		if c >= utf8.RuneSelf {
			l.unread = "a character outside of ASCII stands in a variable's name"
		}
		l.pos++
	}
	if l.pos == start {
		l.unread = "a variable has no name"
	}
	return tokenVar
}

// quoted skips text in quotes, in which a doubled quote stands for one.
func (l *lexer) quoted(quote byte, backslash bool) {
	start := l.pos
	for i := l.pos + 1; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '\\' && backslash:
			i++
		case c == quote && l.at(i+1) == quote:
			i++
		case c == quote:
			l.pos = i + 1
			l.checkBytes(start)
			return
		case c == 0 && quote != '\'' && (quote == '`' || l.ansiQuotes):
			l.fault = "a NUL byte stands in a quoted name"
			return
		}
	}
	l.fault = faultQuote
}

// checkBytes notes text since start that the parsers may read otherwise than the
// server. No ASCII byte is part of a longer character in the character sets that
// are read, so the extents are certain.
func (l *lexer) checkBytes(start int) {
	text := l.text[start:l.pos]
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == 0 {
			l.unread = "the text has a NUL byte"
		} else if c >= utf8.RuneSelf {
			switch {
			case l.charset == charsetSingle:
				if q := text[0]; q != '\'' && q != '"' && q != '`' {
					l.unread = "a character outside of ASCII stands outside of quotes"
				}
			case !utf8.ValidString(text):
				l.unread = "the text is no valid UTF-8"
			case l.charset == charsetUTF8MB3 && hasFourByteRune(text):
				l.unread = "the text has characters that utf8mb3 lacks"
			}
			if strings.IndexByte(text[i:], 0) >= 0 {
				l.unread = "the text has a NUL byte"
			}
			return
		}
	}
}

func hasFourByteRune(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xF0 {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isNameByte reports bytes of unquoted names.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '_' || c == '$' || c >= utf8.RuneSelf
}

// isBlank reports what my_isspace does for the character sets that are read.
func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
