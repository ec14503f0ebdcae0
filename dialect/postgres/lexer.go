package postgres

import "strings"

// The lexer follows src/backend/parser/scan.l. Where servers of different versions
// read a text in different ways, or it is rare and intricate, it gives up: the
// parser's own scanner reads all of it.

// Classes of tokens. The class of any other token of one byte is that byte.
const (
	// classWord is a keyword, a name or a quoted name.
	classWord = 'w'
	// classOther is a parameter, an operator of several characters, or a number
	// that is none of the below.
	classOther = 'o'
	// classInteger is an integer from 2 to 2147483647 in plain digits, a constant
	// of type integer.
	classInteger = 'i'
	// classLong is a larger integer of at most 18 digits, a constant that the
	// scanner calls a float.
	classLong = 'l'
	// classDecimal is digits, a dot and digits.
	classDecimal = 'd'
	// classString is a string in quotes and no more. Where a backslash in it
	// escapes, the parser is shown another string (mask.go).
	classString = 's'
	// classEscape is a string with the prefix E that holds no backslash.
	classEscape = 'e'
	// classDollar is a dollar-quoted string, whatever its tag.
	classDollar = 'q'
	// classText is a bit string, or a string with the prefix E that holds a
	// backslash.
	classText = 't'
)

// verbatim reports a class whose tokens differ in more than the value of a literal.
func verbatim(class byte) bool {
	return class == classWord || class == classOther || class == classText
}

func isString(class byte) bool {
	return class == classString || class == classEscape || class == classDollar || class == classText
}

// Sets of bytes.
const (
	spaceByte uint8 = 1 << iota
	wordByte        // starts a word: ident_start
	digitByte
	dollarByte
	loneByte // is a token by itself and part of no longer one
	operatorByte

	wordBytes = wordByte | digitByte | dollarByte // ident_cont
	tagBytes  = wordByte | digitByte              // dolq_cont
)

var byteSets = func() (sets [256]uint8) {
	for i := range sets {
		c := byte(i)
		switch {
		case strings.IndexByte(space, c) >= 0:
			sets[i] = spaceByte
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '_', c >= 0x80:
			sets[i] = wordByte
		case c >= '0' && c <= '9':
			sets[i] = digitByte
		case c == '$':
			sets[i] = dollarByte
		case strings.IndexByte(",()[];", c) >= 0:
			sets[i] = loneByte
		case operatorChar[c]:
			sets[i] = operatorByte
		}
	}
	return sets
}()

// skipSpace moves over white space and comments. ok is false if a comment does not
// end.
func skipSpace(sql string, at int) (next int, commented, ok bool) {
	for at < len(sql) {
		switch c := sql[at]; {
		case byteSets[c]&spaceByte != 0:
			at++
		case c == '-' && at+1 < len(sql) && sql[at+1] == '-':
			commented = true
			for at < len(sql) && sql[at] != '\n' && sql[at] != '\r' {
				at++
			}
		case c == '/' && at+1 < len(sql) && sql[at+1] == '*':
			commented = true
			if at = commentEnd(sql, at); at < 0 {
				return 0, true, false
			}
		default:
			return at, commented, true
		}
	}
	return at, commented, true
}

// commentEnd returns the end of the comment whose mark stands at a place, -1 if
// there is none. Comments nest.
func commentEnd(sql string, at int) int {
	depth := 0
	for at+1 < len(sql) {
		switch {
		case sql[at] == '/' && sql[at+1] == '*':
			depth++
			at += 2
		case sql[at] == '*' && sql[at+1] == '/':
			at += 2
			if depth--; depth == 0 {
				return at
			}
		default:
			at++
		}
	}
	return -1
}

// scanToken returns the end and the class of the token that starts at a place where
// neither white space nor a comment stands. The end is -1 where it is not sure. A
// backslash in a plain string escapes if backslashes is true.
func scanToken(sql string, at int, backslashes bool) (end int, class byte) {
	c := sql[at]
	switch set := byteSets[c]; {
	case set&wordByte != 0:
		end = at + 1
		for end < len(sql) && byteSets[sql[end]]&wordBytes != 0 {
			end++
		}
		if end == at+1 && end < len(sql) && (sql[end] == '\'' || sql[end] == '&') {
			return prefixed(sql, at)
		}
		return end, classWord
	case set&loneByte != 0:
		return at + 1, c
	case set&digitByte != 0:
		return numberEnd(sql, at)
	case c == '\'':
		if backslashes {
			end, _ = escapeEnd(sql, at)
			return end, classString
		}
		return quoteEnd(sql, at, '\''), classString
	case c == '"':
		if end = quoteEnd(sql, at, '"'); end == at+2 {
			return -1, 0
		}
		return end, classWord
	case set&operatorByte != 0:
		if end = at + 1; end == len(sql) || byteSets[sql[end]]&operatorByte == 0 {
			return end, c
		}
		if end = operatorEnd(sql, at); end == at+1 {
			return end, c
		}
		return end, classOther
	case c == '.':
		switch {
		case at+1 < len(sql) && sql[at+1] == '.':
			return -1, 0
		case at+1 < len(sql) && byteSets[sql[at+1]]&digitByte != 0:
			return numberEnd(sql, at)
		}
		return at + 1, c
	case c == ':':
		if at+1 < len(sql) && (sql[at+1] == ':' || sql[at+1] == '=') {
			return at + 2, classOther
		}
		return at + 1, c
	case c == '$':
		return dollarEnd(sql, at)
	}
	return -1, 0
}

