package property

import "strings"

// family makes hostile texts of about a given size.
type family struct {
	name                     string
	head, open, middle, shut string
	tail                     string
	huge                     bool // read at 64 MiB in every run
}

// text returns a text of about size bytes.
func (f family) text(size int) string {
	n := size / (len(f.open) + len(f.shut))
	return f.head + strings.Repeat(f.open, n) + f.middle + strings.Repeat(f.shut, n) + f.tail
}

// families are for all dialects: what one does not know is hostile all the same.
var families = []family{
	{"brackets", "SELECT ", "(", "1", ")", "", false},
	{"open brackets", "SELECT ", "(", "", "", "", true},
	{"closing brackets", "SELECT 1", ")", "", "", "", false},
	{"brackets around", "", "(", "SELECT 1", ")", "", false},
	{"brackets around, limits", "", "(", "SELECT 1", " LIMIT 2)", "", false},
	{"square brackets", "SELECT ", "ARRAY[", "1", "]", "", false},
	{"subscripts", "SELECT a", "[1]", "", "", " FROM t", false},
	{"nested selects", "", "SELECT (", "1", ")", "", true},
	{"derived tables", "", "SELECT * FROM (", "SELECT 1", ") x", "", false},
	{"nested exists", "SELECT a FROM t WHERE ", "EXISTS (SELECT 1 FROM t WHERE ", "1=1", ")", "", false},
	{"nested with", "", "WITH a AS (", "SELECT 1", ") SELECT 1", "", false},
	{"sum", "SELECT 1", "+1", "", "", "", true},
	{"operators", "SELECT 1", "+", "", "", "1", false},
	{"stars and slashes", "SELECT 1 ", "*/", "", "", "1", false},
	{"minus signs", "SELECT ", "- ", "1", "", "", false},
	{"tildes", "SELECT ", "~ ", "1", "", "", false},
	{"NOT", "SELECT ", "NOT ", "true", "", "", false},
	{"AND", "SELECT a FROM t WHERE a", " AND a", "", "", "", false},
	{"CASE", "SELECT ", "CASE WHEN a THEN ", "1", " END", "", false},
	{"CASE, open", "SELECT ", "CASE ", "", "", "", false},
	{"casts", "SELECT 1", "::int", "", "", "", false},
	{"comments", "SELECT 1 ", "/**/", "", "", "", true},
	{"comments and blanks", "SELECT 1 ", "/**/ ", "", "", "FROM t", false},
	{"line comments", "SELECT 1 ", "--\n", "", "", "FROM t", false},
	{"hash comments", "SELECT 1 ", "#\n", "", "", "FROM t", false},
	{"nested comments", "SELECT 1 ", "/*", "", "*/", " FROM t", false},
	{"nested comments, open", "SELECT 1 ", "/*", "", "", "", false},
	{"executable comments", "SELECT 1 ", "/*!+1*/", "", "", " FROM t", true},
	{"executable comments, nested", "SELECT 1 ", "/*!50000 ", "", "*/", " FROM t", false},
	{"executable comments, open", "SELECT 1 ", "/*!", "", "", "", false},
	{"executable comments of another", "SELECT 1 ", "/*!99999 LIMIT 2 */", "", "", "", false},
	{"hints", "SELECT ", "/*+ a */", "", "", " 1 FROM t", false},
	{"blanks", "SELECT ", " ", "", "", "1 FROM t", false},
	{"columns", "SELECT 1", ",1", "", "", " FROM t", false},
	{"list", "SELECT a FROM t WHERE a IN (1", ",1", "", "", ") LIMIT 5", false},
	{"rows", "VALUES (1,'a')", ",(1,'a')", "", "", "", false},
	{"insert", "INSERT INTO t VALUES (1,'a')", ",(1,'a')", "", "", " RETURNING a", true},
	{"unions", "SELECT 1", " UNION SELECT 1", "", "", "", false},
	{"unions in brackets", "", "(SELECT 1 UNION ", "SELECT 1", ")", "", false},
	{"joins", "SELECT a FROM t", " JOIN t ON a=a", "", "", "", false},
	{"statements", "", "SELECT 1;", "", "", "", true},
	{"statements, unreadable", "", "SELEC 1;", "", "", "", false},
	{"statements with limits", "", "SELECT a FROM t LIMIT 5000;", "", "", "", false},
	{"semicolons", "", ";", "", "", "", false},
	{"placeholders", "SELECT a FROM t WHERE a IN (?", ",?", "", "", ") LIMIT ?", true},
	{"numbered placeholders", "SELECT a FROM t WHERE a IN ($1", ",$2", "", "", ") LIMIT $3", false},
	{"variables", "SELECT ", "@", "", "", "", false},
	{"dots", "SELECT a", ".a", "", "", " FROM t", false},
	{"strings in a row", "SELECT ", "'a' ", "", "", "", false},
	{"strings on lines", "SELECT ", "'a'\n", "", "", "", false},
	{"a string", "SELECT '", "x", "", "", "' FROM t", true},
	{"quotes in a string", "SELECT '", "''", "", "", "' FROM t", false},
	{"backslashes in a string", "SELECT '", "\\", "", "", "' FROM t", false},
	{"an open string", "SELECT '", "x", "", "", "", false},
	{"an open name", "SELECT \"", "x", "", "", "", false},
	{"an open backquote", "SELECT `", "x", "", "", "", false},
	{"an open comment", "SELECT 1 /*", "x", "", "", "", false},
	{"an open dollar quote", "SELECT $a$", "$b$ ", "", "", "", false},
	{"dollars", "SELECT ", "$", "", "", "", false},
	{"dollar quotes", "SELECT 1", ",$a$x$a$", "", "", "", false},
	{"a name", "SELECT ", "n", "", "", " FROM t", false},
	{"a number", "SELECT ", "9", "", "", " FROM t", false},
	{"a limit", "SELECT a FROM t LIMIT ", "9", "", "", "", false},
	{"zeros of a limit", "SELECT a FROM t LIMIT ", "0", "5", "", "", false},
	{"limits", "SELECT a FROM t", " LIMIT 5", "", "", "", false},
	{"limits in a row", "SELECT a FROM t WHERE a IN (SELECT 1", " FROM t LIMIT 5 UNION SELECT 1", "", "", ")", false},
	{"a comment", "SELECT a FROM t /* ", "x", "", "", " */", false},
	{"NUL", "SELECT a FROM t ", "\x00", "", "", "", false},
	{"NUL in a string", "SELECT '", "\x00", "", "", "' FROM t", false},
	{"broken characters", "SELECT '", "\xff\xc3", "", "", "' FROM t", false},
	{"broken characters, bare", "SELECT ", "\xc3", "", "", " FROM t", false},
	{"long characters", "SELECT '", "\U0001F600", "", "", "' FROM t", false},
	{"FOR UPDATE", "SELECT a FROM t", " FOR UPDATE", "", "", "", false},
	{"fetch", "FETCH ", "- ", "5 FROM c", "", "", false},
	{"explain", "", "EXPLAIN ", "SELECT 1", "", "", false},
	{"national strings", "SELECT ", "N'a' ", "", "", "", false},
	{"commas", "SELECT ", ",", "", "", "", false},
	{"keywords", "", "SELECT ", "", "", "", false},
}
