// Package postgres reads statements of PostgreSQL's grammar into facts, and writes
// a limit into them as byte edits.
//
// The parser is PostgreSQL's own (libpg_query, the grammar of PostgreSQL 17). It
// decides what a statement is; its scanner says where things stand; an edited
// text is parsed and scanned again and must be the same statement with the
// planned limit and no other difference.
package postgres

import (
	"strings"

	"github.com/rowcap/rowcap/rewrite"
)

// Dialect is PostgreSQL's grammar as one session's settings have it read.
type Dialect struct {
	// backslashes reports standard_conforming_strings = off: a backslash in a plain
	// string escapes (mask.go).
	backslashes bool
	// encoding is a client_encoding in which the bytes of a character beyond
	// ASCII may look like ASCII, "" if it is not such a one.
	encoding string
}

var _ rewrite.Dialect = Dialect{}

// New returns the dialect under the settings that a session starts with. In
// programs built without cgo the first call takes seconds: it compiles the
// parser.
func New() rewrite.Dialect {
	warmEngine()
	return Dialect{}
}

// Name returns postgres.
func (d Dialect) Name() string { return "postgres" }

// With follows standard_conforming_strings and client_encoding, as the server
// reports them by ParameterStatus. No other setting changes how SQL is read.
func (d Dialect) With(setting, value string) rewrite.Dialect {
	changed := d
	switch strings.ToLower(setting) {
	case "standard_conforming_strings":
		changed.backslashes = !isOn(value)
	case "client_encoding":
		changed.encoding = ""
		if !asciiSafe(value) {
			changed.encoding = value
		}
	}
	return changed
}

// isOn reads a boolean setting's value; what is not certainly on is off.
func isOn(value string) bool {
	switch strings.ToLower(value) {
	case "on", "true", "yes", "1":
		return true
	}
	return false
}

// asciiSafe reports an encoding in which every byte of a character beyond ASCII
// has its high bit set, so that no such character can be taken for a quote or a
// backslash. These are the encodings that PostgreSQL allows for a server, and
// by their absence the client-only ones BIG5, GB18030, GBK, JOHAB,
// SHIFT_JIS_2004, SJIS and UHC. Names are compared as the server does it
// (clean_encoding_name in src/common/encnames.c).
func asciiSafe(encoding string) bool {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, encoding)
	switch clean {
	case "utf8", "unicode", "sqlascii", "abc", "alt", "tcvn", "tcvn5712", "vscii", "win",
		"euccn", "eucjis2004", "eucjp", "euckr", "euctw", "koi8", "koi8r", "koi8u", "muleinternal":
		return true
	}
	for _, family := range []string{"latin", "iso8859", "win12", "win8", "windows12", "windows8"} {
		if digits, ok := strings.CutPrefix(clean, family); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			// win932, win936, win949 and win950 are the unsafe ones; none matches.
			return true
		}
	}
	return false
}

// checkSettings reports text that the session's settings may have the server read
// in another way than the parser does.
func (d Dialect) checkSettings(sql string) error {
	if d.encoding != "" {
		for i := range len(sql) {
			if sql[i] >= 0x80 {
				return &rewrite.ParseError{Message: "characters beyond ASCII cannot be told apart while client_encoding is " + d.encoding, Offset: i}
			}
		}
	}
	return nil
}

// obstacle says why no limit is written under the session's settings, "" if it can
// be.
func (d Dialect) obstacle() string {
	if d.encoding != "" {
		return "client_encoding is " + d.encoding
	}
	return ""
}
