package property

import (
	"slices"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// found are statements that were drawn and failed, made small. Each is ordered by its
// first column.
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
	for name, open := range map[string]func(*testing.T) []session{
		"postgres":                  func(t *testing.T) []session { return openPostgres(t, dbtest.Postgres(t)) },
		"postgres with backslashes": func(t *testing.T) []session { return openPostgres(t, dbtest.Postgres(t))[2:] },
		"mariadb":                   func(t *testing.T) []session { return openMySQL(t, dbtest.StartMariaDB(t)) },
		"mysql":                     func(t *testing.T) []session { return openMySQL(t, dbtest.StartMySQL(t)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)[0]
			texts := found
			if name == "postgres with backslashes" {
				texts = foundWithBackslashes
			}
			if name == "mariadb" {
				texts = slices.Concat(found, foundOnMariaDB)
			}
			for _, text := range texts {
				whole, failed := s.run(t, text, nil)
				if failed != nil {
					t.Fatalf("%s: %v", text, failed)
				}
				st := sqlgen.Statement{Tokens: []sqlgen.Token{{Text: text}}, Settled: true, Keys: []int{0}}
				if text == "SELECT id FROM t" {
					st.Keys = nil
				}
				for rows := 1; rows <= len(whole[0].rows)+1; rows++ {
					c := &drawn{session: s, statement: st, sibling: text, policy: rewrite.DefaultPolicy(), whole: whole}
					c.policy.DefaultLimit, c.policy.MaxLimit = uint64(rows), uint64(rows)
					if why := c.fails(&tally{}); why != "" {
						t.Error(why)
					}
				}
			}
		})
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
