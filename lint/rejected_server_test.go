package lint_test

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/rewrite"
)

// TestRejectedLimits asks servers whether they take limits of many forms: a statement is
// found to be in error if and only if its server refuses it.
func TestRejectedLimits(t *testing.T) {
	for name, start := range map[string]func(testing.TB) *dbtest.Server{"mysql": dbtest.MySQL, "mariadb": dbtest.MariaDB} {
		t.Run(name, func(t *testing.T) {
			server := start(t)
			db, err := sql.Open("mysql", server.DSN(server.Database(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for _, table := range []string{"CREATE TABLE a (id int, x int)", "CREATE TABLE b (id int, x int)"} {
				if _, err := db.Exec(table); err != nil {
					t.Fatal(err)
				}
			}
			_, l := both(t, name, rewrite.DefaultPolicy(), [2]string{"server_version", server.Version})
			for _, text := range limitForms {
				r := l.Text("x.sql", text)
				found := slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Severity == lint.SeverityError })
				if _, err := db.Exec(text); found != (err != nil) {
					t.Errorf("%s: the server says %v, and there is found:\n%s", text, err, show(r))
				}
			}
		})
	}
}

// limitForms are statements that have limits in forms of which some servers refuse some.
var limitForms = []string{
	"SELECT id FROM a ORDER BY id FETCH FIRST 5 ROWS ONLY",
	"SELECT id FROM a ORDER BY id OFFSET 2 ROWS FETCH FIRST 5 ROWS ONLY",
	"SELECT id FROM a ORDER BY id OFFSET 2 ROWS",
	"SELECT id FROM a ORDER BY id OFFSET 2",
	"SELECT id FROM a WHERE id IN (SELECT id FROM b ORDER BY id LIMIT 3)",
	"SELECT id FROM a WHERE id IN (SELECT id FROM b LIMIT 0)",
	"SELECT id FROM a WHERE id IN (SELECT id FROM b LIMIT 1)",
	"SELECT id FROM a WHERE id NOT IN (SELECT id FROM b LIMIT 1)",
	"SELECT id FROM a WHERE id IN (SELECT count(*) FROM b LIMIT 1)",
	"SELECT id FROM a WHERE id IN ((SELECT id FROM b LIMIT 1))",
	"SELECT id FROM a WHERE id IN ((SELECT id FROM b LIMIT 1), 3)",
	"SELECT id FROM a WHERE id IN (SELECT id FROM b UNION SELECT 1 LIMIT 3)",
	"SELECT id FROM a WHERE id IN ((SELECT id FROM b LIMIT 3) UNION (SELECT 1))",
	"SELECT id FROM a WHERE id IN (TABLE b LIMIT 1)",
	"SELECT id FROM a WHERE id IN (WITH c AS (SELECT id FROM b) SELECT id FROM c LIMIT 1)",
	"SELECT id FROM a WHERE id IN (VALUES ROW(1) LIMIT 1)",
	"SELECT id FROM a WHERE id > ANY (SELECT id FROM b LIMIT 3)",
	"SELECT id FROM a WHERE id = SOME (SELECT id FROM b LIMIT 3)",
	"SELECT id FROM a WHERE id > ALL (SELECT id FROM b LIMIT 3)",
	"SELECT id FROM a WHERE EXISTS (SELECT id FROM b LIMIT 3)",
	"SELECT id FROM a WHERE id IN (SELECT id FROM (SELECT id FROM b LIMIT 3) c)",
	"SELECT id FROM a WHERE id IN (SELECT id FROM b WHERE x = (SELECT id FROM b LIMIT 1))",
	"SELECT id IN (SELECT id FROM b LIMIT 3) FROM a",
	"DELETE FROM a WHERE id IN (SELECT id FROM b LIMIT 3)",
	"UPDATE a SET x = 1 WHERE id IN (SELECT id FROM b LIMIT 3)",
	"INSERT INTO a SELECT id, x FROM b WHERE id IN (SELECT id FROM b LIMIT 3)",
	"UPDATE a SET x = 1 LIMIT 5, 3",
	"UPDATE a SET x = 1 LIMIT 5 OFFSET 3",
	"UPDATE a, b SET a.x = 1 LIMIT 5",
	"UPDATE a JOIN b ON a.id = b.id SET a.x = 1 LIMIT 5",
	"UPDATE a JOIN b ON a.id = b.id SET a.x = 1 ORDER BY a.id LIMIT 5",
	"DELETE FROM a LIMIT 5 OFFSET 3",
	"DELETE FROM a LIMIT 5, 3",
	"DELETE a FROM a JOIN b ON 1 LIMIT 5",
	"DELETE FROM a USING a JOIN b ON 1 LIMIT 5",
	"SELECT id FROM a UNION SELECT id FROM b LIMIT 5 UNION SELECT 1",
	"SELECT id FROM a ORDER BY id LIMIT 5 UNION SELECT 1",
	"SELECT id FROM a LIMIT 5 UNION SELECT 1",
	"SELECT id FROM a UNION (SELECT id FROM b LIMIT 5) UNION SELECT 1",
	"SELECT id FROM a FETCH FIRST ROW ONLY",
	"SELECT id FROM a ORDER BY id FETCH FIRST 2 ROWS WITH TIES",
	"SELECT id FROM a LIMIT 5 FOR UPDATE",
	"SELECT id FROM a FOR UPDATE LIMIT 5",
	"SELECT id FROM a LIMIT 18446744073709551616",
	"SELECT id FROM a LIMIT 0x10",
	"SELECT id FROM a LIMIT 1e1",
	"SELECT id FROM a WHERE (SELECT id FROM b LIMIT 3) = 1",
	"SELECT GROUP_CONCAT(id ORDER BY id LIMIT 2) FROM a",
	"SELECT id FROM a LIMIT ROWS EXAMINED 10",
	"SELECT id INTO @x FROM a LIMIT 1",
	"SELECT id FROM a LIMIT 1 INTO @x",
	"EXPLAIN SELECT id FROM a LIMIT 5",
}
