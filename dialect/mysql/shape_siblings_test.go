package mysql

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// shapedText is a text with its shape, taken apart.
type shapedText struct {
	sql   string
	key   string
	spans []int32
	// classes has for every token what stands for it in the key, 0 for its own text.
	classes []byte
}

// sessionOf returns one of several kinds of sessions.
func sessionOf(session uint8) dialect {
	d := New()
	if session&1 != 0 {
		d = NewMariaDB()
	}
	if session&2 != 0 {
		d = d.With("sql_mode", "NO_BACKSLASH_ESCAPES")
	}
	if session&4 != 0 {
		d = d.With("sql_mode", "ANSI")
	}
	switch session & 24 {
	case 8:
		d = d.With("character_set_client", "latin1")
	case 16:
		d = d.With("character_set_client", "utf8mb3")
	case 24:
		d = d.With("server_version", "8.0.36").With("database", "sys")
	}
	return d.(dialect)
}

// takeApart reads sql's shape and checks it against the lexer: the tokens are the
// lexer's, and the key holds each of them, or what stands for it, in order and
// nothing else but hints and gaps.
func takeApart(t *testing.T, d dialect, sql string) (shapedText, bool) {
	t.Helper()
	key, spans, ok := d.Shape(sql, []byte("before"), []int32{-1, -2})
	if !ok {
		return shapedText{}, false
	}
	if string(key[:6]) != "before" || spans[0] != -1 || spans[1] != -2 {
		t.Fatalf("%q: what stood in key and spans before is changed", sql)
	}
	s := shapedText{sql: sql, key: string(key[6:]), spans: spans[2:]}
	l := lexer{settings: d.settings, text: sql}
	rest := s.key
	for i := 0; ; i++ {
		token, more := l.next()
		if !more {
			if l.fault != "" || l.unread != "" {
				t.Fatalf("%q has a shape, but the lexer says: %s%s", sql, l.fault, l.unread)
			}
			if i*2 != len(s.spans) {
				t.Fatalf("%q has %d tokens, its shape %d", sql, i, len(s.spans)/2)
			}
			break
		}
		if len(s.spans) < i*2+2 || s.spans[i*2] != token.start || s.spans[i*2+1] != token.end {
			t.Fatalf("%q: token %d is %d to %d, in the shape %v", sql, i, token.start, token.end, s.spans)
		}
		before := len(rest)
		rest = skipGap(rest)
		if i > 0 && token.gap != (len(rest) < before) {
			t.Fatalf("%q: gap before token %d: %t, in the key %q %t", sql, i, token.gap, s.key, len(rest) < before)
		}
		text, class := sql[token.start:token.end], byte(0)
		if rest != "" && rest[0] <= shapeLong {
			class, rest = rest[0], rest[1:]
			checkClass(t, class, text, token.kind)
		} else if after, found := strings.CutPrefix(rest, text); found {
			rest = after
		} else {
			t.Fatalf("%q: the key %q lacks token %d, %q", sql, s.key, i, text)
		}
		s.classes = append(s.classes, class)
	}
	if skipGap(rest) != "" {
		t.Fatalf("%q: its key ends in %q", sql, rest)
	}
	return s, true
}

func checkClass(t *testing.T, class byte, text string, kind tokenKind) {
	t.Helper()
	switch {
	case (class == shapeInt || class == shapeLong) && kind == tokenInt && text != "0" && text != "1":
	case class == shapeDecimal && kind == tokenNumber:
	case class == shapeString && kind == tokenString && text[0] == '\'':
	case class == shapeDoubleQuoted && kind == tokenString && text[0] == '"':
	default:
		t.Fatalf("%q is abstracted as %d", text, class)
	}
}

// skipGap passes a blank and hints.
func skipGap(key string) string {
	key = strings.TrimPrefix(key, " ")
	for strings.HasPrefix(key, "/*+") {
		_, key, _ = strings.Cut(key, "*/")
		key = strings.TrimPrefix(key, " ")
	}
	return key
}

// siblingGaps are what may stand between tokens where something does.
var siblingGaps = []string{" ", " ", "\n", "\t", "\f\v\r\n", "  ", "/**/", "/* LIMIT 5 ; ' */", " -- LIMIT 5 ; '\n", " --\n", "#' LIMIT 5\n", " /* é */\n\n#\n", "/***/ ", "/*M*/", "/* /* */"}

// siblingPieces are pieces of strings.
var siblingPieces = []string{"", "a", "LIMIT 5 -- ", "'", "\"", "`", "''", "\\", "\\\\", "%", "_", "é", "日本", "\x1a", "\n", ";", "/*", "*/", "/*! x */", "/*+ x */", "$.a[*]", "2026-02-30",
	"0", "1", "-1", "NULL", "utf8mb4", "\u2028", "\ufeff", "?", ":v1", "@x", "\x7f", "\x01", "select", strings.Repeat("x", 300)}

// sibling returns another text of the same shape.
func (s shapedText) sibling(d dialect, random *rand.Rand) string {
	var b strings.Builder
	last := 0
	for i, class := range s.classes {
		start, end := int(s.spans[i*2]), int(s.spans[i*2+1])
		b.WriteString(s.siblingGap(last, start, random))
		if class == 0 {
			b.WriteString(s.sql[start:end])
		} else {
			b.WriteString(siblingLiteral(d, class, random))
		}
		last = end
	}
	b.WriteString(s.siblingGap(last, len(s.sql), random))
	return b.String()
}

