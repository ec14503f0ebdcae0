package mysql

import (
	"strings"
	"testing"
	"time"
)

// shapePairs are pairs of texts that have the same key, or must not.
var shapePairs = []struct {
	a, b string
	same bool
}{
	{"SELECT a FROM t WHERE b = 2 LIMIT 5", "SELECT a FROM t WHERE b = 987654321 LIMIT 10", true},
	{"SELECT a FROM t WHERE b = 'x' AND c = 'y'", "SELECT a FROM t WHERE b = 'it''s \\' -- LIMIT 5' AND c = ''", true},
	{"SELECT a FROM t WHERE b = 12.5", "SELECT a FROM t WHERE b = 0.25", true},
	{"SELECT a FROM t WHERE b IN (2, 30)", "SELECT a FROM t WHERE b IN /* c */ (400,\n5) -- d", true},
	{"SELECT a FROM t WHERE b LIKE 'x%' OR b BETWEEN '2' AND '3'", "SELECT a FROM t WHERE b LIKE '%' OR b BETWEEN '' AND 'é'", true},
	{"SELECT a FROM t; SELECT b FROM t LIMIT 2", "  SELECT a FROM t;\nSELECT b FROM t LIMIT 30 # c", true},
	{"SELECT /*+ MAX_EXECUTION_TIME(9) */ a FROM t WHERE b = 2", "SELECT  /*+ MAX_EXECUTION_TIME(9) */ a FROM t WHERE b = 3", true},
	{"SELECT a + INTERVAL '1' DAY, DATE '2026-01-01' FROM t", "SELECT a + INTERVAL '1:1' DAY, DATE '' FROM t", true},
	{"SELECT CASE WHEN 'a' THEN 'b' ELSE 'c' END FROM t", "SELECT CASE WHEN '' THEN 'bb' ELSE 'd' END FROM t", true},
	{"SELECT DATE_FORMAT(a, '%Y') FROM t WHERE MATCH (a) AGAINST ('x' IN BOOLEAN MODE)", "SELECT DATE_FORMAT(a, '') FROM t WHERE MATCH (a) AGAINST ('+y -z' IN BOOLEAN MODE)", true},
	{"INSERT INTO t VALUES (2, 'x')", "INSERT INTO t VALUES (30, 'yy')", true},
	{"SELECT a FROM t ORDER BY 2 LIMIT 4 OFFSET 6", "SELECT a FROM t ORDER BY 3 LIMIT 6 OFFSET 4", true},
	{"SELECT CAST(a AS DECIMAL(10, 2)), CAST(a AS CHAR(5)) FROM t", "SELECT CAST(a AS DECIMAL(65, 30)), CAST(a AS CHAR(999999999)) FROM t", true},

	// Numbers that are kept.
	{"SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2", false},
	{"SELECT a FROM t LIMIT 0", "SELECT a FROM t LIMIT 1", false},
	{"SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 05", false},
	{"SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5000000000", false},
	{"SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 0x8", false},
	{"SELECT a FROM t LIMIT 5", "SELECT a FROM t LIMIT 5.5", false},
	{"SELECT a FROM t WHERE b = 5.5", "SELECT a FROM t WHERE b = 5.5e1", false},
	{"SELECT a FROM t WHERE b = 5.5", "SELECT a FROM t WHERE b = .5", false},
	{"SELECT a FROM t WHERE b = 5.5", "SELECT a FROM t WHERE b = 5.", false},
	{"SELECT a FROM t WHERE b = 5.5", "SELECT a FROM t WHERE b = 05.5", false},
	{"SELECT 5e FROM t", "SELECT 6e FROM t", false},
	{"SELECT a FROM t WHERE id = 1764530000000 LIMIT 4294967296", "SELECT a FROM t WHERE id = 2147483648 LIMIT 999999999999999999", true},
	{"SELECT a FROM t LIMIT 999999999", "SELECT a FROM t LIMIT 1000000000", false},
	{"SELECT a FROM t LIMIT 999999999999999999", "SELECT a FROM t LIMIT 1000000000000000000", false},
	{"SELECT t.5 FROM t", "SELECT t.6 FROM t", false},
	{"SELECT a FROM t. 5", "SELECT a FROM t. 6", false},
	{"SELECT t. 5.5 FROM t", "SELECT t. 5.6 FROM t", false},
	{"SELECT @5 FROM t", "SELECT @6 FROM t", false},
	{"SELECT CAST(a AS FLOAT(53)) FROM t", "SELECT CAST(a AS FLOAT(54)) FROM t", false},
	{"SELECT rand() FROM t", "SELECT rand(5) FROM t", false},

	// Strings that are kept.
	{"SELECT a AS 'x' FROM t", "SELECT a AS 'y' FROM t", false},
	{"SELECT a 'x' FROM t", "SELECT a 'y' FROM t", false},
	{"SELECT t.like 'x' FROM t", "SELECT t.like 'y' FROM t", false},
	{"SELECT 'a' 'x' FROM t", "SELECT 'a' 'y' FROM t", false},
	{"SELECT a->'$.x' FROM t", "SELECT a->'$.y' FROM t", false},
	{"SELECT a->>'$.x' FROM t", "SELECT a->>'$.y' FROM t", false},
	{"SELECT a COLLATE 'x' FROM t", "SELECT a COLLATE 'y' FROM t", false},
	{"SELECT CONVERT(a USING 'latin1') FROM t", "SELECT CONVERT(a USING 'x') FROM t", false},
	{"SELECT CAST(a AS CHAR CHARACTER SET 'latin1') FROM t", "SELECT CAST(a AS CHAR CHARACTER SET 'x') FROM t", false},
	{"SELECT a FROM t WHERE b LIKE 'x' ESCAPE '|'", "SELECT a FROM t WHERE b LIKE 'x' ESCAPE 'ab'", false},
	{"SELECT x'41' FROM t", "SELECT x'42' FROM t", false},
	{"SELECT b'01' FROM t", "SELECT b'11' FROM t", false},
	{"SELECT N'a' FROM t", "SELECT N'b' FROM t", false},
	{"SELECT _utf8mb4'a' FROM t", "SELECT _utf8mb4'b' FROM t", false},
	{"SELECT _utf8mb4 'a' FROM t", "SELECT _utf8mb4 'b' FROM t", false},
	{"SELECT {d '2026-01-01'} FROM t", "SELECT {d '2026-01-02'} FROM t", false},
	{"SELECT @'x' FROM t", "SELECT @'y' FROM t", false},
	{"SELECT a FROM t INTO OUTFILE 'x'", "SELECT a FROM t INTO OUTFILE 'y'", false},
	{"SELECT GROUP_CONCAT(a SEPARATOR 'x') FROM t", "SELECT GROUP_CONCAT(a SEPARATOR 'y') FROM t", false},

	// Tokens and what joins them.
	{"SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = \"x\"", false},
	{"SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'x''y", false},
	{"SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'x' 'y'", false},
	{"SELECT a FROM t WHERE b = 2", "SELECT a FROM t WHERE b = '2'", false},
	{"SELECT count(a) FROM t", "SELECT count (a) FROM t", false},
	{"SELECT count(a) FROM t", "SELECT count/**/(a) FROM t", false},
	{"SELECT a FROM t WHERE b = 5--2", "SELECT a FROM t WHERE b = 5-- 2", false},
	{"SELECT a FROM t WHERE b = 5-2", "SELECT a FROM t WHERE b = 5--2", false},
	{"SELECT `a` FROM t", "SELECT a FROM t", false},
	{"SELECT a FROM t /*+ SET_VAR(sql_select_limit=2) */", "SELECT a FROM t", false},
	{"SELECT /*+ SET_VAR(sql_select_limit=2) */ a FROM t", "SELECT /*+ SET_VAR(sql_select_limit=3) */ a FROM t", false},
	{"SELECT a FROM t FOR UPDATE", "SELECT a FROM t FOR SHARE", false},
	{"SELECT a FROM mysql.user", "SELECT a FROM shop.user", false},
	{"SELECT sleep(2)", "SELECT sloop(2)", false},
	{"SELECT a FROM t LIMIT ?", "SELECT a FROM t LIMIT 5", false},
}

