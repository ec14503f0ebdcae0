package mysql

import "unicode/utf8"

// shapeNames reads the name at pos and those that follow it after a dot at once.
func (l *lexer) shapeNames(spans []int32, pos int) ([]int32, int, bool) {
	text := l.text
	for {
		end, bits := pos, byte(0)
		for end < len(text) && shapeClasses[text[end]] <= lastNameClass {
			bits |= text[end]
			end++
		}
		if bits >= utf8.RuneSelf {
			l.pos = end
			if l.checkBytes(pos); l.unread != "" {
				return spans, pos, false
			}
		}
		spans = append(spans, int32(pos), int32(end))
		if pos = end; end+1 >= len(text) || text[end] != '.' || shapeClasses[text[end+1]] > lastNameClass {
			return spans, pos, true
		}
		pos++
		spans = append(spans, int32(end), int32(pos))
	}
}

// shapeQuoted returns the end of the quoted text at pos, or -1 where it has none
// or the parsers must not read it.
func (l *lexer) shapeQuoted(pos int, quote byte, backslash bool) int {
	text := l.text
	bits := byte(0)
	for i := pos + 1; i < len(text); i++ {
		c := text[i]
		switch quoteClasses[c] {
		case 0:
			continue
		case quoteNUL:
			return -1
		case quoteHigh:
			bits = c
			continue
		case quoteBackslash:
			if backslash {
				i++
				if i < len(text) {
					bits |= text[i]
					if text[i] == 0 {
						return -1
					}
				}
			}
			continue
		}
		if c != quote {
			continue
		}
		if i+1 < len(text) && text[i+1] == quote {
			i++
			continue
		}
		l.pos = i + 1
		if bits >= utf8.RuneSelf {
			if l.checkBytes(pos); l.unread != "" {
				return -1
			}
		}
		return i + 1
	}
	return -1
}

// shapeComment returns the end of the comment at pos, pos if there is none, or -1
// for one that is executed or that the lexer is not sure of.
func (l *lexer) shapeComment(pos int) (end int, hint bool) {
	l.pos = pos
	switch l.text[pos] {
	case '#':
		l.line()
	case '-':
		if l.at(pos+1) != '-' || !l.endsDashes(pos+2) {
			return pos, false
		}
		if l.at(pos+2) >= utf8.RuneSelf {
			return -1, false
		}
		l.line()
	case '/':
		if l.at(pos+1) != '*' {
			return pos, false
		}
		switch l.at(pos + 2) {
		case '!':
			return -1, false
		case 'M', 'T':
			if l.at(pos+3) == '!' {
				return -1, false
			}
		}
		hint = l.at(pos+2) == '+'
		l.comment()
	}
	if l.fault != "" {
		return -1, false
	}
	return l.pos, hint
}
