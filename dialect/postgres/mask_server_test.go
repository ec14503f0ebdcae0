package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestMaskServer holds texts with backslashes to a server whose
// standard_conforming_strings is off: it takes a text for as many statements as the
// dialect does, and each with a limit returns the first rows of what it returns
// without.
func TestMaskServer(t *testing.T) {
	c := escaping(t)
	random := rand.New(rand.NewPCG(20261130, 7))
	texts := slices.Clone(escapes)
	for range 4000 / share {
		texts = append(texts, randomEscapes(random))
	}
	read, limited, refused := 0, 0, 0
	for _, sql := range texts {
		whole, err := simple(t, c, sql)
		statements, parseErr := escapingDialect().Parse(sql)
		if err != nil {
			refused++
			continue
		}
		if parseErr != nil {
			continue
		}
		read++
		if len(whole) != len(statements) {
			t.Errorf("%q: %d statements, %d results", sql, len(statements), len(whole))
			continue
		}
		var edits []rewrite.Edit
		for _, st := range statements {
			if st.Text != sql[st.Pos:st.Pos+len(st.Text)] {
				t.Errorf("%q: not at its place: %q", sql, st.Text)
			}
			if !st.Limitable {
				continue
			}
			own, err := escapingDialect().SetLimit(st, 3)
			if err != nil {
				t.Errorf("%q: %v", st.Text, err)
			}
			limited++
			for _, e := range own {
				edits = append(edits, rewrite.Edit{Start: st.Pos + e.Start, End: st.Pos + e.End, Text: e.Text})
			}
		}
		edited := rewrite.ApplyEdits(sql, edits)
		got, err := simple(t, c, edited)
		if err != nil || len(got) != len(whole) {
			t.Errorf("%q\n%q: %d results for %d, %v", sql, edited, len(got), len(whole), err)
			continue
		}
		for i := range got {
			want := whole[i]
			if statements[i].Limitable {
				want.rows = want.rows[:min(3, len(want.rows))]
			}
			if got[i].columns != want.columns || !slices.Equal(got[i].rows, want.rows) {
				t.Errorf("%q\n%q: statement %d: %s %q, want %s %q", sql, edited, i, got[i].columns, got[i].rows, want.columns, want.rows)
			}
		}
	}
	t.Logf("%d texts: the server refuses %d, read %d, %d statements took a limit", len(texts), refused, read, limited)
	if read < 1200/share || limited < 1200/share {
		t.Errorf("the test tells little: %d of %d texts were read, %d statements took a limit", read, len(texts), limited)
	}
}

func escapingDialect() Dialect { return Dialect{backslashes: true} }

// escaping opens a session that reads backslashes as escapes.
func escaping(t *testing.T) *pgconn.PgConn {
	server := dbtest.Postgres(t)
	c, err := pgconn.Connect(context.Background(), server.DSN(server.Database(t)))
	must(t, err)
	t.Cleanup(func() { c.Close(context.Background()) })
	for _, sql := range []string{"SET standard_conforming_strings = off", "SET escape_string_warning = off", "SET backslash_quote = on"} {
		must(t, c.Exec(context.Background(), sql).Close())
	}
	return c
}

type simpleResult struct {
	columns string
	rows    []string
}

// simple runs a text in one Query message, in a transaction that is rolled back.
func simple(t *testing.T, c *pgconn.PgConn, sql string) (results []simpleResult, err error) {
	t.Helper()
	must(t, c.Exec(context.Background(), "BEGIN").Close())
	defer func() { must(t, c.Exec(context.Background(), "ROLLBACK").Close()) }()
	answers := c.Exec(context.Background(), sql)
	for answers.NextResult() {
		reader := answers.ResultReader()
		var r simpleResult
		for _, f := range reader.FieldDescriptions() {
			r.columns += fmt.Sprintf("%q %d ", f.Name, f.DataTypeOID)
		}
		for reader.NextRow() {
			r.rows = append(r.rows, fmt.Sprintf("%q", reader.Values()))
		}
		if tag, _ := reader.Close(); tag.String() != "" || r.columns != "" {
			results = append(results, r)
		}
	}
	err = answers.Close()
	var pe *pgconn.PgError
	if err != nil && !errors.As(err, &pe) {
		t.Fatalf("%q: %v", sql, err)
	}
	return results, err
}

