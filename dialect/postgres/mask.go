package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// While standard_conforming_strings is off, a backslash in a plain string escapes:
// 'it\'s' is one string. The parser always reads as if it were on. So it is given a
// copy of the text in which what stands in such strings is replaced, byte for byte,
// by fill: the copy's tokens stand where the text's own do.
//
// That changes no fact, because the grammar and the dialect look at the values of
// strings in two places only: UESCAPE wants one character, and refuses the filled
// string; and of the options of EXPLAIN and COPY, a filled one counts as what is
// safer (isTrue, filled).
// Whether the text ends its strings where the server does rests on the lexer alone,
// which follows the server's states xq and xe (scan.l). Where the setting
// backslash_quote forbids \', the server refuses the statement; it never reads the
// quote as the end.
const fill = '.'

// mask returns sql as the parser is to read it under the session's settings. It is
// as long as sql, and most often sql itself.
func (d Dialect) mask(sql string) (string, error) {
	if !d.backslashes || strings.IndexByte(sql, '\\') < 0 {
		return sql, nil
	}
	var masked []byte
	bits := false // the last token is a bit string
	for at := 0; ; {
		start, _, ok := skipSpace(sql, at)
		if !ok {
			return "", unmasked(at)
		}
		if start == len(sql) {
			break
		}
		end, class := scanToken(sql, start, true)
		if end < 0 {
			if end, ok = unicodeOrNational(sql, start); !ok {
				return "", unmasked(start)
			}
			class = classWord
		}
		if class == classString {
			if bits {
				// It may go on behind a newline, and then no backslash escapes.
				return "", unmasked(start)
			}
			if inside := sql[start+1 : end-1]; strings.IndexByte(inside, '\\') >= 0 {
				if masked == nil {
					masked = []byte(sql)
				}
				for i := range inside {
					masked[start+1+i] = fill
				}
			}
		}
		bits = class == classText && sql[start]|0x20 != 'e'
		at = end
	}
	if masked == nil {
		return sql, nil
	}
	return string(masked), nil
}

// unicodeOrNational reads what scanToken leaves to the parser's scanner and what does
// not depend on the version: the N of a national string, which is a word before a
// plain string, and a quoted name with the prefix U&, in which no backslash hides a
// quote. A string with that prefix is an error under the setting.
func unicodeOrNational(sql string, at int) (end int, ok bool) {
	switch rest := sql[at:]; {
	case len(rest) > 1 && rest[0]|0x20 == 'n' && rest[1] == '\'':
		return at + 1, true
	case len(rest) > 2 && rest[0]|0x20 == 'u' && rest[1] == '&' && rest[2] == '"':
		end = quoteEnd(sql, at+2, '"')
		return end, end > 0
	}
	return 0, false
}

func unmasked(at int) error {
	return &rewrite.ParseError{Message: "strings with backslashes cannot be told apart from here on, while standard_conforming_strings is off", Offset: at}
}

// filled reports a string that may be one of those that mask filled.
func filled(arg node) bool {
	s := arg.get("String", "sval").str()
	return s != "" && strings.Trim(s, string(fill)) == ""
}

// unmask gives statements read from a masked text their own text back.
func unmask(sql string, statements []rewrite.Statement) {
	for i := range statements {
		st := &statements[i]
		st.Text = sql[st.Pos : st.Pos+len(st.Text)]
	}
}