func TestShapePairs(t *testing.T) {
	d := New().(dialect)
	for _, pair := range shapePairs {
		a, okA := takeApart(t, d, pair.a)
		b, okB := takeApart(t, d, pair.b)
		if !okA && !okB {
			t.Errorf("neither %q nor %q has a shape", pair.a, pair.b)
			continue
		}
		if same := okA && okB && a.key == b.key; same != pair.same {
			t.Errorf("%q (%t %q) and %q (%t %q): the same %t, want %t", pair.a, okA, a.key, pair.b, okB, b.key, same, pair.same)
		}
		if pair.same {
			checkSame(t, d, a, b)
		}
	}
}

// TestNoShape has texts that have to be parsed.
func TestNoShape(t *testing.T) {
	for _, c := range []struct {
		name, sql string
		d         dialect
	}{
		{"executable comment", "SELECT a FROM t /*! LIMIT 5 */", sessionOf(0)},
		{"version comment", "SELECT a FROM t /*!50000 LIMIT 5 */", sessionOf(0)},
		{"MariaDB's comment", "SELECT a FROM t /*M! LIMIT 5 */", sessionOf(1)},
		{"TiDB's comment", "SELECT a FROM t /*T! LIMIT 5 */", sessionOf(0)},
		{"open comment", "SELECT a FROM t /* LIMIT 5", sessionOf(0)},
		{"open string", "SELECT 'a FROM t", sessionOf(0)},
		{"open string behind a backslash", `SELECT 'a\' FROM t`, sessionOf(0)},
		{"backslash at the end", `SELECT 'a\`, sessionOf(0)},
		{"open name", "SELECT `a FROM t", sessionOf(0)},
		{"open hint", "SELECT /*+ `x */ a FROM t", sessionOf(0)},
		{"NUL", "SELECT a\x00 FROM t", sessionOf(0)},
		{"NUL in a string", "SELECT 'a\x00' FROM t", sessionOf(0)},
		{"NUL behind a backslash", "SELECT 'a\\\x00' FROM t", sessionOf(0)},
		{"NUL in a comment", "SELECT a /* \x00 */ FROM t", sessionOf(0)},
		{"NUL at the end of a line", "SELECT a FROM t -- \x00", sessionOf(0)},
		{"invalid string", "SELECT '\xff' FROM t", sessionOf(0)},
		{"invalid behind a backslash", "SELECT '\\\xff' FROM t", sessionOf(0)},
		{"invalid name", "SELECT a\xff FROM t", sessionOf(0)},
		{"long character in utf8mb3", "SELECT '😀' FROM t", sessionOf(16)},
		{"no ASCII in latin1", "SELECT a\xe9 FROM t", sessionOf(8)},
		{"dollar", "SELECT $a FROM t", sessionOf(0)},
		{"dashes before a wide character", "SELECT 5--\xe9", sessionOf(8)},
		{"control character", "SELECT a \x01 FROM t", sessionOf(0)},
		{"backslash", `SELECT \N FROM t`, sessionOf(0)},
		{"parameter in a name", "SELECT ?a FROM t", sessionOf(0)},
		{"variable without a name", "SELECT @ FROM t", sessionOf(0)},
		{"CREATE", "CREATE TABLE t AS SELECT 2", sessionOf(0)},
		{"EXPLAIN behind another", "SELECT 2; EXPLAIN SELECT 2", sessionOf(0)},
		{"a name first", "`SELECT` a", sessionOf(0)},
		{"a string first", "'SELECT'", sessionOf(0)},
		{"no ASCII in gbk", "SELECT '\xbf' FROM t", New().With("character_set_client", "gbk").(dialect)},
		{"swe7", "SELECT a FROM t", New().With("character_set_client", "swe7").(dialect)},
		{"ORACLE", "SELECT a FROM t", NewMariaDB().With("sql_mode", "ORACLE").(dialect)},
		{"too long", "SELECT a FROM t WHERE b IN (2" + strings.Repeat(",2", maxShape/2) + ")", sessionOf(0)},
	} {
		if key, _, ok := c.d.Shape(c.sql, nil, nil); ok {
			t.Errorf("%s: %q has the shape %q", c.name, c.sql, key)
		}
	}
}

// TestShapeOfSessions has texts whose tokens depend on the session.
func TestShapeOfSessions(t *testing.T) {
	for _, c := range []struct {
		sql     string
		session uint8
		key     string
	}{
		{`SELECT "a" FROM t`, 0, "SELECT \x04 FROM t"},
		{`SELECT "a" FROM t`, 4, `SELECT "a" FROM t`},
		{`SELECT 'a\' FROM t WHERE b = '`, 0, "SELECT \x03"},
		{`SELECT 'a\' FROM t WHERE b = '`, 2, ""},
		{`SELECT 'a\' FROM t`, 2, "SELECT \x03 FROM t"},
		{"SELECT $a, 'a' FROM t", 1, "SELECT $a, \x03 FROM t"},
		{"SELECT '\xe9' FROM t", 8, "SELECT \x03 FROM t"},
		{"SELECT `\xe9` FROM t", 8, "SELECT `\xe9` FROM t"},
		{"SELECT é, '😀' FROM t", 0, "SELECT é, \x03 FROM t"},
		{" /* a */\n SELECT\ta FROM t ; -- b", 0, "SELECT a FROM t ;"},
		{" /* a */ ", 0, ""},
	} {
		key, _, ok := sessionOf(c.session).Shape(c.sql, nil, nil)
		if ok != (c.key != "" || strings.Contains(c.sql, "/* a */ ")) || ok && string(key) != c.key {
			t.Errorf("%q in session %d: %t %q, want %q", c.sql, c.session, ok, key, c.key)
		}
	}
}

func TestShapeAllocatesNothing(t *testing.T) {
	d := New().(dialect)
	sql := longCTE + "; SELECT `a`, 'é', 5.5, 5e5, @x, @@y, a.b.c, .5 /*+ x */ # c"
	key, spans := make([]byte, 0, maxShape), make([]int32, 0, maxShape)
	if n := testing.AllocsPerRun(100, func() {
		if _, _, ok := d.Shape(sql, key, spans); !ok {
			t.Fatal("no shape")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestShapeOfHazards reads what would harm the parsers, as much of it as has shapes.
func TestShapeOfHazards(t *testing.T) {
	var key []byte
	var spans []int32
	for name, sql := range hazards() {
		sql = sql[:min(len(sql), maxShape)]
		begin := time.Now()
		var ok bool
		key, spans, ok = New().(dialect).Shape(sql, key[:0], spans[:0])
		if took := time.Since(begin); took > 20*time.Second { // quadratic in a mebibyte takes longer
			t.Errorf("%s took %v", name, took)
		}
		if ok && (len(key) > 2*len(sql) || len(spans) > 2*len(sql)) {
			t.Errorf("%s: a key of %d bytes and %d tokens of %d bytes", name, len(key), len(spans)/2, len(sql))
		}
	}
}