// siblingGap returns another gap for the one from start to end.
func (s shapedText) siblingGap(start, end int, random *rand.Rand) string {
	gap, outside := s.sql[start:end], start == 0 || end == len(s.sql)
	switch {
	case strings.Contains(gap, "/*+"), strings.HasSuffix(s.sql[:start], "--"):
		return gap // a hint, and what keeps two dashes from being a comment
	case outside && random.IntN(2) == 0, gap == "" && !outside:
		return ""
	}
	return siblingGaps[random.IntN(len(siblingGaps))]
}

func siblingLiteral(d dialect, class byte, random *rand.Rand) string {
	digits := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = byte('0' + random.IntN(10))
		}
		return string(text)
	}
	switch class {
	case shapeInt:
		if random.IntN(2) == 0 {
			return string(rune('2' + random.IntN(8)))
		}
		return string(rune('1'+random.IntN(9))) + digits(1+random.IntN(8))
	case shapeLong:
		return string(rune('1'+random.IntN(9))) + digits(9+random.IntN(9))
	case shapeDecimal:
		if random.IntN(2) == 0 {
			return "0." + digits(1+random.IntN(16))
		}
		return string(rune('1'+random.IntN(9))) + digits(random.IntN(8)) + "." + digits(1+random.IntN(8))
	}
	quote := "'"
	if class == shapeDoubleQuoted {
		quote = `"`
	}
	pieces := siblingPieces
	switch d.charset {
	case charsetUTF8MB4:
		pieces = append([]string{"😀"}, pieces...)
	case charsetSingle:
		pieces = append([]string{"\xff", "\x85\xa0", "\xe9"}, pieces...)
	}
	var b strings.Builder
	for range random.IntN(4) {
		piece := pieces[random.IntN(len(pieces))]
		if !d.noBackslash {
			piece = strings.ReplaceAll(piece, `\`, `\\`)
			if random.IntN(4) == 0 {
				piece += `\` + []string{"n", "0", "%", "_", "Z", "é", "'", `"`, "`", "x", "\n"}[random.IntN(11)]
				b.WriteString(strings.ReplaceAll(piece[:len(piece)-2], quote, quote+quote))
				b.WriteString(piece[len(piece)-2:])
				continue
			}
		}
		b.WriteString(strings.ReplaceAll(piece, quote, quote+quote))
	}
	return quote + strings.ReplaceAll(b.String(), "\x00", "") + quote
}

// checkSame fails unless what is read of a holds for b, which has the same key: the
// facts, the token that is the limit, and the edits that set another.
func checkSame(t *testing.T, d dialect, a, b shapedText) {
	t.Helper()
	first, err := d.Parse(a.sql)
	if err != nil {
		t.Fatal(err)
	}
	second, err := d.Parse(b.sql)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != len(second) {
		t.Fatalf("%q has %d statements, %q of the same shape %d", a.sql, len(first), b.sql, len(second))
	}
	for i, x := range first {
		y := second[i]
		a.checkNumber(t, b, x.Limit.Rows, y.Limit.Rows)
		a.checkNumber(t, b, x.Limit.Offset, y.Limit.Offset)
		if p, q := bare(x), bare(y); p != q {
			t.Fatalf("%q: %+v\n%q of the same shape: %+v", a.sql, p, b.sql, q)
		}
		const rows = 1234567890123
		xs, errX := d.SetLimit(x, rows)
		ys, errY := d.SetLimit(y, rows)
		if (errX == nil) != (errY == nil) || errX != nil && errX.Error() != errY.Error() || len(xs) != len(ys) {
			t.Fatalf("%q: edits %v, %v\n%q of the same shape: edits %v, %v", a.sql, xs, errX, b.sql, ys, errY)
		}
		for j, e := range xs {
			want := rewrite.Edit{Start: a.moved(t, b, x.Pos+e.Start, e.Start == e.End) - y.Pos, Text: e.Text}
			if want.End = want.Start; e.Start < e.End {
				want.End = a.moved(t, b, x.Pos+e.End, true) - y.Pos
			}
			if want != ys[j] {
				t.Fatalf("%q: edit %+v\n%q of the same shape: edit %+v, want %+v", a.sql, e, b.sql, ys[j], want)
			}
		}
	}
}

// bare leaves out what differs in texts of one shape.
func bare(st rewrite.Statement) rewrite.Statement {
	st.Text, st.Pos, st.Limit.Rows, st.Limit.Offset = "", 0, 0, 0
	return st
}

// checkNumber fails unless two numbers are the same, or stand in the same token.
func (s shapedText) checkNumber(t *testing.T, b shapedText, x, y uint64) {
	t.Helper()
	if x == y {
		return
	}
	for i := range s.classes {
		if s.token(i) == number(x) && b.token(i) == number(y) {
			return
		}
	}
	t.Fatalf("%q has the number %d, %q of the same shape has %d, in no token", s.sql, x, b.sql, y)
}

func (s shapedText) token(i int) string { return s.sql[s.spans[i*2]:s.spans[i*2+1]] }

// moved returns the offset in b of the token's start or end that is at offset in s.
func (s shapedText) moved(t *testing.T, b shapedText, offset int, end bool) int {
	t.Helper()
	for _, side := range []bool{end, false} {
		for i := range s.classes {
			at := i * 2
			if side {
				at++
			}
			if int(s.spans[at]) == offset {
				return int(b.spans[at])
			}
		}
	}
	t.Fatalf("%q: an edit at %d, where no token begins or ends", s.sql, offset)
	return 0
}
