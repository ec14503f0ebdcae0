package postgres

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// corpus returns the statements of the package's test data.
func corpus(t testing.TB) []string {
	t.Helper()
	texts := append(append(append([]string{}, samples.Limitable...), samples.Refused...), samples.Scripts...)
	clients, err := filepath.Glob("testdata/clients/*.sql")
	if err != nil || len(clients) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range clients {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.Split(strings.TrimSpace(string(content)), "\n----\n")...)
	}
	golden, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(golden) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range golden {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(content), "\n\n") {
			head, body, _ := strings.Cut(block, "\n")
			sql, _, found := strings.Cut(body, "\n----\n")
			if found && (strings.HasPrefix(head, "facts") || strings.HasPrefix(head, "limit")) {
				texts = append(texts, sql)
			}
		}
	}
	return texts
}

// TestShapeCorpus tells the shapes of all test data and of siblings of it.
func TestShapeCorpus(t *testing.T) {
	texts := append(corpus(t), shapeSeeds...)
	for _, text := range benchTexts {
		texts = append(texts, text.sql)
	}
	random, shapes := rand.New(rand.NewPCG(20261130, 3)), 0
	for i, sql := range texts {
		d := Dialect{backslashes: i/share%4 == 3}
		key, spans, ok := shapeOf(d, sql)
		if !ok {
			continue
		}
		shapes++
		if i%share != 0 {
			continue
		}
		checkScan(t, d, sql, spans)
		for range 2 {
			checkSiblings(t, d, sql, sibling(d, random, sql, key, spans))
		}
	}
	t.Logf("%d of %d texts have a shape", shapes, len(texts))
	if len(texts) < 400 || shapes < len(texts)*2/3 {
		t.Errorf("%d of %d texts have a shape", shapes, len(texts))
	}
}

// TestShapeRandom groups random texts by their shape: those of a group have the same
// facts and take a limit at the same tokens.
func TestShapeRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(20261130, 4))
	for _, d := range []Dialect{{}, {backslashes: true}} {
		groupRandom(t, d, random)
	}
}

func groupRandom(t *testing.T, d Dialect, random *rand.Rand) {
	first := map[string]string{}
	shared := 0
	for range 15_000 / share {
		sql := randomShaped(random)
		key, spans, ok := shapeOf(d, sql)
		if !ok {
			continue
		}
		other, seen := first[string(key)]
		switch {
		case !seen:
			first[string(key)] = sql
			if random.IntN(4) == 0 {
				checkScan(t, d, sql, spans)
			}
		case other != sql:
			shared++
			checkSiblings(t, d, other, sql)
		}
	}
	t.Logf("%d shapes, %d texts of a shape seen before", len(first), shared)
	if shared < 800/share/2 {
		t.Errorf("only %d texts share a shape", shared)
	}
}

// randomShaped puts one of a few statements together from pieces that look alike.
func randomShaped(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	gap := func() string { return pick("", "", " ", " ", "\n", "/**/", " -- c\n", " /* 'a */ ", "\t") }
	value := func() string {
		return pick("5", "42", "0", "1", "07", "1.5", "2.", ".5", "1e3", "'a'", "'it''s'", `'\'`, "E'b'", `E'\''`, `'a\'b'`, `'\\'`, "$$c$$", "$x$'$x$", "$1", "B'1'", "-5", "- 7",
			"99999999999", "a", "null", "(5)", "date '2026-01-01'", "float(12) '1'", "12 :: float(60)", "12::float(5)", "f(5)", "nextval('s')", "''", "u&'a'", "''''")
	}
	operator := func() string {
		return pick("=", "<", "-", "+-", "<-", "@-", "||", "::int =", "%", "<@", "*", "/", "!=", "=-")
	}
	var b strings.Builder
	add := func(parts ...string) {
		for _, p := range parts {
			b.WriteString(gap())
			b.WriteString(p)
		}
	}
	add("SELECT ", value())
	if random.IntN(3) > 0 {
		add(pick(" FROM t", " FROM t ", " FROM pg_class"))
	}
	if random.IntN(2) == 0 {
		add(" WHERE ", value(), operator(), value())
	}
	if random.IntN(4) == 0 {
		add(pick(" GROUP BY ", " ORDER BY "), value())
	}
	if random.IntN(2) == 0 {
		add(pick(" LIMIT", " LIMIT", " OFFSET", " FETCH FIRST"), value(), pick("", "", " OFFSET 5", " ROWS ONLY", " FOR UPDATE"))
	}
	if random.IntN(3) == 0 {
		add(";")
	}
	if random.IntN(5) == 0 {
		add(pick("SELECT 5", "FETCH 5 c", "VALUES ('a')", "BEGIN"))
	}
	b.WriteString(gap())
	return b.String()
}