// escapes are texts that the server must read, and the dialect with it.
var escapes = []string{
	`SELECT 'it\'s', g FROM generate_series(1, 9) g`,
	`SELECT '\\', g FROM generate_series(1, 9) g WHERE '\'; --' <> 'a'`,
	`SELECT '\'' || '/* ' || g FROM generate_series(1, 9) g -- '`,
	`SELECT g "a\" FROM generate_series(1, 9) g WHERE 'a' <> '\\'; SELECT '"\'' FROM generate_series(1, 5)`,
	`SELECT n'\'', E'\'', $$\'$$, $a\$' FROM generate_series(1, 9)`,
	`SELECT g FROM generate_series(1, 9) g LIMIT '\065'`,
	`SELECT g FROM generate_series(1, 9) g LIMIT '\065' OFFSET '\x31'`,
	"SELECT 'a\\'b'\n  'c\\'' , g FROM generate_series(1, 9) g",
	"SELECT 'a\\'b' -- c'\n  'c\\'' , g FROM generate_series(1, 9) g",
	"SELECT E'a\\'b'\n  '\\'' , g FROM generate_series(1, 9) g",
	`SELECT '\` + "\n" + `', g FROM generate_series(1, 9) g`,
	`SELECT '漢\漢', 'zażółć\'', g FROM generate_series(1, 9) g`,
	`SELECT g AS U&"\0061\"" FROM generate_series(1, 9) g WHERE '\'' <> ''`,
	`SELECT 'tricky' AS U&"\" UESCAPE '!'`,
	`SELECT 'tricky' AS U&"\" UESCAPE '!' FROM generate_series(1, 9)`,
	`SELECT '\u0061', '\x61\141', '\b\f\n\r\t' FROM generate_series(1, 9)`,
	`VALUES ('\''), ('\\'), ('"'), ('/*'), ('--')`,
	`EXPLAIN (COSTS 'o\146f') SELECT '\''`,
	`PREPARE p AS SELECT '\'; SELECT 1' FROM generate_series(1, 9); EXECUTE p; DEALLOCATE p; SELECT '\'' FROM generate_series(1, 9)`,
}

// randomEscapes strings pieces together in which quotes, backslashes and what reads
// like their ends meet.
func randomEscapes(random *rand.Rand) string {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	content := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString(pick(`\'`, `\\`, `''`, `a`, `;`, ` -- `, `/*`, `*/`, `"`, `$$`, `é`, "\n", `\`, `'`, ` LIMIT 5`, `E`, `$a$`, `,`))
		}
		return b.String()
	}
	value := func() string {
		c := content()
		return pick(`'`+c+`'`, `'`+c+`'`, `'`+c+`'`, `E'`+c+`'`, `e'`+c+`'`, `n'`+c+`'`, `$$`+c+`$$`, `$a$`+c+`$a$`, `B'01'`, `U&'`+c+`'`,
			`'`+c+"'\n'"+content()+`'`, `'`+c+"' -- '\n '"+content()+`'`, `E'`+c+"'\n'"+content()+`'`, "B'01'\n'"+content()+`'`, `'`+c+`'||'`+content()+`'`)
	}
	statement := func() string {
		var b strings.Builder
		b.WriteString("SELECT ")
		for range 1 + random.IntN(2) {
			b.WriteString(value() + pick("", ` "b\"`, ` AS "`+content()+`"`, ` U&"\0061"`, ` AS U&"a\" UESCAPE '!'`) + pick(", ", ", /* ' */ ", ",-- '\n"))
		}
		b.WriteString("g FROM generate_series(1, 9) g")
		if random.IntN(3) == 0 {
			b.WriteString(" WHERE " + value() + " <> " + value())
		}
		return b.String() + pick("", " -- "+content(), " /* \\' */", " LIMIT 5", " LIMIT '\\065'", " OFFSET '1'")
	}
	text := statement()
	for random.IntN(3) == 0 {
		text += ";" + statement()
	}
	return text
}
