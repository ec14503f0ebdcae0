package corpus

import (
	"slices"
	"testing"
)

func TestMysqltest(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"delimiter", "SELECT 1; SELECT 'a;b'\n;\ndelimiter |;\nBEGIN; END|\ndelimiter ;|\nSELECT 3;", []string{"SELECT 1", "SELECT 'a;b'", "BEGIN; END", "SELECT 3"}},
		{"quotes", `SELECT "a;\";", 'it''s;', ` + "`;`" + `;SELECT 2;`, []string{`SELECT "a;\";", 'it''s;', ` + "`;`", "SELECT 2"}},
		{"comments", "# one;\n-- two;\n--echo three;\nSELECT 4 -- five\n;", []string{"SELECT 4 -- five"}},
		{"commands", "connect (a,localhost,root,,);\nconnection a;\nlet $x= 1;\n--let $y= 2\ninc $x;\n--error 1064\nSELECT 1;\nsend SELECT 2;\nreap;", []string{"SELECT 1", "SELECT 2"}},
		{"variables", "let $t= t1;\nlet $n= `SELECT 5`;\neval SELECT * FROM $t;\neval SELECT $n;\neval SELECT '$.a' FROM $t;\nSELECT '$t';\n", []string{"SELECT * FROM t1", "SELECT '$.a' FROM t1", "SELECT '$t'"}},
		{"blocks", "if ($a)\n{\n  SELECT 1;\n}\nwhile ($i) {\n SELECT 2;\n dec $i;\n}\nSELECT 3;", []string{"SELECT 1", "SELECT 2", "SELECT 3"}},
		{"texts", "perl;\nprint 1;\nEOF\n--write_file $f\nSELECT 1;\nEOF\nwrite_file f END;\nSELECT 2;\nEND\nSELECT 3;", []string{"SELECT 3"}},
		{"dashed", "--eval SELECT 1\n--query_vertical SELECT 2\n--source include/none.inc\nquery SELECT 3;", []string{"SELECT 1", "SELECT 2", "SELECT 3"}},
		{"another server", "SELECT 1;\n--source include/have_ndb.inc\nSELECT 2;", []string{"SELECT 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			m := &mysqltest{folder: t.TempDir(), delimiter: ";", variables: map[string]string{}}
			m.statement = func(s string) bool { got = append(got, s); return true }
			m.read(c.text)
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestHarmful(t *testing.T) {
	for text, want := range map[string]bool{
		"SHUTDOWN": true, "SET @@global.read_only = 1": true, "set password = 'x'": true, "DROP DATABASE mysql": true, "kill 5": true,
		"ROLLBACK AND NO CHAIN RELEASE": true, "DELETE FROM mysql.user": true, "START SLAVE": true, "LOCK INSTANCE FOR BACKUP": true,
		"SELECT 1": false, "SET sql_mode = ''": false, "START TRANSACTION": false, "DROP DATABASE test2": false, "LOCK TABLES t READ": false,
		"SELECT * FROM mysql.user": false, "COMMIT": false,
	} {
		if got := harmful(text); got != want {
			t.Errorf("harmful(%q) is %t", text, got)
		}
	}
}

func TestIsQuery(t *testing.T) {
	for text, want := range map[string]bool{
		"select 1": true, " ((VALUES(1)))": true, "/* a */ -- b\n# c\nWITH x AS (SELECT 1) TABLE x": true, "/*!50000 SELECT */ 1": true,
		"SELECT": true, "SHOW TABLES": false, "SELECTED": false, "": false, "-- SELECT": false, "EXPLAIN SELECT 1": false,
	} {
		if got := isQuery(text); got != want {
			t.Errorf("isQuery(%q) is %t", text, got)
		}
	}
}
