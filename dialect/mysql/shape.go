package mysql

import "github.com/rowcap/rowcap/rewrite"

// maxShape is the longest text that has a shape, in bytes.
const maxShape = 64 << 10

// What stands in a key for a literal whose value no parser and no server looks at
// before the statement runs. Outside of quotes no text that has a shape has these
// bytes.
const (
	shapeInt          = '\x01'
	shapeDecimal      = '\x02'
	shapeString       = '\x03'
	shapeDoubleQuoted = '\x04' // a string too
	shapeLong         = '\x05' // an integer beyond shapeInt
)

var _ rewrite.Shaper = dialect{}

// Shape reads the tokens of sql as the lexer does, in one pass.
//
// The key is the text itself with literals abstracted, optimizer hints kept, and
// every other gap between tokens written as one blank. Reading it again gives the
// same tokens, so that two texts with equal keys differ in nothing but their
// comments, the width of their gaps, and the values of the literals abstracted.
// Kept as they are: 0 and 1, which change facts, numbers in any but the plain
// decimal spelling, and strings that do not stand as a plain operand, such as
// aliases, JSON paths behind an arrow, names of character sets, ESCAPE, and those
// with an introducer.
//
// There is no shape for texts with executable comments, for those that the parsers
// must not be given, and for those with a statement whose first word hasShape does
// not know.
func (d dialect) Shape(sql string, key []byte, spans []int32) ([]byte, []int32, bool) {
	if len(sql) > maxShape || d.obstacle(sql) != "" {
		return key, spans, false
	}
	l := lexer{settings: d.settings, text: sql}
	// The text before copied is in the key. head is set where a statement begins.
	pos, copied, head := 0, 0, true
	first := len(spans)
	for {
		gap := pos
	gaps:
		for pos < len(sql) {
			switch shapeClasses[sql[pos]] {
			case classBlank:
				pos++
				continue
			case classComment:
				end, hint := l.shapeComment(pos)
				if end < 0 {
					return key, spans, false
				}
				if hint {
					key = append(key, sql[copied:gap]...)
					key = append(key, ' ')
					key = append(key, sql[pos:end]...)
					gap, copied = end, end
				}
				if end > pos {
					pos = end
					continue
				}
			}
			break gaps
		}
		if pos > gap && (pos > gap+1 || sql[gap] != ' ' || gap == 0) || pos == len(sql) {
			key = append(key, sql[copied:gap]...)
			copied = pos
			if pos == len(sql) {
				return key, spans, true
			}
			if gap > 0 {
				key = append(key, ' ')
			}
		}
		start := pos
		c := sql[pos]
		class := shapeClasses[c]
		if head {
			if class != className && c != '(' && c != ';' {
				return key, spans, false
			}
			head = c == ';'
			if class == className && !hasShape(sql[pos:]) {
				return key, spans, false
			}
		}
		var ok bool
		switch class {
		case classDollar:
			if !d.mariadb {
				return key, spans, false
			}
			fallthrough
		case className:
			if spans, pos, ok = l.shapeNames(spans, pos); !ok {
				return key, spans, false
			}
			continue
		case classDigit:
			for pos++; pos < len(sql) && isDigit(sql[pos]); pos++ {
			}
			if pos < len(sql) && (shapeClasses[sql[pos]] <= lastNameClass || sql[pos] == '.') {
				l.pos = start
				if l.number() == tokenName {
					if spans, pos, ok = l.shapeNames(spans, start); !ok {
						return key, spans, false
					}
					continue
				}
				if pos = l.pos; l.unread != "" {
					return key, spans, false
				}
				if isPlainDecimal(sql[start:pos]) && isValue(sql, spans[first:]) {
					key = append(key, sql[copied:start]...)
					key, copied = append(key, shapeDecimal), pos
				}
			} else if class := plainInt(sql[start:pos]); class != 0 && isValue(sql, spans[first:]) {
				key = append(key, sql[copied:start]...)
				key, copied = append(key, class), pos
			}
		case classQuote:
			name := c == '`' || c == '"' && d.ansiQuotes
			if pos = l.shapeQuoted(pos, c, !name && !d.noBackslash); pos < 0 {
				return key, spans, false
			}
			if !name && isOperand(sql, spans[first:]) {
				key = append(key, sql[copied:start]...)
				if copied = pos; c == '\'' {
					key = append(key, shapeString)
				} else {
					key = append(key, shapeDoubleQuoted)
				}
			}
		case classDot:
			if next := l.at(pos + 1); isDigit(next) {
				l.pos = pos
				l.real()
				if pos = l.pos; l.unread != "" {
					return key, spans, false
				}
			} else if pos++; isNameByte(next) {
				spans = append(spans, int32(start), int32(pos))
				if spans, pos, ok = l.shapeNames(spans, pos); !ok {
					return key, spans, false
				}
				continue
			}
		case classAt:
			l.pos = pos
			l.variable()
			if pos = l.pos; l.unread != "" {
				return key, spans, false
			}
		case classParam:
			if pos++; isNameByte(l.at(pos)) {
				return key, spans, false
			}
		case classColon:
			if pos++; l.at(pos) == '=' {
				pos++
			}
		case classSemicolon:
			head = true
			pos++
		case classComment, classOperator:
			pos++
		default:
			return key, spans, false
		}
		spans = append(spans, int32(start), int32(pos))
	}
}
