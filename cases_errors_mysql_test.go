package rowcap_test

import (
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestMariaDBCasesErrors holds the errors of texts to the server's own, with what
// they quote of the caller's text.
func TestMariaDBCasesErrors(t *testing.T) {
	sameErrors(t, dbtest.MariaDB(t), append(mysqlErrors,
		erroneous{sql: "SELECT n FROM parcels ORDER BY n OFFSET 3"},
		erroneous{sql: "SELECT n FROM parcels FETCH FIRST 40 ROWS WITH TIES"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n LIMIT 40 FETCH FIRST 3 ROWS ONLY"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n LIMIT 40 ROWS EXAMINED"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n OFFSET 3 ROWS FOR UPDATE OF nobody"},
		erroneous{sql: "INSERT INTO parcels SELECT n, 'x' FROM parcels RETURNING n"},
		erroneous{sql: "EXECUTE IMMEDIATE 'SELECT nobody FROM parcels LIMIT 40'"},
	), 45)
}

// TestMySQLCasesErrors does so for MySQL.
func TestMySQLCasesErrors(t *testing.T) {
	sameErrors(t, dbtest.MySQL(t), append(mysqlErrors,
		erroneous{sql: "SELECT n FROM parcels ORDER BY n OFFSET 3 ROWS"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n FETCH FIRST 3 ROWS ONLY"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n LIMIT 40 FOR UPDATE OF nobody"},
		erroneous{sql: "SELECT n FROM parcels ORDER BY n FOR SHARE OF nobody"},
		erroneous{sql: "TABLE nobody"},
		erroneous{sql: "VALUES ROW(1), ROW(2, 3)"},
		erroneous{sql: "SELECT /*+ SET_VAR(sql_select_limit=2) */ no_such_column FROM parcels"},
	), 45)
}

// mysqlErrors are wrong on both servers.
var mysqlErrors = []erroneous{
	// Syntax: the message quotes what stands at the place
	{sql: "SELEC n FROM parcels"},
	{sql: "SELECT n FROM parcels ORDER BY"},
	{sql: "SELECT n FROM parcels LIMIT 3 ORDER BY n"},
	{sql: "SELECT n FROM parcels WHERE LIMIT 40"},
	{sql: "SELECT n FROM parcels LIMIT"},
	{sql: "SELECT n FROM parcels LIMIT 40,"},
	{sql: "SELECT n FROM parcels LIMIT 3, 40, 5"},
	{sql: "SELECT n FROM parcels LIMIT 40 OFFSET"},
	{sql: "SELECT n FROM parcels LIMIT 40 LIMIT 3"},
	{sql: "SELECT n FROM parcels LIMIT -1"},
	{sql: "SELECT n FROM parcels LIMIT 1.5"},
	{sql: "SELECT n FROM parcels LIMIT 1e3"},
	{sql: "SELECT n FROM parcels LIMIT '5'"},
	{sql: "SELECT n FROM parcels LIMIT 0x10"},
	{sql: "SELECT n FROM parcels LIMIT n"},
	{sql: "SELECT n FROM parcels LIMIT 2 + 2"},
	{sql: "SELECT n FROM parcels LIMIT (40)"},
	{sql: "SELECT n FROM parcels LIMIT NULL"},
	{sql: "SELECT n FROM parcels LIMIT ALL"},
	{sql: "SELECT n FROM parcels LIMIT @x"},
	{sql: "SELECT n FROM parcels LIMIT (SELECT 3)"},
	{sql: "SELECT n FROM parcels LIMIT 18446744073709551616"},
	{sql: "SELECT n FROM parcels ORDER BY n FOR UPDATE LIMIT 40"},
	{sql: "SELECT n limit FROM parcels"},
	{sql: "SELECT limit FROM parcels"},
	{sql: "SELECT n FROM parcels UNION SELECT n FROM parcels LIMIT 40 ORDER BY n"},
	{sql: "SELECT n FROM parcels LIMIT 3 UNION SELECT n FROM parcels"},
	{sql: "SELECT 'open FROM parcels"},
	{sql: "SELECT n /* open FROM parcels"},
	{sql: "SELECT `open FROM parcels"},
	{sql: "SELECT n\u00a0FROM parcels ORDER BY\u00a0n"},
	{sql: "\ufeffSELECT n FROM parcels"},
	{sql: "SELECT n\nFROM parcels\n\nWHERE\n"},
	{sql: "SELECT 'zażółć' AS ż FROM parcels WHERE LIMIT 'ż'"},
	{sql: ")"},
	{sql: "SELECT n FROM parcels /*!50000 LIMIT 40 */ LIMIT 3"},
	// Names and shapes
	{sql: "SELECT no_such_column FROM parcels"},
	{sql: "SELECT n FROM no_such_table ORDER BY n -- last"},
	{sql: "SELECT n FROM parcels ORDER BY no_such_column LIMIT 40"},
	{sql: "SELECT n FROM parcels ORDER BY n LIMIT 40 FOR UPDATE OF"},
	{sql: "SELECT n FROM parcels UNION SELECT n, label FROM parcels"},
	{sql: "SELECT DISTINCT n FROM parcels, scores s ORDER BY s.n"},
	{sql: "SELECT id FROM parcels JOIN scores USING (n)"},
	{sql: "SELECT parcels.n FROM parcels JOIN parcels ON 1"},
	{sql: "SELECT nobody(n) FROM parcels"},
	{sql: "SELECT n FROM (SELECT n FROM parcels LIMIT 3)"},
	{sql: "SELECT * FROM (SELECT n, n FROM parcels) d"},
	{sql: "WITH w AS (SELECT n FROM parcels) SELECT m FROM w"},
	{sql: "SELECT n FROM parcels WHERE n IN (SELECT n FROM parcels LIMIT 3)"},
	{sql: "SELECT n, COUNT(*) FROM parcels GROUP BY label", session: "SET sql_mode = 'ONLY_FULL_GROUP_BY'"},
	{sql: "SELECT \"no_such_column\" FROM parcels", session: "SET sql_mode = 'ANSI_QUOTES'"},
	{sql: "SELECT @@nobody"},
	{sql: "SELECT n INTO @a, @b FROM parcels"},
	// While it runs
	{sql: "SELECT (SELECT id FROM scores) FROM parcels"},
	{sql: "SELECT n, (SELECT id FROM scores WHERE n > 2) FROM parcels ORDER BY n"},
	{sql: "SELECT n, (SELECT id FROM scores WHERE n > 4) FROM parcels ORDER BY n LIMIT 40"},
	{sql: "SELECT EXP(n * 300) FROM parcels ORDER BY n"},
	{sql: "SELECT CAST(18446744073709551615 AS UNSIGNED) + n FROM parcels ORDER BY n"},
	{sql: "SELECT n INTO @a FROM parcels"},
	{sql: "INSERT INTO parcels SELECT n, 'x' FROM parcels"},
	{sql: "CALL nobody()"},
	{sql: "EXECUTE nobody"},
	{sql: "SHOW COLUMNS FROM nobody"},
	{sql: "EXPLAIN SELECT no_such_column FROM parcels LIMIT 40"},
	{sql: "HANDLER nobody READ FIRST LIMIT 40"},
	{sql: "USE nobody"},
	{sql: "SET nobody = 1"},
	{sql: "PREPARE p FROM 'SELECT n FROM parcels LIMIT x'"},
	{sql: "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'near LIMIT 40'"},
	// Several statements
	{sql: "SELECT n FROM parcels ORDER BY n; SELECT no_such_column FROM parcels"},
	{sql: "SELECT n FROM parcels ORDER BY n LIMIT 4000; SELECT n FROM scores LIMIT 40"},
	{sql: "SELECT n FROM parcels ORDER BY n; SELEC 1"},
	{sql: "SELECT n FROM parcels ORDER BY n;\nSELECT n FROM parcels WHERE LIMIT 40; SELECT 1"},
	{sql: "SELECT n FROM parcels;; SELECT 1"},
}
