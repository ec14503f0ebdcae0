package property

import (
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// found are statements that were drawn and failed, made small. Where one has an order, it
// is that of its first column.
var found = []string{
	// MySQL 9.7.4 drops the order of a table of WITH that is read twice under a LIMIT.
	"WITH n AS (SELECT DISTINCT a FROM t) SELECT x.a FROM n x JOIN n y ON y.a = x.a ORDER BY 1",
	"WITH n AS (SELECT a c FROM t GROUP BY a) SELECT x.c FROM n x LEFT JOIN n y ON y.c = x.c ORDER BY 1",
	"WITH n AS (SELECT DISTINCT a FROM t), m AS (SELECT a FROM n) SELECT n.a FROM n JOIN m ON m.a = n.a ORDER BY 1",
	"WITH n AS (SELECT DISTINCT a FROM t) SELECT x.a, count(*) FROM n x JOIN n y ON y.a = x.a GROUP BY x.a ORDER BY 1",
	"SELECT * FROM (WITH n AS (SELECT DISTINCT a FROM t) SELECT x.a FROM n x JOIN n y ON y.a = x.a) z ORDER BY 1",
	// What the rewriter sent was edited again by an edit that changed nothing.
	"SELECT id FROM t",
	"SELECT a FROM t ORDER BY 1 LIMIT 13",
}

// foundOnMariaDB are those that only MariaDB reads.
var foundOnMariaDB = []string{
	// It forgets DISTINCT over constants before WITH TIES, and not before ONLY.
	"SELECT DISTINCT 2, 3 FROM t ORDER BY 1 FETCH FIRST 4 ROWS WITH TIES",
	"SELECT DISTINCT 2, 3 FROM t ORDER BY 1 OFFSET 3 ROWS FETCH NEXT 4 ROWS WITH TIES",
}

// foundWithBackslashes are read in another way where a backslash escapes nothing.
var foundWithBackslashes = []string{
	`SELECT id, 'a\' LIMIT 3 -- ' FROM t ORDER BY 1`,
	`SELECT id, 'a\\', 'b\' LIMIT 3 -- ' FROM t ORDER BY 1`,
	`SELECT id, '\' FROM t ORDER BY 1 LIMIT 3; -- ', s FROM t ORDER BY 1`,
	`SELECT id, 'x\'' FROM u ORDER BY 1 LIMIT 2 /* ', 'y' FROM t ORDER BY 1 --*/`,
	`SELECT id, E'\'', $q$\$q$, 'z\'' AS "\" FROM t ORDER BY 1`,
	`SELECT id, 'a' AS "b\" FROM t WHERE s <> '\\' ORDER BY 1`,
}

// TestFound checks them on each server under caps about the number of rows.
func TestFound(t *testing.T) {
	for _, on := range []struct {
		name  string
		open  func(*testing.T) session
		texts []string
	}{
		{"postgres", func(t *testing.T) session { return openPostgres(t, dbtest.Postgres(t))[0] }, found},
		{"postgres with backslashes", func(t *testing.T) session { return openPostgres(t, dbtest.Postgres(t))[2] }, foundWithBackslashes},
		{"mariadb", func(t *testing.T) session { return openMySQL(t, dbtest.StartMariaDB(t))[0] }, slices.Concat(found, foundOnMariaDB)},
		{"mysql", func(t *testing.T) session { return openMySQL(t, dbtest.StartMySQL(t))[0] }, found},
	} {
		t.Run(on.name, func(t *testing.T) {
			s := on.open(t)
			for _, text := range on.texts {
				checkFound(t, s, text)
			}
		})
	}
}

func checkFound(t *testing.T, s session, text string) {
	t.Helper()
	whole, failed := s.run(t, text, nil)
	if failed != nil {
		t.Fatalf("%s: %v", text, failed)
	}
	st := sqlgen.Statement{Tokens: []sqlgen.Token{{Text: text}}, Settled: true}
	if strings.Contains(text, "ORDER BY") {
		st.Keys = []int{0}
	}
	for rows := 1; rows <= len(whole[0].rows)+1; rows++ {
		c := &drawn{session: s, statement: st, sibling: text, policy: rewrite.DefaultPolicy(), whole: whole}
		c.policy.DefaultLimit, c.policy.MaxLimit = uint64(rows), uint64(rows)
		if why := c.fails(&tally{}); why != "" {
			t.Error(why)
		}
	}
}

// TestRefusedLimits checks that a limit of a type that there is no limit of is refused
// with the server's own code, whatever words the edit leads to.
func TestRefusedLimits(t *testing.T) {
	s := openPostgres(t, dbtest.Postgres(t))[0]
	r, err := rewrite.New(s.dialect(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []string{"now()", "current_date + 1", "'a' || 'b'", "ROW(1)", "ARRAY[1]", "(SELECT 'a')", "(1=1)", "true", "'x'", "B'1'", "id"} {
		text := "SELECT id FROM t LIMIT " + limit
		_, whole := s.run(t, text, nil)
		_, got := s.run(t, r.Script(text, rewrite.Ask{}).SQL(), nil)
		if whole == nil || got == nil || got.code != whole.code {
			t.Errorf("%s: %v, without rowcap %v", text, got, whole)
		}
	}
}

// TestUnionOverflow checks what docs/limits.md says of a UNION without ORDER BY on MySQL whose
// limit and offset are together more than 1<<64 - 1: the server returns nothing, and what is sent for
// it returns the rows that the text asks for.
func TestUnionOverflow(t *testing.T) {
	s := openMySQL(t, dbtest.StartMySQL(t))[0]
	r, err := rewrite.New(s.dialect(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	const text, largest = "SELECT id FROM t UNION SELECT a FROM t LIMIT 2, ", "18446744073709551615"
	run := func(text string) [][]string {
		t.Helper()
		a, failed := s.run(t, text, nil)
		if failed != nil || len(a) != 1 {
			t.Fatalf("%s: %v, %v", text, a, failed)
		}
		return a[0].rows
	}
	if rows := run(text + largest); len(rows) != 0 {
		t.Errorf("MySQL returns %d rows: its fault is mended, and docs/limits.md need not tell of it", len(rows))
	}
	want := run(text + "100")
	if got := run(r.Script(text+largest, rewrite.Ask{}).SQL()); len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
}
