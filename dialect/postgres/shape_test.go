package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// shapeOf returns the key and the tokens of sql.
func shapeOf(d Dialect, sql string) (key []byte, spans []int32, ok bool) {
	return d.Shape(sql, nil, nil)
}

// TestShapesEqual has groups of texts that share a shape.
func TestShapesEqual(t *testing.T) {
	for _, group := range [][]string{
		{"SELECT a FROM t WHERE id = 5", "SELECT a FROM t WHERE id = 123456789", "SELECT  a\n\tFROM t -- c\nWHERE id = /* 1 /* 2 */ */ 42 -- LIMIT 5", "/*hint*/SELECT a FROM t WHERE id = 9"},
		{"SELECT 'a'", "SELECT ''", "SELECT 'it''s'", `SELECT '\'`, "SELECT ' LIMIT 5 --'", "SELECT 'zażółć'", "SELECT '\xff\xfe'", "SELECT '/*'", "SELECT 'a\nb'", "SELECT 'a' "},
		{"SELECT E'a'", "SELECT e'it''s'", "SELECT E''"},
		{"SELECT $$a$$", "SELECT $x$ $$ $y$ ' $x$", "SELECT $ż1$$ż1$", "SELECT $$$a$$"},
		{"SELECT 1.5", "SELECT 007.0", "SELECT 123456789012345678901234567890.1"},
		{"SELECT a FROM t LIMIT 2 OFFSET 10", "SELECT a FROM t LIMIT 2147483647 OFFSET 2"},
		{"SELECT a FROM t WHERE id = 1764530000000 LIMIT 2147483648", "SELECT a FROM t WHERE id = 2147483648 LIMIT 999999999999999999"},
		{"FETCH 5 FROM c", "FETCH 2 FROM c"},
		{"SELECT 10;SELECT 20", "SELECT 30;SELECT 40 -- c", "/**/SELECT 30;SELECT 40"},
		{"VALUES (1, 'a', 20)", "VALUES (1, '', 30)"},
	} {
		checkShared(t, Dialect{}, group, true)
	}
}

// TestShapesDiffer has groups of texts of which no two share a shape.
func TestShapesDiffer(t *testing.T) {
	for _, group := range [][]string{
		{"SELECT a FROM t LIMIT 0", "SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2", "SELECT a FROM t LIMIT 02", "SELECT a FROM t LIMIT 2.0",
			"SELECT a FROM t LIMIT 2.", "SELECT a FROM t LIMIT .2", "SELECT a FROM t LIMIT 2e0", "SELECT a FROM t LIMIT '2'", "SELECT a FROM t LIMIT 2147483648",
			"SELECT a FROM t LIMIT $2", "SELECT a FROM t LIMIT -2", "SELECT a FROM t LIMIT - 2", "SELECT a FROM t LIMIT (2)", "SELECT a FROM t LIMIT(2)",
			"SELECT a FROM t LIMIT x2", "SELECT a FROM t LIMIT $$2$$", "SELECT a FROM t LIMIT E'2'", "SELECT a FROM t LIMIT B'2'", "SELECT a FROM t LIMIT E'\\2'"},
		{"SELECT 2147483647", "SELECT 2147483648", "SELECT 999999999999999999.0", "SELECT 1000000000000000000", "SELECT 02147483647"},
		{"SELECT float '5'", "SELECT CAST(5 AS float(24))", "SELECT CAST(5 AS float(25))", "SELECT CAST(5 AS float(54))", "SELECT CAST(5 AS Float /**/ (/**/ 53))"},
		{"SELECT a b", "SELECT ab", `SELECT "ab"`, `SELECT "a b"`, "SELECT AB", "SELECT a.b", "SELECT a . b", "SELECT a , b", "SELECT (a, b)"},
		{"SELECT 12 23", "SELECT 1223", "SELECT 12 2.3", "SELECT 12, 23", "SELECT 12,23", "SELECT 12 ,23"},
		{"SELECT a<-1", "SELECT a< -1", "SELECT a <- 1", "SELECT a < - 1", "SELECT a<@-1", "SELECT a<@ -1", "SELECT a <-1", "SELECT a<=-1"},
		{"SELECT $1", "SELECT $2", "SELECT $10", "SELECT $1 2"},
		{"SELECT 10", "SELECT 10;", ";SELECT 10", "SELECT 10;;"},
		{"SELECT E'\\n'", "SELECT E'\\t'", "SELECT X'1'", "SELECT X'2'", "SELECT B'1'"},
		{"SELECT wwa", "SELECT w wa", "SELECT \"w\"wa", "SELECT ww a"},
	} {
		checkShared(t, Dialect{}, group, false)
	}
}

