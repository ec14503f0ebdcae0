package mysql

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// charsetClass is a class of client character sets, as far as finding the ends of
// strings needs to tell them apart.
type charsetClass uint8

const (
	charsetUTF8MB4 charsetClass = iota
	charsetUTF8MB3
	// charsetSingle can be read byte by byte; see bytewise.
	charsetSingle
	// charsetHiding may hide a quote or a backslash inside a character that is not
	// ASCII's.
	charsetHiding
	// charsetOther may have other characters where ASCII has its quotes and its
	// backslash.
	charsetOther
)

// settings are what decides how a session's text is read. They are comparable.
type settings struct {
	mariadb bool
	// version is the server's own number: 80036 for MySQL 8.0.36, 101119 for
	// MariaDB 10.11.19.
	version int
	// foreign is a server that speaks MySQL's protocol with a lexer of its own.
	foreign bool

	ansiQuotes, pipesAsConcat, ignoreSpace, noBackslash, highNot bool
	// modeObstacle and charsetObstacle say why nothing can be read, empty if
	// all is well.
	modeObstacle, charsetObstacle string
	charset                       charsetClass
	database                      string
}

// obstacle says why text of such a session cannot be read, empty if it can.
func (s *settings) obstacle(text string) string {
	if s.charset == charsetOther || s.charset == charsetHiding && !isASCII(text) {
		return s.charsetObstacle
	}
	return s.modeObstacle
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (s *settings) set(setting, value string) {
	switch strings.ToLower(setting) {
	case "sql_mode":
		s.setMode(value)
	case "character_set_client":
		s.setCharset(value)
	case "server_version":
		s.setVersion(value)
	case "database":
		s.database = value
	}
}

// Bits of sql_mode when it is given as a number (sql_class.h, MODE_…); the same
// in both servers.
const (
	modePipesAsConcat      = 2
	modeANSIQuotes         = 4
	modeIgnoreSpace        = 8
	modeNoBackslashEscapes = 1 << 20
	modeHighNotPrecedence  = 1 << 29
)

func (s *settings) setMode(value string) {
	s.ansiQuotes, s.pipesAsConcat, s.ignoreSpace, s.noBackslash, s.highNot = false, false, false, false, false
	s.modeObstacle = ""
	if n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 64); err == nil {
		s.pipesAsConcat = n&modePipesAsConcat != 0
		s.ansiQuotes = n&modeANSIQuotes != 0
		s.ignoreSpace = n&modeIgnoreSpace != 0
		s.noBackslash = n&modeNoBackslashEscapes != 0
		s.highNot = n&modeHighNotPrecedence != 0
		return
	}
	for _, mode := range strings.Split(value, ",") {
		switch mode := strings.ToUpper(strings.TrimSpace(mode)); mode {
		case "ANSI_QUOTES":
			s.ansiQuotes = true
		case "PIPES_AS_CONCAT":
			s.pipesAsConcat = true
		case "IGNORE_SPACE":
			s.ignoreSpace = true
		case "NO_BACKSLASH_ESCAPES":
			s.noBackslash = true
		case "HIGH_NOT_PRECEDENCE":
			s.highNot = true
		case "ANSI", "DB2", "MAXDB", "POSTGRESQL":
			s.ansiQuotes, s.pipesAsConcat, s.ignoreSpace = true, true, true
		case "ORACLE", "MSSQL":
			// A grammar of its own: anonymous blocks, seq.NEXTVAL, [names].
			s.modeObstacle = "sql_mode " + mode + " has a grammar of its own"
		}
	}
}

// bytewise are the character sets of charsetSingle: those of one byte a character
// with ASCII in its lower half, and those in whose longer characters no byte is
// that of a quote or of the backslash. Not swe7, in which these are letters.
var bytewise = []string{"latin1", "ascii", "binary", "armscii8", "cp1250", "cp1251", "cp1256", "cp1257", "cp850", "cp852", "cp866", "dec8",
	"geostd8", "greek", "hebrew", "hp8", "keybcs2", "koi8r", "koi8u", "latin2", "latin5", "latin7", "macce", "macroman", "tis620",
	"eucjpms", "euckr", "gb2312", "ujis"}

// hiding are the character sets of charsetHiding.
var hiding = []string{"big5", "cp932", "gb18030", "gbk", "sjis"}

func (s *settings) setCharset(value string) {
	s.charsetObstacle = ""
	switch name := strings.ToLower(strings.TrimSpace(value)); name {
	case "utf8mb4":
		s.charset = charsetUTF8MB4
	case "utf8", "utf8mb3":
		s.charset = charsetUTF8MB3
	default:
		if slices.Contains(bytewise, name) {
			s.charset = charsetSingle
			return
		}
		s.charset = charsetOther
		if slices.Contains(hiding, name) {
			s.charset = charsetHiding
		}
		s.charsetObstacle = "character_set_client " + name + " may hide quotes inside characters"
	}
}

// replicationHack stands before the version in a MariaDB greeting, for the sake
// of old replicas (sql/mysqld.cc, RPL_VERSION_HACK).
const replicationHack = "5.5.5-"

func (s *settings) setVersion(value string) {
	lower := strings.ToLower(value)
	mariadb := strings.Contains(lower, "mariadb")
	number := value
	if mariadb {
		number = strings.TrimPrefix(number, replicationHack)
	}
	version := 0
	for i := range 3 {
		end := 0
		for end < len(number) && number[end] >= '0' && number[end] <= '9' {
			end++
		}
		part, err := strconv.Atoi(number[:end])
		if err != nil || (i > 0 && part > 99) || part > 999 {
			return // no version: keep what is known
		}
		version = version*100 + part
		number = number[end:]
		if i < 2 {
			if number == "" || number[0] != '.' {
				return
			}
			number = number[1:]
		}
	}
	s.mariadb, s.version = mariadb, version
	s.foreign = strings.Contains(lower, "tidb") || strings.Contains(lower, "vitess") || strings.Contains(lower, "singlestore") || strings.Contains(lower, "doris") || strings.Contains(lower, "starrocks")
}
