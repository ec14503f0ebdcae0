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
	w := writer{source: s, numbers: s.paramNumbers()}
	w.Grow(len(s.text))
	rows := s.bareRows(plain)
	for i := 0; i < len(s.tokens); i++ {
		if plain {
			if text, next := s.plainForm(i); next > i {
				w.words(text)
				i = next - 1
				continue
			}
		}
		if rows[i] {
			w.words(" ROW")
		}
		if c != nil && i == c.from {
			for _, p := range c.pieces {
				if w.words(" "); p.token >= 0 {
					w.token(p.token, false)
				} else {
					w.words(p.text)
				}
			}
			w.words(" ")
			i = c.to - 1
			continue
		}
		w.token(i, i > 0 && (s.tokens[i].gap || s.isOp(i, '-') && s.isOp(i-1, '-')))
	}
	w.words("")
	return reading{w.String(), w.params}
}

// paramNumbers returns the numbers of the tokens that are parameters.
func (s *source) paramNumbers() (numbers map[int]int) {
	for i, t := range s.tokens {
		if t.kind == tokenParam {
			if numbers == nil {
				numbers = make(map[int]int)
			}
			numbers[i] = len(numbers) + 1
		}
	}
	return numbers
}

// writer writes tokens so that the parsers read what the server does. Tokens that
// stand side by side are written in one piece.
type writer struct {
	*source
	strings.Builder
	// from and to bound what is to be written next of the statement's text.
	from, to int
	// numbers are the parameters among the tokens, params those written.
	numbers map[int]int
	params  []readParam
}

// words writes text of its own.
func (w *writer) words(text string) {
	w.WriteString(w.text[w.from:w.to])
	w.from, w.to = 0, 0
	w.WriteString(text)
}

// token writes token i, behind one blank if gap is set.
func (w *writer) token(i int, gap bool) {
	t := w.tokens[i]
	start, end := int(t.start), int(t.end)
	switch pending := w.to > w.from; {
	case pending && !gap && start == w.to, pending && gap && start == w.to+1 && w.text[w.to] == ' ':
		// It goes with the tokens before.
	case gap:
		w.words(" ")
		w.from = start
	default:
		w.words("")
		w.from = start
	}
	w.to = end
	if t.kind == tokenParam {
		w.params = append(w.params, readParam{w.Len() + w.to - w.from - t.length(), w.numbers[i]})
	}
	if w.charset == charsetSingle {
		w.to = start
		w.words(asUTF8(w.text[start:end], w.charset))
	}
	if t.kind == tokenNumber && w.text[end-1] == '.' {
		w.words("0") // TiDB takes the word after "1." for a name
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
