package mysql

import (
	"strings"
	"unicode/utf8"
)

// reading is a statement's text as the parsers get it: comments collapsed to a
// blank, executable comments resolved, MariaDB's limit clauses in their plain form.
type reading struct {
	text string
	// params are the question marks of text, ascending.
	params []readParam
}

// readParam is a question mark at offset of a reading; number is its 1-based
// number in the statement.
type readParam struct{ offset, number int }

// piece is what a clause becomes: a token of the statement, or text if token is
// negative.
type piece struct {
	token int
	text  string
}

// read renders the statement for the parsers, with the tokens of c written
// otherwise, and under plain those forms too that only the servers know.
func (s *source) read(c *clause, plain bool) reading {
	var b strings.Builder
	b.Grow(len(s.text))
	var r reading
	numbers := make(map[int]int)
	for i, t := range s.tokens {
		if t.kind == tokenParam {
			numbers[i] = len(numbers) + 1
		}
	}
	write := func(i int) {
		if s.tokens[i].kind == tokenParam {
			r.params = append(r.params, readParam{b.Len(), numbers[i]})
		}
		s.render(&b, i)
	}
	rows := s.bareRows(plain)
	for i := 0; i < len(s.tokens); i++ {
		if plain {
			if text, next := s.plainForm(i); next > i {
				b.WriteString(text)
				i = next - 1
				continue
			}
		}
		if rows[i] {
			b.WriteString(" ROW")
		}
		if c != nil && i == c.from {
			for _, p := range c.pieces {
				b.WriteByte(' ')
				if p.token >= 0 {
					write(p.token)
				} else {
					b.WriteString(p.text)
				}
			}
			b.WriteByte(' ')
			i = c.to - 1
			continue
		}
		if i > 0 && (s.tokens[i].gap || s.isOp(i, '-') && s.isOp(i-1, '-')) {
			b.WriteByte(' ')
		}
		write(i)
	}
	r.text = b.String()
	return r
}

// render writes one token so that the parsers read what the server does.
func (s *source) render(b *strings.Builder, i int) {
	t := s.tokens[i]
	text := s.text[t.start:t.end]
	b.WriteString(asUTF8(text, s.charset))
	if t.kind == tokenNumber && text[len(text)-1] == '.' {
		b.WriteByte('0') // TiDB takes the word after "1." for a name
	}
}

// asUTF8 turns every byte of a one-byte character set into a character of its own.
func asUTF8(text string, c charsetClass) string {
	if c != charsetSingle {
		return text
	}
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			runes := make([]rune, len(text))
			for j := range runes {
				runes[j] = rune(text[j])
			}
			return string(runes)
		}
	}
	return text
}
