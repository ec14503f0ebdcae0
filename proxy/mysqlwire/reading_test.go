package mysqlwire

import (
	"testing"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/rewrite"
)

func TestDiagnosticsOf(t *testing.T) {
	for text, want := range map[string]diagnostics{
		"SHOW WARNINGS":                           {kind: showWarnings},
		"  show /* all */ warnings -- x\n ; ":     {kind: showWarnings},
		"SHOW WARNINGS LIMIT 5":                   {kind: showWarnings, count: 5, bounded: true},
		"SHOW WARNINGS LIMIT 2, 5":                {kind: showWarnings, offset: 2, count: 5, bounded: true},
		"SHOW WARNINGS LIMIT 5 OFFSET 2":          {kind: showWarnings, offset: 2, count: 5, bounded: true},
		"SHOW COUNT(*) WARNINGS":                  {kind: showCount},
		"SHOW COUNT ( * ) WARNINGS":               {kind: showCount},
		"SELECT @@warning_count":                  {kind: showCount},
		"select @@SESSION.warning_count;":         {kind: showCount},
		"SELECT @@local.warning_count#":           {kind: showCount},
		"SHOW ERRORS":                             {kind: showErrors},
		"SHOW ERRORS LIMIT 1":                     {kind: showErrors, count: 1, bounded: true},
		"SHOW COUNT(*) ERRORS":                    {kind: showErrorCount},
		"SELECT @@error_count":                    {kind: showErrorCount},
		"":                                        {},
		"SHOW":                                    {},
		"SHOW TABLES":                             {},
		"SHOW WARNINGS; SELECT * FROM t":          {},
		"SHOW WARNINGS LIMIT":                     {},
		"SHOW WARNINGS LIMIT x":                   {},
		"SHOW WARNINGS LIMIT 1,":                  {},
		"SHOW WARNINGS LIMIT ?":                   {},
		"SHOW WARNINGS /*! LIMIT 5 */":            {},
		"SHOW /*!99999 WARNINGS */ TABLES":        {},
		"SELECT @@warning_count FROM t":           {},
		"SELECT @@warning_count, n FROM t":        {},
		"SELECT @@global.warning_count":           {},
		"SELECT @@warning_count AS n LIMIT 1":     {kind: showCount},
		"SELECT @@`warning_count` `n`;":           {kind: showCount},
		"SELECT @@error_count AS 'n'":             {kind: showErrorCount},
		"SELECT @@warning_count w, @@error_count": {kind: showSeveral},
		"SELECT @@warning_count, @@version":       {},
		"SELECT @@warning_count INTO @a":          {},
		"SELECT @@warning_count + 1":              {},
		"SELECT @@warning_count FROM DUAL":        {},
		"SELECT @@warning_count FOR UPDATE":       {},
		"SELECT @@warning_count LIMIT ?":          {},
		"SELECT '@@warning_count'":                {},
		"SELECT @warning_count":                   {},
		"SELECT `@@warning_count`":                {},
		"SHOW COUNT(n) WARNINGS":                  {},
		"SHOW WARNINGS UNION SELECT 1":            {},
		"SELECT SQL_NO_CACHE @@warning_count":     {},
		"SHOW 'WARNINGS'":                         {},
		"/*! SELECT * FROM t -- */ SHOW WARNINGS": {},
		"-- SHOW WARNINGS\nSELECT 1":              {},
	} {
		if got := diagnosticsOf(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestMentionsDiagnostics(t *testing.T) {
	for text, want := range map[string]bool{
		"SELECT FOUND_ROWS()":                                  true,
		"SELECT 1, row_count ()":                               true,
		"GET DIAGNOSTICS @n = ROW_COUNT":                       true,
		"SELECT SQL%ROWCOUNT":                                  true,
		"SELECT trace FROM information_schema.optimizer_trace": true,
		"SHOW PROFILE":                                         true,
		"SELECT @@warning_count + 1":                           true,
		"SELECT 'ROW_COUNT'":                                   false,
		"SELECT found FROM rows_found":                         false,
		"SELECT 1 -- FOUND_ROWS()":                             false,
		"SELECT \"\\\" FOUND_ROWS() -- \"":                     false,
	} {
		if got := mentionsDiagnostics(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestEffect(t *testing.T) {
	unknown := effect{unknown: true}
	sets := func(pairs ...string) (e effect) {
		for i := 0; i < len(pairs); i += 2 {
			e.sets = append(e.sets, assignment{pairs[i], pairs[i+1]})
		}
		return e
	}
	r, err := rewrite.New(mysql.NewMariaDB(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]effect{
		"SELECT 1":           {},
		"SET autocommit = 1": {},
		"SET autocommit=0, time_zone='+00:00', @a = (SELECT 1), @b := f(1, 2)": {},
		"SET GLOBAL sql_mode = ''":                                          {},
		"SET @@global.sql_mode = ''":                                        {},
		"SET PERSIST sql_select_limit = 5":                                  {},
		"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE":                      {},
		"SET SESSION TRANSACTION READ ONLY, ISOLATION LEVEL READ COMMITTED": {},
		"SET sql_mode = 'ANSI'":                                             unknown,
		"SET @@sql_mode := CONCAT(@@sql_mode, ',ANSI_QUOTES')":              unknown,
		"SET autocommit=1, SESSION sql_mode=''":                             unknown,
		"SET `sql_mode` = ''":                                               unknown,
		"SET @@session . `sql_mode` = ''":                                   unknown,
		"SET sql_select_limit = 5":                                          sets("sql_select_limit", "5"),
		"SET SESSION sql_select_limit=5, NAMES utf8mb4":                     sets("sql_select_limit", "5", "character_set_client", "utf8mb4"),
		"SET @@session.sql_select_limit = 5":                                sets("sql_select_limit", "5"),
		"SET sql_select_limit = DEFAULT":                                    unknown,
		"SET sql_select_limit = 5 + 5":                                      unknown,
		"SET sql_select_limit = @a":                                         unknown,
		"SET NAMES utf8mb4":                                                 sets("character_set_client", "utf8mb4"),
		"SET NAMES 'latin1' COLLATE 'latin1_bin', autocommit = 1":           sets("character_set_client", "latin1"),
		"SET NAMES DEFAULT":                                                 unknown,
		"SET CHARACTER SET gbk":                                             sets("character_set_client", "gbk"),
		"SET character_set_client = gbk":                                    unknown,
		"SET @a = 'it\\'s'":                                                 unknown,
		"SET STATEMENT sql_mode = '' FOR SELECT 1":                          unknown,
		"SET PASSWORD = 'x'":                                                {},
		"SET ROLE admin":                                                    {},
		"USE shop":                                                          sets("database", "shop"),
		"USE `my shop`":                                                     sets("database", "my shop"),
		"DROP DATABASE shop":                                                unknown,
		"DROP TABLE t":                                                      {},
		"BEGIN":                                                             {},
		"BEGIN NOT ATOMIC SET sql_mode = ''; END":                           unknown,
		"CALL p()":  {},
		"EXECUTE p": unknown,
		"EXECUTE IMMEDIATE 'SET sql_mode = \"\"'": unknown,
		"/*!40101 SET NAMES utf8 */":              unknown,
		"/*!50000 SET */ sql_mode = ''":           unknown,
		"INSERT INTO t VALUES (1) RETURNING n":    {},
		"SET autocommit = 1; SELECT 2":            {},
		"SET sql_select_limit = 1; SELECT 2":      unknown,
		"":                                        {},
	} {
		s := r.Script(text, rewrite.Ask{})
		got := effectOf(s)
		if got.unknown != want.unknown || len(got.sets) != len(want.sets) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
			continue
		}
		for i := range got.sets {
			if got.sets[i] != want.sets[i] {
				t.Errorf("%q: %+v, want %+v", text, got, want)
			}
		}
	}
}
