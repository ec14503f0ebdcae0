package mysql

import "strings"

// The classes of bytes that tokens begin with. The first ones make up names.
const (
	className = iota
	classDigit
	classDollar
	lastNameClass = classDollar
)

const (
	classBlank = lastNameClass + 1 + iota
	classComment
	classOperator
	classQuote
	classDot
	classAt
	classParam
	classColon
	classSemicolon
	classOther
)

// shapeClasses has the class of every byte outside of quotes.
var shapeClasses = func() (classes [256]uint8) {
	for i := range classes {
		c := byte(i)
		switch {
		case isDigit(c):
			classes[i] = classDigit
		case c == '$':
			classes[i] = classDollar
		case isNameByte(c):
			classes[i] = className
		case isBlank(c):
			classes[i] = classBlank
		default:
			classes[i] = classOther
		}
	}
	for class, bytes := range map[uint8]string{
		classComment: "#-/", classOperator: "!%&()*+,<=>[]^{|}~", classQuote: "'\"`", classDot: ".", classAt: "@", classParam: "?", classColon: ":", classSemicolon: ";",
	} {
		for _, c := range []byte(bytes) {
			classes[c] = class
		}
	}
	return classes
}()

// The classes of bytes inside of quotes; 0 is any other.
const (
	quoteEnd = iota + 1
	quoteBackslash
	quoteHigh
	quoteNUL
)

// quoteClasses has the class of every byte inside of quotes.
var quoteClasses = func() (classes [256]uint8) {
	for i := 0x80; i < len(classes); i++ {
		classes[i] = quoteHigh
	}
	classes['\''], classes['"'], classes['`'], classes['\\'], classes[0] = quoteEnd, quoteEnd, quoteEnd, quoteBackslash, quoteNUL
	return classes
}()

// hasShape reports whether text begins with a word whose statements have shapes:
// queries and what stands next to them in scripts. The facts of the others may
// depend on what their literals say (CREATE), or cost no parser anyway.
func hasShape(text string) bool {
	end := 0
	for end < len(text) && shapeClasses[text[end]] <= lastNameClass {
		end++
	}
	switch word := text[:end]; len(word) {
	case 3:
		return strings.EqualFold(word, "SET")
	case 4:
		return strings.EqualFold(word, "WITH") || strings.EqualFold(word, "SHOW") || strings.EqualFold(word, "CALL")
	case 5:
		return strings.EqualFold(word, "TABLE") || strings.EqualFold(word, "BEGIN") || strings.EqualFold(word, "START")
	case 6:
		return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "INSERT") || strings.EqualFold(word, "UPDATE") ||
			strings.EqualFold(word, "DELETE") || strings.EqualFold(word, "VALUES") || strings.EqualFold(word, "COMMIT")
	case 7:
		return strings.EqualFold(word, "REPLACE")
	case 8:
		return strings.EqualFold(word, "ROLLBACK")
	}
	return false
}

// plainInt returns shapeInt for the spelling of an integer from 2 to 999999999,
// shapeLong for a longer one that fits into 64 bits with a sign, and 0 for any
// other. 0 and 1 are limits of their own, and a zero in front is for the parsers to
// judge. The two are apart because parsers may care whether a number fits 32 bits.
func plainInt(digits string) byte {
	switch n := len(digits); {
	case n > 18 || digits[0] == '0' || digits == "1":
		return 0
	case n > 9:
		return shapeLong
	}
	return shapeInt
}

// isPlainDecimal reports digits around a point, few enough for any parser, without
// zeroes in front.
func isPlainDecimal(number string) bool {
	point := strings.IndexByte(number, '.')
	if point < 1 || len(number) > 18 || point == len(number)-1 || number[0] == '0' && point > 1 {
		return false
	}
	for _, c := range []byte(number[point+1:]) {
		if !isDigit(c) {
			return false // an exponent
		}
	}
	return true
}

// isValue reports that a number behind the tokens in spans is a value that is not
// looked at. Not so the n of FLOAT(n), which TiDB's parser refuses from 54 on, and
// what stands behind a dot, which it takes for a name.
func isValue(sql string, spans []int32) bool {
	n := len(spans)
	if n < 4 {
		return true
	}
	switch sql[spans[n-1]-1] {
	case '.':
		return false
	case '(':
		word := sql[spans[n-4]:spans[n-3]]
		return len(word) < len("FLOAT") || !strings.EqualFold(word[:len("FLOAT")], "FLOAT")
	}
	return true
}

// isOperand reports that a string behind the tokens in spans can only be a value
// that is not looked at: it follows an operator, an opening bracket, a comma or a
// word after which an expression must begin. After any other it may be an alias, the
// name of a character set or a collation, an escape character, a path, or a piece of
// the string before.
func isOperand(sql string, spans []int32) bool {
	n := len(spans)
	if n < 2 {
		return false
	}
	start, end := spans[n-2], spans[n-1]
	switch sql[end-1] {
	case '=', '(', ',', '<', '+', '-', '*', '/', '%', '|', '&', '^', '!', '~':
		return true
	case '>':
		return start == 0 || sql[start-1] != '-' && sql[start-1] != '>' // -> and ->>
	}
	if start > 0 && sql[start-1] == '.' {
		return false // a column's name
	}
	switch word := sql[start:end]; len(word) {
	case 2:
		return strings.EqualFold(word, "OR")
	case 3:
		return strings.EqualFold(word, "AND") || strings.EqualFold(word, "NOT") || strings.EqualFold(word, "XOR")
	case 4:
		return strings.EqualFold(word, "LIKE") || strings.EqualFold(word, "THEN") || strings.EqualFold(word, "ELSE") || strings.EqualFold(word, "WHEN") ||
			strings.EqualFold(word, "CASE") || strings.EqualFold(word, "DATE") || strings.EqualFold(word, "TIME")
	case 5:
		return strings.EqualFold(word, "WHERE") || strings.EqualFold(word, "RLIKE")
	case 6:
		return strings.EqualFold(word, "SELECT") || strings.EqualFold(word, "REGEXP") || strings.EqualFold(word, "HAVING")
	case 7:
		return strings.EqualFold(word, "BETWEEN")
	case 8:
		return strings.EqualFold(word, "INTERVAL")
	case 9:
		return strings.EqualFold(word, "TIMESTAMP")
	}
	return false
}
