package mysql

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// fragments are what random statements are made of: words and marks that move the
// end of a statement, of a string or of a comment.
var fragments = []string{
	"SELECT", "a", "b", "FROM", "t", "u", "WHERE a > 2", "ORDER BY a", "GROUP BY b", "LIMIT", "LIMIT 3", "LIMIT 2, 5", "OFFSET", "OFFSET 1", "ROWS", "1 ROWS",
	"FETCH FIRST 2 ROWS ONLY", "FETCH NEXT ROW ONLY", "ROWS EXAMINED 1000", "WITH TIES", "UNION", "UNION ALL", "UNION SELECT a FROM u", "EXCEPT SELECT 2", "INTERSECT",
	"FOR UPDATE", "FOR SHARE", "LOCK IN SHARE MODE", "INTO @x", "DISTINCT", "count(*)", "max(a)", "count (*)", "OVER ()", "WITH ROLLUP", "HAVING 1", "WINDOW w AS (ORDER BY a)",
	"WITH x AS (SELECT a FROM t)", "TABLE t", "VALUES ROW(1), ROW(2)", "VALUES (1), (2)", "(", ")", "((", "))", ",", "*", "1", "5", "2.", ".5", "1e1", "-", "--", "-- ", "--\t", "#",
	"\n", " ", "/*", "*/", "/**/", "/*!", "/*! LIMIT 2 */", "/*!50000", "/*!50701 LIMIT 2 */", "/*!99999 LIMIT 2 */", "/*!100000 LIMIT 3 */", "/*M!", "/*M! LIMIT 2 */", "/*M!100100 LIMIT 2 */", "/*T! LIMIT 2 */",
	"/*+", "/*+ x */", "'", "\"", "`", "\\", "\\'", "''", "'a'", "\"a\"", "`a`", "'LIMIT 2'", "\"LIMIT 2\"", "`LIMIT 2`", ".", "t.", ".a", "@", "@x", "@@", ":=", "?", "AS", "x", "LIMIT 18446744073709551615",
	"SOUNDS LIKE", "NATURAL INNER JOIN u", "CAST(a AS INT)", "CAST(", "AS INT)", "QUALIFY", "QUALIFY 1", "FOR SYSTEM_TIME ALL", "FOR SYSTEM_TIME AS OF", "GROUPING SETS ((b), ())", "INTERSECT ALL SELECT a FROM u",
	"(VALUES (1), (2))", "UNION VALUES (1), (2)", "WITHIN GROUP (ORDER BY a)", "json_value(c, '$.a' RETURNING SIGNED)", "PREVIOUS VALUE FOR",
	"PROCEDURE ANALYSE()", "JOIN u USING (a)", "IN (SELECT a FROM u)", "EXISTS (SELECT 1)", "NULL", "FOR", "LOCK", "INTO", "NOT", "AND", "é", "_utf8mb4", "x'41'", "0x41", "$", "{", "}", "DUAL", "USE INDEX FOR ORDER BY (PRIMARY)",
}

// compareRandom runs random statements, whole and capped.
func compareRandom(t *testing.T, s *dbtest.Server, modes ...string) {
	c := connect(t, s)
	count := 1500
	if n, err := strconv.Atoi(os.Getenv("ROWCAP_RANDOM_STATEMENTS")); err == nil {
		count = n
	}
	seed := uint64(20261130)
	if n, err := strconv.ParseUint(os.Getenv("ROWCAP_RANDOM_SEED"), 10, 64); err == nil {
		seed = n
	}
	random := rand.New(rand.NewPCG(seed, 1))
	var queries []string
	d := c.dialect.(dialect)
	for _, form := range forms(t) {
		sources := split(form, &d.settings)
		if len(sources) == 1 && sources[0].fault == "" && sources[0].isQuery() && !sources[0].lookAt().volatile {
			queries = append(queries, form)
		}
	}
	for _, mode := range append(modes, "") {
		if a := c.ask("SET sql_mode = '" + mode + "'"); a.err != nil {
			t.Fatal(a.err)
		}
		c.dialect = c.dialect.With("sql_mode", mode)
		compared := 0
		for range count {
			text := mutate(random, queries)
			statements, err := c.dialect.Parse(text)
			if err != nil || len(statements) != 1 || strings.Contains(text, "?") {
				continue
			}
			settings := c.dialect.(dialect).settings
			sources := split(statements[0].Text, &settings)
			if len(sources) == 1 && (!sources[0].isQuery() || longName(sources[0])) {
				continue // nothing may change the tables
			}
			compared += c.compare(t, statements[0], false)
		}
		t.Logf("%s, sql_mode %q: %d capped statements compared", s.Version, mode, compared)
		if compared < count/20 {
			t.Errorf("only %d capped statements were compared", compared)
		}
	}
}

// mutate puts fragments into a query, or strings them together.
func mutate(random *rand.Rand, queries []string) string {
	fragment := func() string { return fragments[random.IntN(len(fragments))] }
	text := queries[random.IntN(len(queries))]
	for range 1 + random.IntN(3) {
		at := random.IntN(len(text) + 1)
		if random.IntN(2) == 0 { // at a word's end
			for at < len(text) && text[at] != ' ' {
				at++
			}
		}
		space := []string{"", " "}[random.IntN(2)]
		cut := 0
		if random.IntN(4) == 0 {
			cut = random.IntN(6)
		}
		text = text[:at] + space + fragment() + space + text[min(len(text), at+cut):]
	}
	return text
}

func TestRandomOnMariaDB(t *testing.T) {
	compareRandom(t, dbtest.MariaDB(t), "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT,IGNORE_SPACE")
}

func TestRandomOnMySQL(t *testing.T) {
	compareRandom(t, dbtest.MySQL(t), "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PIPES_AS_CONCAT,IGNORE_SPACE")
}

// longName reports a name of three parts: MariaDB 10.11.19 dies of
// SELECT t.a FROM t LEFT JOIN u USING (a) ORDER BY t.a .a
func longName(s *source) bool {
	for i := range s.tokens {
		if s.isOp(i, '.') && s.isOp(i+2, '.') {
			return true
		}
	}
	return false
}