// TestShapesOfEscapes has texts whose plain strings hold backslashes that escape.
func TestShapesOfEscapes(t *testing.T) {
	d := Dialect{backslashes: true}
	checkShared(t, d, []string{`SELECT 'a', b`, `SELECT 'a\'', b`, `SELECT '\\', b`, `SELECT '\',', b`, `SELECT ' '' \' ', b`, `SELECT 'zażółć \\\'', b`, `SELECT '\xzz', b`}, true)
	checkShared(t, d, []string{`SELECT 'a\'', 'b`, `SELECT E'\'', 'b'`, `SELECT 'a', 'b'`, `SELECT E'a', 'b'`, `SELECT $$\'$$, 'b'`, `SELECT "\", 'b'`}[1:], false)
	for _, sql := range []string{`SELECT 'a\'`, `SELECT 'a\'' 'b'`, `SELECT B'1' '\''`, `SELECT U&"\0061"`, `SELECT n'\''`, `SELECT 'a' \ 'b'`, `SELECT '\`} {
		if key, _, ok := shapeOf(d, sql); ok {
			t.Errorf("%q has the shape %q", sql, key)
		}
	}
}

func checkShared(t *testing.T, d Dialect, group []string, want bool) {
	t.Helper()
	seen := map[string]string{}
	for _, sql := range group {
		key, _, ok := shapeOf(d, sql)
		if !ok {
			t.Errorf("%q has no shape", sql)
			continue
		}
		if other, shared := seen[string(key)]; shared != want && len(seen) > 0 {
			t.Errorf("%q shares its shape: %t (with %q); want %t", sql, shared, other, want)
		}
		seen[string(key)] = sql
	}
}

// TestNoShape has texts that the parser has to read.
func TestNoShape(t *testing.T) {
	for _, sql := range []string{
		"SELECT 'a", "SELECT \"a", "SELECT \"\"", "SELECT $a$b$A$", "SELECT $a", "SELECT $", "SELECT /* /* */", "SELECT E'\\'", "SELECT B'1",
		"SELECT 'a' 'b'", "SELECT 'a'\n'b'", "SELECT E'a'\n'b'", "SELECT 'a' -- c\n'b'", "SELECT X'1''2'", "SELECT B'0'\n'1'", "SELECT $$a$$ 'b'",
		"SELECT N'a'", "SELECT U&'a'", "SELECT U&\"a\"", "SELECT u&'a' UESCAPE '!'",
		"SELECT 0x1F", "SELECT 0b1", "SELECT 0o7", "SELECT 1_000", "SELECT 123abc", "SELECT 1e", "SELECT 1e+", "SELECT 1.5e", "SELECT 1..10", "SELECT 1.2.3",
		"SELECT 1.x", "SELECT 1ż", "SELECT 1$1", "SELECT $1abc", "SELECT $1_", "SELECT a..b",
		"SELECT a NOT /* c */ IN (5)", "SELECT a FROM t ORDER BY a nulls--\nFIRST", "SELECT format /**/ json", "SELECT a::time WITH /**/ TIME ZONE", "WITH/**/a AS (SELECT 1) SELECT 2",
		"SELECT\x00", "SELECT 'a\x00'", "SELECT a \\ b", "SELECT {", "SELECT \x01", "SELECT \x7f",
		"SELECT a " + strings.Repeat("=", 64) + " b", "SELECT '" + strings.Repeat("-", 300) + "'", "SELECT 1 /" + strings.Repeat("*", 300) + "/",
		"SELECT '" + strings.Repeat("a", maxShape) + "'",
		"EXPLAIN (ANALYZE 'false') DELETE FROM t", "SHOW a", "SET a = 5", "COPY t TO STDOUT", "CREATE TABLE t (a int)", "PREPARE p AS SELECT 5", "'a'", "5", "\"select\" 5",
		"SELECT 5; EXPLAIN SELECT 5", "do $$ $$", "(EXPLAIN SELECT 5)",
	} {
		if key, _, ok := shapeOf(Dialect{}, sql); ok {
			t.Errorf("%q has the shape %q", sql, key)
		}
	}
	if _, _, ok := New().With("client_encoding", "SJIS").(Dialect).Shape("SELECT 5", nil, nil); ok {
		t.Error("a shape is told under client_encoding = SJIS")
	}
}

// TestShapeComments has texts that the parser takes in two ways with a comment and
// without, so that no key may hold for both.
func TestShapeComments(t *testing.T) {
	for _, pair := range [][2]string{
		{"SELECT format /**/ json", "SELECT format json"},
		{"SELECT nulls -- c\nfirst FROM t", "SELECT nulls \nfirst FROM t"},
		{"SELECT a FROM nulls/**/first", "SELECT a FROM nulls first"},
	} {
		with, errWith := New().Parse(pair[0])
		without, errWithout := New().Parse(pair[1])
		if errWith != nil || errWithout != nil || with[0].Kind == without[0].Kind {
			t.Errorf("%q and %q are read alike: %+v, %v and %+v, %v", pair[0], pair[1], with, errWith, without, errWithout)
		}
		if _, _, ok := shapeOf(Dialect{}, pair[0]); ok {
			t.Errorf("%q has a shape", pair[0])
		}
	}
}

// TestShapeAppends holds Shape to what it is given.
func TestShapeAppends(t *testing.T) {
	d := Dialect{}
	const sql = "SELECT CAST(a AS float(53)), 'x' FROM t WHERE a = 77 AND b NOT IN (5, 6);"
	key, spans, ok := shapeOf(d, sql)
	k, s, okToo := d.Shape(sql, []byte("key"), []int32{7, 8, 9, 10})
	if !ok || !okToo || string(k) != "key"+string(key) || !slices.Equal(s, append([]int32{7, 8, 9, 10}, spans...)) {
		t.Errorf("appended to others: %q %v, alone %q %v", k, s, key, spans)
	}
	if n := testing.AllocsPerRun(100, func() { k, s, _ = d.Shape(sql, k[:0], s[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, text := range benchTexts {
		if _, _, ok := shapeOf(d, text.sql); !ok {
			t.Errorf("%s has no shape", text.name)
		}
	}
}

// checkScan compares a text's tokens with those of the parser's own scanner. Where
// that refuses the text the parser does as well.
func checkScan(t *testing.T, d Dialect, sql string, spans []int32) {
	t.Helper()
	masked, err := d.mask(sql)
	if err != nil {
		t.Errorf("%q: has a shape, and is not masked: %v", sql, err)
		return
	}
	tokens, err := scan(masked)
	if err != nil {
		if statements, err := d.Parse(sql); err == nil {
			for _, st := range statements {
				if st.Kind == rewrite.KindUnknown {
					return
				}
			}
			t.Errorf("%q: read, but not scanned", sql)
		}
		return
	}
	want := []int32{}
	for _, token := range newWords(masked, tokens).tokens {
		want = append(want, token.start, token.end)
	}
	if !slices.Equal(spans, want) {
		t.Errorf("%q: tokens at\n%v, want\n%v", sql, spans, want)
	}
}