var shapeSeeds = []string{
	"SELECT 5+-6, a->>'b', c::float(24), d::numeric(10,2) FROM t WHERE e = 'x' AND f > 1.5 -- c",
	"SELECT E'a''b', E'\\'', $$ q $$, $t$ $$ $t$, B'01', X'ff' FROM t LIMIT(50)",
	"SELECT a FROM t LIMIT(5+6)OFFSET 7;FETCH -20 FROM c;VALUES ('a', 2), ($1, .5)",
	"SELECT interval '5' second(3), extract('year' FROM a), a AT TIME ZONE 'x', '5' LIKE 'a' ESCAPE '!' FROM t FETCH FIRST 50 ROWS WITH TIES",
	"SELECT a FROM t ORDER BY a FETCH FIRST(50)ROWS WITH TIES",
	"SELECT * FROM json_table('[]', '$[*]' COLUMNS (a int PATH '$.a')) LIMIT 30",
	"SELECT sum(a) OVER (ROWS BETWEEN 5 PRECEDING AND 6 FOLLOWING) FROM t TABLESAMPLE bernoulli (50) REPEATABLE (60)",
	"WITH a AS (INSERT INTO t VALUES (50, 'x') ON CONFLICT DO NOTHING RETURNING *) SELECT * FROM a OFFSET 60 LIMIT 70",
	"MERGE INTO t USING u ON t.a = 50 WHEN MATCHED THEN UPDATE SET a = 'x'",
	"DECLARE c CURSOR FOR SELECT 'a' FROM t; FETCH 500 IN c; MOVE 7 c; CALL p('a', 5); EXECUTE p(50, 'b')",
	"SELECT a[50:60], b '5', (row(20, 'x')).f, xmlelement(name a, 'x'), bit(50) '1', char(60) 'x' FROM f('x', 70) LIMIT 80::bigint",
	"BEGIN; SELECT set_config('a', 'b', false), nextval('s') FROM t LIMIT 33; COMMIT",
	`SELECT 'it\'s', E'\'', U&"\0061", n'\'' || '\\' FROM t LIMIT 30`,
	"SELECT count(*), 'x' FROM generate_series(20, 30) HAVING 'a' = 'b' LIMIT ALL OFFSET '5'",
}

// FuzzShape tells the shape of a text, which must have the tokens of the parser's
// scanner, and of a sibling, which must have the same facts.
func FuzzShape(f *testing.F) {
	for i, sql := range append(corpus(f), shapeSeeds...) {
		f.Add(sql, uint64(i))
	}
	f.Fuzz(func(t *testing.T, sql string, seed uint64) {
		if len(sql) > 2000 {
			return
		}
		d := Dialect{backslashes: seed%2 == 1}
		key, spans, ok := shapeOf(d, sql)
		if !ok {
			return
		}
		checkScan(t, d, sql, spans)
		checkSiblings(t, d, sql, sibling(d, rand.New(rand.NewPCG(seed, 5)), sql, key, spans))
	})
}

