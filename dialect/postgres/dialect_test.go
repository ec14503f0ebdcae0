package postgres

import (
	"testing"

	"github.com/rowcap/rowcap/dialect/dialecttest"
)

// samples are the statements that the shared suite and the fuzz target start from.
var samples = dialecttest.Samples{
	Limitable: []string{
		"SELECT a FROM t",
		"SELECT a FROM t -- the end",
		"SELECT a FROM t ORDER BY a OFFSET 3",
		"SELECT a FROM t LIMIT 70 OFFSET 2",
		"SELECT a FROM t LIMIT ALL",
		"SELECT a FROM t OFFSET 2 ROWS FETCH NEXT 40 ROWS ONLY",
		"SELECT a FROM t FETCH FIRST ROW ONLY",
		"SELECT a FROM t LIMIT $1",
		"SELECT a FROM t LIMIT (SELECT count(*) FROM u LIMIT 1) + 1 FOR UPDATE",
		"SELECT a AS limit FROM t ORDER BY t.offset",
		"SELECT 'zażółć' /* LIMIT 3 */, $q$ -- ; $q$ FROM t WHERE a NOT /* c */ IN (1)",
		"SELECT 1 UNION ALL (SELECT 2 LIMIT 1)",
		"((SELECT a FROM t ORDER BY a))",
		"(SELECT a FROM t LIMIT 30) ORDER BY a",
		"WITH x AS (SELECT a FROM t LIMIT 3) SELECT a, count(*) FROM x GROUP BY a",
		"WITH d AS (DELETE FROM t RETURNING *) SELECT nextval('s') FROM d",
		"VALUES (1), (2)",
		"TABLE pg_class",
		"FETCH ALL FROM c",
		"FETCH BACKWARD 2000000000 IN c",
		"FETCH -7 c",
		"FETCH NEXT FROM c",
	},
	Refused: []string{
		"INSERT INTO t VALUES (1) RETURNING a",
		"EXPLAIN SELECT a FROM t",
		"SHOW ALL",
		"CALL p()",
		"EXECUTE p",
		"COPY t TO STDOUT",
		"SELECT a FROM t ORDER BY a FETCH FIRST $1 ROWS WITH TIES",
	},
	Unreadable: []string{"SELEC 1", "SELECT (1", "SELECT 1 FROM", "\\d t", "UPDATE t SET a = 1 RETURNING WITH (OLD AS o) o.a"},
	Scripts: []string{
		"SELECT 1; SELECT a FROM t",
		";; SELECT a FROM t -- c;\n; INSERT INTO t VALUES (';') ;\n FETCH ALL FROM c;",
		"BEGIN; CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END; COMMIT",
		"SELECT 'é' FROM t; SELECT b FROM u LIMIT 4; SHOW ALL",
	},
	Fragments: []string{"SELECT", "a", "FROM t", "LIMIT", "OFFSET", "FETCH", "FIRST", "NEXT", "ROW", "ROWS ONLY", "WITH TIES", "ORDER BY a",
		"FOR UPDATE", "UNION ALL", "(", ")", "[", ",", ";", ".", "AS", "::int", "5", "$1", "NULL", "ALL", "CASE WHEN a THEN", "END", "BETWEEN 1 AND 2",
		"--", "/*", "*/", "\n", "'", "''", "\"", "$$", "$q$", "E'\\'", "U&'\\0061'", "é", "漢", "WITH x AS (SELECT 1)", "VALUES (1)", "-", "+", "*", "<@", "\\"},
}

func TestDialect(t *testing.T) { dialecttest.Run(t, New(), samples) }

func TestWithReturnsItself(t *testing.T) {
	d := New()
	for _, setting := range [][2]string{{"server_version", "18.4"}, {"standard_conforming_strings", "on"}, {"client_encoding", "UTF8"}, {"TimeZone", "UTC"}} {
		if d.With(setting[0], setting[1]) != d {
			t.Errorf("With(%q, %q) returned another dialect", setting[0], setting[1])
		}
	}
	off := d.With("standard_conforming_strings", "off")
	if off == d || off.With("standard_conforming_strings", "off") != off {
		t.Error("With(standard_conforming_strings, off) does not change the dialect once")
	}
	statements, err := off.With("standard_conforming_strings", "on").Parse("SELECT '\\' FROM t")
	if err != nil || len(statements) != 1 || !statements[0].Limitable {
		t.Errorf("back under the usual settings: %+v, %v", statements, err)
	}
}
