package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

var _ rewrite.Shaper = Dialect{}

// maxShape is the longest text in bytes whose shape is told.
const maxShape = 64 << 10

// glued marks a token in the key that touches the one before it: a limit that is
// written into `LIMIT (5)` cannot be written into `LIMIT(5)` at the same tokens.
const glued = 0x80

// Shape reads the tokens of sql; see rewrite.Shaper.
//
// The key has one entry for each token: its class and, unless that stands for the
// token whole, the length of its text and the text. So one key is the key of
// one token sequence, up to the values of literals.
//
// Why equal keys mean equal facts and equal edits: the grammar sees the text
// through the scanner only, whose tokens these are. It looks at a literal's value
// in one place, the precision of FLOAT, which is not abstracted here; so it makes
// the same tree of equal sequences. Of the literals in the tree the dialect reads
// those that are a number of rows, and tells 0 and 1 from the rest, which are not
// abstracted. Comments are no tokens; where the parser at hand would take one for
// a token there is no shape. Statements that are built from other literals than
// expressions (SET, COPY, DDL) or whose options are facts (EXPLAIN) have none
// either.
func (d Dialect) Shape(sql string, key []byte, spans []int32) ([]byte, []int32, bool) {
	if d.obstacle() != "" || len(sql) > maxShape || strings.IndexByte(sql, 0) >= 0 || !runsFit(sql) {
		return key, spans, false
	}
	var (
		opening   = true // the next token starts a statement
		start     = 0    // where the last token stands
		end       = -1   // and where it ends, -1 before the first
		class     byte   // its class
		precision = -1   // the number of spans behind the last FLOAT
	)
	for {
		next, commented, ok := skipSpace(sql, max(end, 0))
		if !ok || commented && end >= 0 && looksAhead(sql[start:end]) {
			return key, spans, false
		}
		if next == len(sql) {
			return key, spans, true
		}
		touches, before := next == end, class
		start = next
		if end, class = scanToken(sql, start, d.backslashes); end < 0 {
			return key, spans, false
		}
		if opening && class != '(' && class != ';' {
			if !opensShape(sql[start:end]) {
				return key, spans, false
			}
			opening = false
		}
		spans = append(spans, int32(start), int32(end))
		entry := class
		switch class {
		case ';':
			opening = true
		case classWord:
			if end-start == len("float") && strings.EqualFold(sql[start:end], "float") {
				precision = len(spans)
			}
		case classInteger, classLong:
			if before == '(' && len(spans) == precision+4 {
				entry = classOther
			}
		case classString, classEscape, classDollar, classText:
			// Strings in a row are one string if a newline stands between them.
			if isString(before) {
				return key, spans, false
			}
		}
		text := verbatim(entry)
		if touches {
			entry |= glued
		}
		key = append(key, entry)
		if text {
			key = appendText(key, sql[start:end])
		}
	}
}

// appendText appends the length of text and text.
func appendText(key []byte, text string) []byte {
	n := len(text)
	for ; n >= 0x80; n >>= 7 {
		key = append(key, byte(n)|0x80)
	}
	key = append(key, byte(n))
	return append(key, text...)
}

// opensShape reports a word that starts a statement whose literals are all values in
// expressions, counts of rows, or names, so that the parser does not care for
// them.
func opensShape(word string) bool {
	switch len(word) {
	case 3:
		return strings.EqualFold(word, "end")
	case 4:
		return strings.EqualFold(word, "with") || strings.EqualFold(word, "call") || strings.EqualFold(word, "move")
	case 5:
		return strings.EqualFold(word, "fetch") || strings.EqualFold(word, "table") || strings.EqualFold(word, "merge") ||
			strings.EqualFold(word, "begin") || strings.EqualFold(word, "start")
	case 6:
		return strings.EqualFold(word, "select") || strings.EqualFold(word, "values") || strings.EqualFold(word, "insert") ||
			strings.EqualFold(word, "update") || strings.EqualFold(word, "delete") || strings.EqualFold(word, "commit")
	case 7:
		return strings.EqualFold(word, "execute") || strings.EqualFold(word, "declare")
	case 8:
		return strings.EqualFold(word, "rollback")
	}
	return false
}

// looksAhead reports a word whose meaning the parser settles by the token behind it
// (base_yylex in src/backend/parser/parser.c). It takes a comment for that token.
func looksAhead(word string) bool {
	switch len(word) {
	case 3:
		return strings.EqualFold(word, "not")
	case 4:
		return strings.EqualFold(word, "with")
	case 5:
		return strings.EqualFold(word, "nulls")
	case 6:
		return strings.EqualFold(word, "format")
	case 7:
		return strings.EqualFold(word, "without")
	}
	return false
}

// runsFit reports that all runs of operator characters are so short that checkText
// accepts any text of at most maxShape bytes; it counts those in strings and
// comments too. A longer run covers the end of a step.
func runsFit(sql string) bool {
	const step = maxRuns / maxShape
	for i := step - 1; i < len(sql); i += step {
		if !operatorChar[sql[i]] {
			continue
		}
		from, to := i, i+1
		for from > 0 && i-from < step && operatorChar[sql[from-1]] {
			from--
		}
		for to < len(sql) && to-i < step && operatorChar[sql[to]] {
			to++
		}
		if to-from >= step {
			return false
		}
	}
	return true
}