// prefixed reads a token whose first letter stands before a quote or an ampersand.
// National and Unicode strings and names are left to the parser.
func prefixed(sql string, at int) (end int, class byte) {
	switch quote := sql[at+1] == '\''; sql[at] | 0x20 {
	case 'u':
		if !quote && at+2 < len(sql) && (sql[at+2] == '\'' || sql[at+2] == '"') {
			return -1, 0
		}
	case 'n':
		if quote {
			return -1, 0
		}
	case 'b', 'x':
		if quote {
			i := strings.IndexByte(sql[at+2:], '\'')
			if i < 0 {
				return -1, 0
			}
			return at + 2 + i + 1, classText
		}
	case 'e':
		if quote {
			return escapeEnd(sql, at+1)
		}
	}
	return at + 1, classWord
}

// quoteEnd returns the end of what starts with a quote, in which two quotes stand
// for one.
func quoteEnd(sql string, at int, quote byte) int {
	for at++; ; at += 2 {
		i := strings.IndexByte(sql[at:], quote)
		if i < 0 {
			return -1
		}
		if at += i; at+1 == len(sql) || sql[at+1] != quote {
			return at + 1
		}
	}
}

// escapeEnd reads a string with backslashes from its quote on.
func escapeEnd(sql string, at int) (end int, class byte) {
	class = classEscape
	for at++; at < len(sql); at++ {
		switch sql[at] {
		case '\\':
			class = classText
			at++
		case '\'':
			if at+1 == len(sql) || sql[at+1] != '\'' {
				return at + 1, class
			}
			at++
		}
	}
	return -1, 0
}

// dollarEnd reads a parameter or a dollar-quoted string.
func dollarEnd(sql string, at int) (end int, class byte) {
	end = at + 1
	if end < len(sql) && byteSets[sql[end]]&digitByte != 0 {
		for end < len(sql) && byteSets[sql[end]]&digitByte != 0 {
			end++
		}
		if end < len(sql) && byteSets[sql[end]]&wordBytes != 0 {
			return -1, 0
		}
		return end, classOther
	}
	for end < len(sql) && byteSets[sql[end]]&tagBytes != 0 {
		end++
	}
	if end == len(sql) || sql[end] != '$' {
		return -1, 0
	}
	tag := sql[at : end+1]
	i := strings.Index(sql[end+1:], tag)
	if i < 0 {
		return -1, 0
	}
	return end + 1 + i + len(tag), classDollar
}

// maxInteger is the largest constant of type integer.
const maxInteger = "2147483647"

// numberEnd reads a decimal number. What stands close behind it must be neither
// part of a word nor a dot: versions differ in how they take that, and in numbers
// as 1_000 and 0x1F.
func numberEnd(sql string, at int) (end int, class byte) {
	end = digitsEnd(sql, at)
	class = classOther
	switch whole := end - at; {
	case end < len(sql) && sql[end] == '.':
		fraction := end + 1
		if end = digitsEnd(sql, fraction); whole > 0 && end > fraction {
			class = classDecimal
		}
	case whole == 0 || whole > 18 || sql[at] == '0' || whole == 1 && sql[at] == '1':
	case whole < len(maxInteger) || whole == len(maxInteger) && sql[at:end] <= maxInteger:
		class = classInteger
	default:
		class = classLong
	}
	if end < len(sql) && sql[end]|0x20 == 'e' {
		exponent := end + 1
		if exponent < len(sql) && (sql[exponent] == '+' || sql[exponent] == '-') {
			exponent++
		}
		if end = digitsEnd(sql, exponent); end == exponent {
			return -1, 0
		}
		class = classOther
	}
	if end < len(sql) && (sql[end] == '.' || byteSets[sql[end]]&wordBytes != 0) {
		return -1, 0
	}
	return end, class
}

func digitsEnd(sql string, at int) int {
	for at < len(sql) && byteSets[sql[at]]&digitByte != 0 {
		at++
	}
	return at
}

// operatorEnd reads an operator, which ends before a comment's mark. It ends in a
// plus or minus only if it holds a character that operators of the standard do
// not have.
func operatorEnd(sql string, at int) int {
	end, own := at, false
	for end < len(sql) && byteSets[sql[end]]&operatorByte != 0 {
		if end > at && end+1 < len(sql) && (sql[end] == '-' && sql[end+1] == '-' || sql[end] == '/' && sql[end+1] == '*') {
			break
		}
		switch sql[end] {
		case '~', '!', '@', '#', '^', '&', '|', '`', '?', '%':
			own = true
		}
		end++
	}
	for !own && end > at+1 && (sql[end-1] == '+' || sql[end-1] == '-') {
		end--
	}
	if end-at >= 64 { // NAMEDATALEN
		return -1
	}
	return end
}
