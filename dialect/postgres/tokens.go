package postgres

import (
	"encoding/binary"
	"errors"
	"strings"
)

// token is one token of PostgreSQL's own scanner, comments included.
type token struct {
	start, end int32
	code       int32
	keyword    bool
}

var errTokens = errors.New("the scanner returned tokens that cannot be read")

// scan returns the tokens of sql in order.
func scan(sql string) (tokens []token, err error) {
	defer recoverEngine(&err)
	encoded, err := engineScan(sql)
	if err != nil {
		return nil, err
	}
	return decodeTokens(encoded, len(sql))
}

// decodeTokens reads a pg_query.ScanResult: field 2 repeats a ScanToken with the
// fields start = 1, end = 2, token = 4 and keyword_kind = 5 (pg_query.proto).
// Reading it here spares linking and filling the generated types.
func decodeTokens(b []byte, size int) ([]token, error) {
	tokens := make([]token, 0, len(b)/12+1)
	for len(b) > 0 {
		field, _, body, rest, ok := protoField(b)
		if !ok {
			return nil, errTokens
		}
		b = rest
		if field != 2 {
			continue
		}
		var t token
		for len(body) > 0 {
			field, value, _, rest, ok := protoField(body)
			if !ok {
				return nil, errTokens
			}
			body = rest
			switch field {
			case 1:
				t.start = int32(value)
			case 2:
				t.end = int32(value)
			case 4:
				t.code = int32(value)
			case 5:
				t.keyword = value > 0
			}
		}
		if t.start < 0 || t.start > t.end || int(t.end) > size {
			return nil, errTokens
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// protoField reads one field of the protocol buffers encoding: a number, or a
// length and that many bytes.
func protoField(b []byte) (field int, value uint64, body, rest []byte, ok bool) {
	tag, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, nil, nil, false
	}
	b = b[n:]
	value, n = binary.Uvarint(b)
	if n <= 0 {
		return 0, 0, nil, nil, false
	}
	b = b[n:]
	switch tag & 7 {
	case 0:
		return int(tag >> 3), value, nil, b, true
	case 2:
		if value > uint64(len(b)) {
			return 0, 0, nil, nil, false
		}
		return int(tag >> 3), 0, b[:value], b[value:], true
	}
	return 0, 0, nil, nil, false
}

// text returns the token as it stands in sql, the text that was scanned.
func (t token) text(sql string) string { return sql[t.start:t.end] }

// comment reports a comment. No operator can hold the marks that start one.
func (t token) comment(sql string) bool {
	s := t.text(sql)
	return strings.HasPrefix(s, "--") || strings.HasPrefix(s, "/*")
}

// word reports the keyword w, written in any case and not quoted.
func (t token) word(sql, w string) bool {
	return t.keyword && int(t.end-t.start) == len(w) && strings.EqualFold(t.text(sql), w)
}

// words are the tokens of a text without its comments.
type words struct {
	sql    string
	tokens []token
}

func newWords(sql string, tokens []token) words {
	w := words{sql: sql, tokens: make([]token, 0, len(tokens))}
	for _, t := range tokens {
		if !t.comment(sql) {
			w.tokens = append(w.tokens, t)
		}
	}
	return w
}

// is reports that token i is the keyword or punctuation mark s. A reserved word
// after AS or after a dot is a name and reported as none.
func (w words) is(i int, s string) bool {
	if i < 0 || i >= len(w.tokens) {
		return false
	}
	t := w.tokens[i]
	if !t.keyword {
		return t.text(w.sql) == s
	}
	return t.word(w.sql, s) && !w.label(i)
}

func (w words) label(i int) bool {
	if i == 0 {
		return false
	}
	before := w.tokens[i-1]
	return before.text(w.sql) == "." || before.word(w.sql, "as")
}

// at returns the index of the token that covers byte offset, or of the last one
// before it.
func (w words) at(offset int) int {
	lo, hi := 0, len(w.tokens)
	for lo < hi {
		mid := (lo + hi) / 2
		if int(w.tokens[mid].start) <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}
