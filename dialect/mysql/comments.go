package mysql

import (
	"strings"
	"unicode/utf8"
)

// skip passes blanks and comments and enters or leaves executable comments. It
// returns false at a fault.
func (l *lexer) skip() bool {
	for l.pos < len(l.text) {
		c, start := l.text[l.pos], l.pos
		switch {
		case isBlank(c):
			l.pos++
		case c == '#':
			l.line()
			l.note(start)
		case c == '-' && l.at(l.pos+1) == '-' && l.endsDashes(l.pos+2):
			if l.pos+2 < len(l.text) && l.text[l.pos+2] >= utf8.RuneSelf {
				l.fault = "two dashes before a character outside of ASCII may begin a comment"
				return false
			}
			l.line()
			l.note(start)
		case c == '*' && l.open && l.at(l.pos+1) == '/':
			l.pos += 2
			l.comments[len(l.comments)-1].end = l.pos
			l.open = false
		case c == '/' && l.at(l.pos+1) == '*':
			entered := len(l.comments)
			if !l.comment() {
				return false
			}
			if len(l.comments) == entered || !l.open {
				l.note(start)
			}
		default:
			return true
		}
	}
	return true
}

// note notes the comment that was passed from start on, without its line's end.
func (l *lexer) note(start int) {
	if l.passed == nil {
		return
	}
	end := l.pos
	for end > start && (l.text[end-1] == '\n' || l.text[end-1] == '\r') {
		end--
	}
	*l.passed = append(*l.passed, span{start, end})
}

// endsDashes reports whether two dashes before i begin a comment: a blank, a
// control character or the end of the text must follow.
func (l *lexer) endsDashes(i int) bool {
	return i >= len(l.text) || l.text[i] <= ' ' || l.text[i] == 0x7F ||
		l.charset == charsetSingle && l.text[i] >= utf8.RuneSelf
}

// line passes a comment that ends with its line, even inside of an executable
// comment.
func (l *lexer) line() {
	end := strings.IndexByte(l.text[l.pos:], '\n')
	text := l.text[l.pos:]
	if end >= 0 {
		text = text[:end]
		l.pos += end + 1
	} else {
		l.pos = len(l.text)
	}
	if strings.IndexByte(text, 0) >= 0 {
		l.fault = "a NUL byte stands in a comment"
		l.pos = len(l.text)
	}
}

// comment passes a comment in slashes and stars, or enters one that this
// server executes.
func (l *lexer) comment() bool {
	body := l.pos + 2
	maria := l.mariadb && strings.HasPrefix(l.text[body:], "M!")
	switch {
	case l.at(body) == '!' || maria:
		return l.executable(maria)
	case l.at(body) == '+':
		return l.hint()
	case l.foreign && strings.HasPrefix(l.text[body:], "T!"):
		l.fault = "a comment of TiDB may be executed"
		return false
	}
	return l.plain(body, false)
}

// plain passes a comment whose text begins at body. Where nested is set the
// servers allow one level of comments inside.
func (l *lexer) plain(body int, nested bool) bool {
	for i := body; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == '*' && l.at(i+1) == '/':
			if strings.IndexByte(l.text[body:i], 0) >= 0 {
				l.fault = "a NUL byte stands in a comment"
				return false
			}
			l.pos = i + 2
			return true
		case nested && c == '/' && l.at(i+1) == '*':
			end := strings.Index(l.text[i+2:], "*/")
			if end < 0 {
				l.fault = faultComment
				return false
			}
			i += 2 + end + 1
		}
	}
	l.fault = faultComment
	return false
}

// hint passes an optimizer hint. MySQL reads it with a lexer of its own, in which
// a quoted name may hold the comment's end.
func (l *lexer) hint() bool {
	body := l.pos + 3
	if !l.plain(body, false) {
		return false
	}
	if !closesQuotes(l.text[body : l.pos-2]) {
		l.fault = "an optimizer hint may not end where it seems to"
		return false
	}
	inside := lexer{settings: l.settings, text: l.text[body : l.pos-2]}
	for t, ok := inside.next(); ok; t, ok = inside.next() {
		l.bound = l.bound || isKeyword(inside.text, t, "SQL_SELECT_LIMIT")
	}
	return true
}

// closesQuotes reports whether every quote in a hint is closed in it.
func closesQuotes(hint string) bool {
	for i := 0; i < len(hint); i++ {
		if c := hint[i]; c == '`' || c == '"' || c == '\'' {
			end := strings.IndexByte(hint[i+1:], c)
			if end < 0 {
				return false
			}
			i += end + 1
		}
	}
	return true
}

// executable reads the head of an executable comment and enters it if this
// server does, or passes it.
func (l *lexer) executable(maria bool) bool {
	start := l.pos
	head := l.pos + 3
	if maria {
		head++
	}
	digits := 0
	for isDigit(l.at(head + digits)) {
		digits++
	}
	enter := true
	if digits >= 5 {
		if l.foreign {
			l.fault = "which version comments this server executes is not known"
			return false
		}
		var known bool
		enter, digits, known = l.executes(head, digits, maria)
		if !known {
			l.fault = "servers disagree about a comment with a version of 6 digits"
			return false
		}
	} else {
		digits = 0 // no version: the digits are part of the text
	}
	if !enter {
		return l.plain(head, true)
	}
	if l.open {
		l.fault = "an executable comment stands inside of another one"
		return false
	}
	l.open = true
	if len(l.comments) == maxComments { // the statement is too long to be parsed
		l.comments = l.comments[:maxComments-1]
	}
	l.comments = append(l.comments, span{start: start})
	l.pos = head + digits
	return true
}

// executes decides about a comment with a version of at least 5 digits at
// head: whether this server executes it and how many digits it takes as the
// version. MariaDB passes over versions of MySQL that it does not follow.
func (l *lexer) executes(head, digits int, maria bool) (enter bool, taken int, known bool) {
	version := func(n int) (v int) {
		for _, c := range []byte(l.text[head : head+n]) {
			v = v*10 + int(c-'0')
		}
		return v
	}
	if l.mariadb {
		taken = min(digits, 6)
		v := version(taken)
		return v <= l.version && (maria || v < 50700 || v > 99999), taken, true
	}
	if digits == 5 {
		return version(5) <= l.version, 5, true
	}
	if l.version < 90000 {
		return false, 0, false
	}
	if digits == 6 && isBlank(l.at(head+6)) {
		return version(6) <= l.version, 6, true
	}
	return version(5) <= l.version, 5, true
}