// sibling returns a text of the same shape with other literals, white space and
// comments. It reads the key, which proves that a key tells its entries apart.
func sibling(d Dialect, random *rand.Rand, sql string, key []byte, spans []int32) string {
	var b strings.Builder
	before := ""
	for i := 0; i < len(spans); i += 2 {
		text := sql[spans[i]:spans[i+1]]
		entry := key[0]
		key = key[1:]
		if entry&glued == 0 {
			b.WriteString(randomGap(random, before, i > 0))
		}
		switch class := entry &^ glued; class {
		case classInteger:
			b.WriteString(fmt.Sprint(2 + random.IntN([]int{8, 100, 10_000, 999_999_998, 2_147_483_646}[random.IntN(5)])))
		case classLong:
			b.WriteString(fmt.Sprint(2_147_483_648 + random.Int64N([]int64{2, 9_999_999_999, 1_000_000_000_000_000_000 - 2_147_483_648}[random.IntN(3)])))
		case classDecimal:
			b.WriteString(fmt.Sprintf("%0*d.%0*d", 1+random.IntN(20), random.IntN(1000), 1+random.IntN(20), random.IntN(1000)))
		case classString:
			content := randomContent(random, "'", "''")
			if d.backslashes {
				content = strings.ReplaceAll(strings.ReplaceAll(content, `\`, `\\`), "a''", `a\'`)
			}
			b.WriteString("'" + content + "'")
		case classEscape:
			b.WriteString([]string{"E'", "e'"}[random.IntN(2)] + strings.ReplaceAll(randomContent(random, "'", "''"), `\`, "") + "'")
		case classDollar:
			tag := []string{"$$", "$a$", "$ż_1$", "$SELECT$"}[random.IntN(4)]
			b.WriteString(tag + randomContent(random, "$", "") + tag)
		default:
			b.WriteString(text)
			if verbatim(class) {
				n, shift := 0, 0
				for key[0] >= 0x80 {
					n |= int(key[0]&0x7f) << shift
					shift += 7
					key = key[1:]
				}
				n |= int(key[0]) << shift
				if string(key[1:1+n]) != text {
					panic("the key does not hold the token " + text)
				}
				key = key[1+n:]
			}
		}
		before = text
	}
	if len(key) > 0 {
		panic("the key has more entries than there are tokens")
	}
	b.WriteString(randomGap(random, before, false))
	return b.String()
}

// randomGap returns white space and comments. Between two tokens it is not empty. A
// comment's mark must not join an operator before it.
func randomGap(random *rand.Rand, before string, between bool) string {
	gaps := []string{" ", "\n", "\r\n", "\t \f", "  "}
	if !between {
		gaps = append(gaps, "")
	}
	if !looksAhead(before) {
		gaps = append(gaps, " -- LIMIT 5\n", " --\r", " /* ' */ ", " /* /* \" */ LIMIT 5; */", "\n/**/", " /*'*//*\xff*/")
	}
	return gaps[random.IntN(len(gaps))]
}

// randomContent returns what may stand in a string.
func randomContent(random *rand.Rand, quote, escaped string) string {
	pieces := []string{"a", "LIMIT 5", " -- ", "/*", "*/", ";", "\"", "'", "$", "$$", "\\", "\n", "é", "漢字", "\xff", "\x01", "0", "true", "(", ")", "{\"FuncCall\":{}}", "location", "?", ":a"}
	var b strings.Builder
	for range random.IntN(5) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return strings.ReplaceAll(b.String(), quote, escaped)
}

// checkSiblings compares two texts that must have the same shape.
func checkSiblings(t *testing.T, d Dialect, a, b string) {
	t.Helper()
	keyA, spansA, _ := shapeOf(d, a)
	keyB, spansB, ok := shapeOf(d, b)
	if !ok || string(keyA) != string(keyB) || len(spansA) != len(spansB) {
		t.Errorf("the shapes differ (%t):\n%q %q\n%q %q", ok, a, keyA, b, keyB)
		return
	}
	checkScan(t, d, b, spansB)
	readA, errA := d.Parse(a)
	readB, errB := d.Parse(b)
	if (errA == nil) != (errB == nil) || len(readA) != len(readB) {
		t.Errorf("%d statements, %v in\n%q\n%d statements, %v in\n%q", len(readA), errA, a, len(readB), errB, b)
		return
	}
	for i, stA := range readA {
		stB := readB[i]
		if factsBut(stA) != factsBut(stB) {
			t.Errorf("%s in\n%q\n%s in\n%q", facts(stA), a, facts(stB), b)
			continue
		}
		for _, rows := range []uint64{1, 101, 1 << 30} {
			if less := func(st rewrite.Statement) bool { return st.Limit.Rows < rows }; stA.Limit.Form == rewrite.LimitLiteral &&
				(less(stA) != less(stB) || stA.Limit.Rows == rows || stB.Limit.Rows == rows) {
				continue
			}
			editsA, errA := d.SetLimit(stA, rows)
			editsB, errB := d.SetLimit(stB, rows)
			if placesA, placesB := places(stA, editsA, spansA), places(stB, editsB, spansB); (errA == nil) != (errB == nil) || placesA != placesB {
				t.Errorf("%d rows: edits %s, %v in\n%q\nedits %s, %v in\n%q", rows, placesA, errA, a, placesB, errB, b)
			}
		}
	}
}

// factsBut returns a statement's facts without those that siblings need not share.
func factsBut(st rewrite.Statement) rewrite.Statement {
	st.Text, st.Pos = "", 0
	if st.Limit.Rows > 1 {
		st.Limit.Rows = 2
	}
	if st.Limit.Offset > 1 {
		st.Limit.Offset = 2
	}
	if st.Kind == rewrite.KindUnknown {
		st.Obstacle = "" // quotes the text
	}
	return st
}

// places prints edits with the numbers of the tokens where they begin and end.
func places(st rewrite.Statement, edits []rewrite.Edit, spans []int32) string {
	var b strings.Builder
	for _, e := range edits {
		for _, offset := range []int{e.Start, e.End} {
			place := "nowhere"
			for i, at := range spans {
				if int(at) == st.Pos+offset {
					place = fmt.Sprintf("%d/%d", i/2, i%2)
					break
				}
			}
			b.WriteString(place + " ")
		}
		fmt.Fprintf(&b, "%q ", e.Text)
	}
	return b.String()
}
