package mysqlwire_test

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestRowsBesideCatalogs reads rows of a user's own by statements that look as if they
// read the server's tables only, and then these themselves as clients do.
func TestRowsBesideCatalogs(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels+`CREATE FUNCTION g(i INT) RETURNS VARCHAR(40) READS SQL DATA RETURN (SELECT label FROM parcels WHERE n = i % 12 + 1);
			CREATE VIEW mysql.rowcap_view AS SELECT n FROM `+database+`.parcels;
			CREATE VIEW sys.rowcap_view AS SELECT n FROM `+database+`.parcels;
			CREATE TABLE mysql.rowcap_table AS SELECT n FROM `+database+`.parcels;`)
		t.Cleanup(func() {
			s.SQL(t, database, "DROP VIEW mysql.rowcap_view, sys.rowcap_view; DROP TABLE mysql.rowcap_table;")
		})
		run := serve(t, s.Addr(), policy(3, 10))
		texts := []string{
			"SELECT g(ordinal_position) FROM information_schema.columns",
			"SELECT " + database + ".g(ordinal_position) FROM information_schema.columns",
			"SELECT table_name FROM information_schema.columns ORDER BY g(ordinal_position)",
			"SELECT @n := 1 FROM information_schema.columns",
			"SELECT n FROM mysql.rowcap_view",
			"SELECT n FROM sys.rowcap_view",
			"SELECT n FROM mysql.rowcap_table",
		}
		if s.Flavor == dbtest.FlavorMariaDB {
			texts = append(texts, "SELECT seq FROM mysql.seq_1_to_30", "SELECT seq FROM sys.seq_1_to_30", "SELECT seq FROM performance_schema.seq_1_to_30")
		}
		c := connect(t, s, database, run, nil)
		for _, text := range texts {
			got := query(t, c, text)
			if told := query(t, c, "SHOW WARNINGS"); strings.Count(got, "\n") != 3 || !strings.Contains(told, "61001") {
				t.Errorf("%s: %d rows, and %q", text, strings.Count(got, "\n"), told)
			}
		}
		got := query(t, c, "SELECT g(a.ordinal_position) FROM information_schema.columns a, information_schema.columns b LIMIT 5000")
		if n := strings.Count(got, "\n"); n != 10 {
			t.Errorf("%d rows beyond the maximum of 10", n)
		}
		inside := connect(t, s, "mysql", run, nil)
		if n := strings.Count(query(t, inside, "SELECT n FROM rowcap_table"), "\n"); n != 3 {
			t.Errorf("%d rows of a user's table in mysql", n)
		}
		if n := strings.Count(query(t, inside, "SELECT name FROM help_topic"), "\n"); n <= 10 && s.Flavor == dbtest.FlavorMySQL {
			t.Errorf("%d rows of a system table", n)
		}
		for _, text := range []string{
			"SELECT TABLE_SCHEMA AS TABLE_CAT, NULL AS TABLE_SCHEM, TABLE_NAME, CASE WHEN TABLE_TYPE = 'BASE TABLE' THEN CASE WHEN TABLE_SCHEMA = 'mysql' OR TABLE_SCHEMA = 'performance_schema' THEN 'SYSTEM TABLE' ELSE 'TABLE' END ELSE TABLE_TYPE END AS TABLE_TYPE FROM INFORMATION_SCHEMA.TABLES ORDER BY TABLE_TYPE, TABLE_SCHEMA, TABLE_NAME",
			"SELECT TABLE_SCHEMA, COLUMN_NAME, IF(EXTRA LIKE '%auto_increment%', 'YES', 'NO'), UPPER(DATA_TYPE), CASE LCASE(DATA_TYPE) WHEN 'date' THEN 10 WHEN 'bit' THEN NUMERIC_PRECISION ELSE COALESCE(CHARACTER_MAXIMUM_LENGTH, 0) END, SUBSTRING(COLUMN_TYPE, 1, LOCATE('(', COLUMN_TYPE)) FROM INFORMATION_SCHEMA.COLUMNS",
			"SELECT collation_name FROM information_schema.collations UNION ALL SELECT table_name FROM information_schema.columns",
			"SELECT DISTINCT CONCAT(table_schema, '.', table_name) FROM information_schema.tables",
		} {
			got := query(t, c, text)
			if told := query(t, c, "SHOW WARNINGS"); strings.Count(got, "\n") <= 10 || strings.Contains(told, "61001") {
				t.Errorf("%s: %d rows, and %q", text, strings.Count(got, "\n"), told)
			}
		}
	})
}
