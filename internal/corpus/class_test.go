package corpus

import (
	"testing"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// answering are statements that are no queries and answer with rows on one server at
// least, beside some of their neighbours that answer with none.
var answering = []string{
	"CREATE USER c1 IDENTIFIED BY RANDOM PASSWORD", "CREATE USER c2 IDENTIFIED BY 'x', c3 IDENTIFIED BY RANDOM PASSWORD", "CREATE USER c4 IDENTIFIED BY 'RANDOM'",
	"ALTER USER c1 IDENTIFIED BY RANDOM PASSWORD", "SET PASSWORD FOR c1 TO RANDOM", "SET PASSWORD FOR c1 = 'x'", "CREATE USER IF NOT EXISTS c1 IDENTIFIED BY RANDOM PASSWORD",
	"CREATE TABLE p (a INT, KEY (a)) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE)",
	"ALTER TABLE p CHECK PARTITION p0", "ALTER TABLE p ANALYZE PARTITION ALL", "ALTER TABLE p OPTIMIZE PARTITION p1", "ALTER TABLE p REPAIR PARTITION ALL",
	"ALTER TABLE p REBUILD PARTITION p0", "ALTER TABLE p TRUNCATE PARTITION p0", "ALTER TABLE `CHECK` RENAME TO c",
	"ANALYZE TABLE p", "ANALYZE LOCAL TABLE p", "ANALYZE NO_WRITE_TO_BINLOG TABLE p", "ANALYZE TABLE p UPDATE HISTOGRAM ON a", "ANALYZE SELECT * FROM p",
	"ANALYZE FORMAT=JSON SELECT * FROM p", "ANALYZE UPDATE p SET a = 1", "ANALYZE INSERT INTO p VALUES (1)", "ANALYZE DELETE FROM p",
	"CHECK TABLE p", "CHECK TABLE p QUICK", "CHECKSUM TABLE p", "OPTIMIZE TABLE p", "OPTIMIZE LOCAL TABLE p", "REPAIR TABLE p", "CREATE VIEW v AS SELECT 1", "CHECK VIEW v", "REPAIR VIEW v",
	"CACHE INDEX p IN default", "LOAD INDEX INTO CACHE p", "LOAD INDEX INTO CACHE p IGNORE LEAVES", "HELP 'contents'", "XA RECOVER", "XA RECOVER CONVERT XID",
	"EXPLAIN SELECT 1", "EXPLAIN UPDATE p SET a = 1", "EXPLAIN FORMAT=TREE SELECT 1", "EXPLAIN ANALYZE SELECT 1", "EXPLAIN FORMAT=JSON INTO @x SELECT 1", "DESCRIBE p", "DESC p a", "EXPLAIN p", "DESC SELECT 1",
	"SHOW TABLES", "SHOW CREATE TABLE p", "SHOW WARNINGS", "SHOW COUNT(*) WARNINGS", "SHOW PROFILES", "SHOW PARSE_TREE SELECT 1",
	"HANDLER p OPEN", "HANDLER p READ FIRST", "HANDLER p READ a = (1)", "HANDLER p CLOSE", "CREATE TABLE r (a INT PRIMARY KEY)",
	"INSERT INTO r VALUES (1) RETURNING a", "REPLACE r VALUES (1) RETURNING *", "REPLACE r VALUES (1)", "DELETE FROM r RETURNING a", "INSERT INTO r SET a = 5", "DELETE FROM r",
	"PREPARE s FROM 'SELECT 1 UNION SELECT 2'", "EXECUTE s", "DEALLOCATE PREPARE s", "EXECUTE IMMEDIATE 'SELECT 1 UNION SELECT 2'",
	"CREATE PROCEDURE q() BEGIN SELECT 1; SELECT 2 UNION SELECT 3; END", "CALL q()", "CALL q",
	"BEGIN NOT ATOMIC SELECT 1 UNION SELECT 2; END", "IF 1 THEN SELECT 1 UNION SELECT 2; END IF", "FOR i IN 1..3 DO SELECT i; END FOR", "WHILE 0 DO SELECT 1; END WHILE",
	"CASE WHEN 1 THEN SELECT 1; ELSE SELECT 2; END CASE", "REPEAT SELECT 1; UNTIL 1 END REPEAT", "l: LOOP SELECT 1; LEAVE l; END LOOP",
	"SET STATEMENT max_statement_time=5 FOR SELECT 1 UNION SELECT 2", "SET STATEMENT max_statement_time=5 FOR ANALYZE TABLE p", "SET @a = 1", "DO 1",
	"SET @a = (SELECT 1)", "SELECT 1 INTO @a", "VALUES (1), (2)", "VALUES ROW(1), ROW(2)", "TABLE p", "(((SELECT 1)))", "(VALUES (1))", "WITH x AS (SELECT 1) SELECT * FROM x", "(WITH x AS (SELECT 1) SELECT * FROM x)",
	"WITH x AS (SELECT 1) UPDATE p SET a = 1", "(TABLE p) UNION TABLE p", "CREATE TABLE k AS SELECT 1", "CREATE OR REPLACE TABLE k AS SELECT 1", "/*!50000 ANALYZE */ TABLE p", "/*!50000 SHOW */ TABLES", "/*M! EXPLAIN */ SELECT 1",
	"GET DIAGNOSTICS @x = NUMBER", "FLUSH TABLES", "KILL QUERY 99999999", "START TRANSACTION", "ROLLBACK", "SHOW MASTER STATUS", "SHOW BINARY LOG STATUS", "SHOW EXPLAIN FOR 1",
	"CREATE SEQUENCE sq", "ALTER SEQUENCE sq RESTART 5", "LOCK TABLES p READ", "UNLOCK TABLES", "BINLOG ''",
}

// TestAnswering runs them: what answers with rows must be known to.
func TestAnswering(t *testing.T) {
	for _, suite := range []struct {
		name    string
		server  func(testing.TB) *dbtest.Server
		dialect func() rewrite.Dialect
		most    int // statements that this server refuses
	}{
		{"MySQL", dbtest.MySQL, mysql.New, 35},
		{"MariaDB", dbtest.MariaDB, mysql.NewMariaDB, 27},
	} {
		t.Run(suite.name, func(t *testing.T) {
			server := suite.server(t)
			session, err := dialMySQL(server)
			if err != nil {
				t.Fatal(err)
			}
			defer session.conn.Close()
			database := server.Database(t)
			const clean = "DROP USER IF EXISTS c1, c2, c3, c4"
			defer session.run(clean)
			for _, sql := range []string{"USE `" + database + "`", clean} {
				if _, err := session.run(sql); err != nil {
					t.Fatal(err)
				}
			}
			refused, answers := 0, 0
			for _, sql := range answering {
				got, err := session.run(sql)
				if err != nil {
					refused++
					t.Logf("refused: %s: %v", sql, err)
					continue
				}
				statements, err := suite.dialect().With("server_version", server.Version).Parse(sql)
				if err != nil {
					t.Errorf("%s: %v", sql, err)
					continue
				}
				if got.columns == "" {
					continue
				}
				answers++
				any, one := false, true
				for _, st := range statements {
					any = any || st.ReturnsRows
					one = one && st.AtMostOneRow
				}
				if !any {
					t.Errorf("%s answers with rows, and counts as %s without", sql, statements[0].Kind)
				}
				if one && got.count > 1 {
					t.Errorf("%s answers with %d rows, and was to have one at most", sql, got.count)
				}
			}
			t.Logf("%d statements: %d refused, %d answer with rows", len(answering), refused, answers)
			if refused > suite.most || answers < 50 {
				t.Errorf("%d of %d statements are refused and %d answer with rows: the test tells little", refused, len(answering), answers)
			}
		})
	}
}
