package mysql

import (
	"testing"

	"github.com/rowcap/rowcap/dialect/dialecttest"
	"github.com/rowcap/rowcap/rewrite"
)

func samples(t *testing.T, d rewrite.Dialect) dialecttest.Samples {
	s := dialecttest.Samples{
		Unreadable: []string{
			"SELEKT 1", "SELECT a FROM", "SELECT 'a", "SELECT `a", "SELECT a /* FROM t", "SELECT a FROM t LIMIT 5 LIMIT 6", "SELECT a FROM t LIMIT ALL", "SELECT a FROM t LIMIT 1.5", "SELECT a FROM t LIMIT 0x8",
			"SELECT a FROM t LIMIT 18446744073709551616", "SELECT a FROM t LIMIT -1", "SELECT a FROM t PROCEDURE ANALYSE()", "SELECT a FROM t\x00", "SELECT '\xff' FROM t", "SELECT a\xa0FROM t", "SELECT a FROM t /*! LIMIT 5", "IF 1 THEN SELECT 1; END IF; SELECT 2",
			"SELECT a FROM t /*!50000 /*!50000 LIMIT 5 */ */", "SELECT a FROM t /*! ; */",
		},
		Refused: []string{
			"SHOW TABLES", "SHOW WARNINGS LIMIT 1, 2", "DESCRIBE t", "EXPLAIN SELECT a FROM t", "CALL p()", "EXECUTE s", "CHECK TABLE t", "ANALYZE TABLE t", "XA RECOVER", "HELP 'x'", "HANDLER t READ FIRST",
			"SELECT DISTINCT a FROM t GROUP BY a WITH ROLLUP", "SELECT DISTINCT uuid() FROM t", "ALTER TABLE t CHECK PARTITION p0", "LOAD INDEX INTO CACHE t", "SELECT a FROM t LIMIT ?", "SELECT a FROM t LIMIT ?, ?",
			"CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2; END",
		},
		Scripts: []string{
			"SELECT 1; SELECT 2", "SELECT ';' ; SELECT a FROM t -- ;\n;", " SELECT a FROM t LIMIT 5;\n\nINSERT INTO t VALUES (1);;UPDATE t SET a = 1 ; ", "SELECT /* ; */ 1; /* ; */ SELECT 2 # ;", "BEGIN; SELECT a FROM t FOR UPDATE; COMMIT",
			"SET @a = 1; SELECT @a; SHOW TABLES; CREATE TABLE k AS SELECT 1; DROP TABLE k", "SELECT \"a;\\\";\" ; SELECT `;`", "SELECT 1;SELECT 2 /*! ,3 */;",
		},
		Fragments: fragments,
	}
	for _, form := range forms(t) {
		statements, _ := d.Parse(form)
		if len(statements) == 1 && statements[0].Limitable {
			s.Limitable = append(s.Limitable, form)
		}
	}
	return s
}

func TestSuite(t *testing.T) {
	for _, d := range []rewrite.Dialect{New(), NewMariaDB()} {
		t.Run(d.Name(), func(t *testing.T) { dialecttest.Run(t, d, samples(t, d)) })
	}
}
