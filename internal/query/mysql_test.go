package query

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// eachMySQL runs a test on MariaDB and on MySQL.
func eachMySQL(t *testing.T, test func(t *testing.T, s *dbtest.Server)) {
	t.Run("mariadb", func(t *testing.T) { test(t, dbtest.MariaDB(t)) })
	t.Run("mysql", func(t *testing.T) { test(t, dbtest.MySQL(t)) })
}

const tenTwice = "CREATE TABLE n (i INT PRIMARY KEY); INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12),(13),(14),(15),(16),(17),(18),(19),(20)"

func TestMySQLCaps(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		db := s.Database(t)
		s.SQL(t, db, tenTwice)
		const complete, truncated, unknown = rewrite.Complete, rewrite.Truncated, rewrite.Unknown
		c := open(t, s.URL(db), small())
		if c.Dialect() != s.Flavor {
			t.Errorf("the dialect is %s", c.Dialect())
		}
		c.checkCaps(t, []capCase{
			{"SELECT i FROM n ORDER BY i", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodProbe, "", "showing the first 5 rows; more rows exist"},
			{"SELECT i FROM n WHERE i <= 5 ORDER BY i", 0, 5, complete, rewrite.SourceDefault, rewrite.MethodProbe, "", ""},
			{"SELECT i FROM n WHERE i <= 4 ORDER BY i", 0, 4, complete, rewrite.SourceDefault, rewrite.MethodProbe, "", ""},
			{"SELECT i FROM n WHERE i <= 6 ORDER BY i", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodProbe, "", "cap 5 from the default limit"},
			{"SELECT i FROM n ORDER BY i LIMIT 7", 0, 7, complete, rewrite.SourceUserSQL, rewrite.MethodOwn, "", ""},
			{"SELECT i FROM n ORDER BY i LIMIT 0, 20", 0, 10, truncated, rewrite.SourceCapped, rewrite.MethodProbe, "limit_capped", "20 rows were asked for"},
			{"SELECT i FROM n ORDER BY i # 7", 7, 7, truncated, rewrite.SourceToolParam, rewrite.MethodProbe, "", "ask for up to 10 rows"},
			{"SELECT i FROM n ORDER BY i FOR UPDATE", 0, 5, unknown, rewrite.SourceDefault, rewrite.MethodExact, "", "more rows may exist"},
			{"SHOW VARIABLES", 0, 5, truncated, rewrite.SourceDefault, rewrite.MethodGuard, "", "have the cap raised"},
		})
	})
}

func TestMySQLWriteStands(t *testing.T) {
	s := dbtest.MariaDB(t)
	db := s.Database(t)
	s.SQL(t, db, tenTwice)
	c := open(t, s.URL(db), small())
	r := c.one(t, "INSERT INTO n SELECT i + 100 FROM n RETURNING i")
	if len(r.Rows) != 5 || r.Outcome.Completeness != rewrite.Truncated || !strings.Contains(r.Notice.Detail, "all its changes were made") {
		t.Errorf("%d rows, %v", len(r.Rows), r.Notice)
	}
	if n := text(c.one(t, "SELECT count(*) FROM n")); n != "40" {
		t.Errorf("%s rows", n)
	}
	if r := c.one(t, "DELETE FROM n WHERE i > 100"); r.Columns != nil || r.Command != "Query OK, 20 rows affected" {
		t.Errorf("%+v", r)
	}
}

func TestMySQLValues(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		c := open(t, s.URL(s.Database(t)), small())
		for sql, want := range map[string]string{
			"SELECT 18446744073709551615, -9223372036854775808, 12345678901234567890.10": "18446744073709551615|-9223372036854775808|12345678901234567890.10",
			"SELECT 1e0, 1e15, 1e14, 1e-15, 1e-5, 0.1e0, 1.5e300, -1e-300, 1e0/3":        "1|1e15|100000000000000|0.000000000000001|0.00001|0.1|1.5e300|-1e-300|0.3333333333333333",
			"SELECT NULL, '', 'NULL'":                     "<null>||NULL",
			"SELECT x'00ff', b'101', CAST('a' AS BINARY)": "0x00FF|0x05|0x61",
			"SELECT CAST('2024-02-29 12:00:00.5' AS DATETIME(3)), TIME '838:59:59', CAST(2024 AS CHAR(4))": "2024-02-29 12:00:00.500|838:59:59|2024",
			"SELECT 'a\\nb|c', 'ü', '😀'":                    "a\nb|c|ü|😀",
			"SELECT x.a, x.a FROM (SELECT 1 AS a) x":        "1|1",
			"SELECT JSON_OBJECT('a', 12345678901234567890)": "{\"a\": 12345678901234567890}",
		} {
			if got := text(c.one(t, sql)); got != want {
				t.Errorf("%s\n got %s\nwant %s", sql, got, want)
			}
		}
	})
}

func TestMySQLColumns(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		c := open(t, s.URL(s.Database(t)), small())
		c.run(t, "SET sql_mode = ''; CREATE TABLE v (f FLOAT, g DOUBLE(10,2), d DATE, y YEAR, u BIGINT UNSIGNED, s SET('a','b'), b BLOB, t TEXT)", 0)
		c.run(t, "INSERT INTO v VALUES (16777216, 1.5, '0000-00-00', 0, 18446744073709551615, 'a,b', 'x', 'x')", 0)
		r := c.one(t, "SELECT * FROM v")
		if got := text(r); got != "16777200|1.50|0000-00-00|0000|18446744073709551615|a,b|0x78|x" {
			t.Errorf("got %s", got)
		}
		if got := names(r); got != "f FLOAT, g DOUBLE, d DATE, y YEAR, u UNSIGNED BIGINT, s SET, b BLOB, t TEXT" {
			t.Errorf("columns %s", got)
		}
	})
}

// TestMySQLFloats prints random doubles as the server's own client does.
func TestMySQLFloats(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		p := small()
		p.DefaultLimit, p.MaxLimit = 0, 0
		db := s.Database(t)
		c := open(t, s.URL(db), p)
		c.run(t, "CREATE TABLE f (x DOUBLE, y FLOAT)", 0)
		random := rand.New(rand.NewPCG(1, 2))
		var rows []string
		for range 400 {
			x := (random.Float64() - 0.5) * pow10(random.IntN(44)-22)
			rows = append(rows, fmt.Sprintf("(%e, %e)", x, x))
		}
		c.run(t, "INSERT INTO f VALUES "+strings.Join(rows, ","), 0)
		got := strings.Split(text(c.one(t, "SELECT x, y FROM f")), "\n")
		want := strings.Split(strings.TrimSpace(s.SQL(t, db, "SELECT x, y FROM f")), "\n")
		if len(got) != 400 || len(want) != 400 {
			t.Fatalf("%d and %d rows", len(got), len(want))
		}
		for i := range want {
			if want := strings.ReplaceAll(want[i], "\t", "|"); got[i] != want {
				t.Errorf("got %s, want %s", got[i], want)
			}
		}
	})
}

func pow10(n int) float64 {
	x := 1.0
	for ; n > 0; n-- {
		x *= 10
	}
	for ; n < 0; n++ {
		x /= 10
	}
	return x
}

func TestMySQLErrors(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		c := open(t, s.URL(s.Database(t)), small())
		results, err := c.fails(t, "SELECT 1;\nSELECT * FROM nope")
		var e *Error
		if !errors.As(err, &e) || e.Code != "1146 (42S02)" || !strings.Contains(e.Message, "nope") || e.Line != 2 {
			t.Errorf("%+v", err)
		}
		if len(results) != 1 || text(results[0]) != "1" {
			t.Errorf("the answers before the error: %v", results)
		}
		if _, err := c.fails(t, "SELEC 1"); !errors.As(err, &e) || e.Code != "1064 (42000)" || e.Line != 0 {
			t.Errorf("%+v", err)
		}
		// What was sent has a limit of ours, which the error does not quote.
		for text, near := range map[string]string{
			"SELECT 'é漢😀' FROM t INTERSECT ": "near '' at", "SELECT 1; SELECT n FROM t INTERSECT /* why */ ; SELECT 2": "near '' at",
			"(SELECT 1) INTERSECT;": "near '' at",
		} {
			if _, err := c.fails(t, text); !errors.As(err, &e) || !strings.Contains(e.Message, near) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if _, err := c.fails(t, "TABLE t"); strings.Contains(err.Error(), "LIMIT") {
			t.Error(err)
		}
		u := s.URL("no_such_database")
		if _, err := Open(t.Context(), u); !errors.As(err, &e) || !strings.HasPrefix(e.Code, "1049") || !strings.Contains(err.Error(), "refuses the connection") {
			t.Errorf("err = %v", err)
		}
	})
}

func TestMySQLScript(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		db := s.Database(t)
		s.SQL(t, db, tenTwice)
		c := open(t, s.URL(db), small())
		results := c.run(t, "SELECT i FROM n ORDER BY i; SET @a = 3;; SELECT SQL_CALC_FOUND_ROWS i FROM n ORDER BY i LIMIT 2; SELECT FOUND_ROWS()", 0)
		var got []string
		for _, r := range results {
			if r.Columns == nil {
				got = append(got, r.Command)
			} else {
				got = append(got, strings.ReplaceAll(text(r), "\n", " ")+" "+r.Outcome.Completeness.String())
			}
		}
		want := "1 2 3 4 5 truncated; Query OK, 0 rows affected; 1 2 complete; 20 complete"
		if strings.Join(got, "; ") != want {
			t.Errorf("got %s", strings.Join(got, "; "))
		}
		// What follows a SET is read as the SET says: "i" is a column now.
		results = c.run(t, `SET sql_mode = 'ANSI_QUOTES'; SELECT "i" FROM n ORDER BY "i" DESC`, 0)
		if got := text(results[1]); got != "20\n19\n18\n17\n16" || results[1].Outcome.Completeness != rewrite.Truncated {
			t.Errorf("got %s", got)
		}
		// The session's own bound is kept.
		results = c.run(t, "SET sql_select_limit = 3; SELECT i FROM n ORDER BY i", 0)
		if r := results[1]; len(r.Rows) != 3 || r.Outcome.Plan.Cap.Source != rewrite.SourceSession || r.Outcome.Completeness != rewrite.Complete {
			t.Errorf("%d rows, %+v", len(r.Rows), r.Outcome.Plan.Cap)
		}
	})
}

func TestMySQLProcedure(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		db := s.Database(t)
		s.SQL(t, db, tenTwice)
		c := open(t, s.URL(db), small())
		c.run(t, "CREATE PROCEDURE p() BEGIN SELECT i FROM n ORDER BY i; SELECT 1; UPDATE n SET i = i WHERE i = 0; END", 0)
		results := c.run(t, "CALL p()", 0)
		if len(results) != 2 || text(results[0]) != "1\n2\n3\n4\n5" || results[0].Outcome.Completeness != rewrite.Truncated ||
			text(results[1]) != "1" || results[1].Outcome.Completeness != rewrite.Complete {
			t.Errorf("%+v", results)
		}
	})
}

func TestMySQLWarnings(t *testing.T) {
	eachMySQL(t, func(t *testing.T, s *dbtest.Server) {
		c := open(t, s.URL(s.Database(t)), small())
		w := c.one(t, "SELECT CAST('7x' AS SIGNED)").ServerWarnings
		if len(w) != 1 || w[0].Level != "Warning" || w[0].Code != "1292" || !strings.Contains(w[0].Message, "7x") {
			t.Errorf("%+v", w)
		}
		if w := c.one(t, "SELECT 1").ServerWarnings; len(w) != 0 {
			t.Errorf("%+v", w)
		}
	})
}

func TestMySQLSocket(t *testing.T) {
	s := dbtest.MariaDB(t)
	if s.Socket == "" {
		t.Skip("SKIPPED, NOT PASSED: the given server has no unix socket")
	}
	c := open(t, fmt.Sprintf("mariadb://%s:%s@/?unix_socket=%s", s.User, s.Password, s.Socket), small())
	if got := text(c.one(t, "SELECT 1")); got != "1" {
		t.Errorf("got %s", got)
	}
}

func TestMySQLConnectionLost(t *testing.T) {
	s := dbtest.MariaDB(t)
	c := open(t, s.URL(s.Database(t)), small())
	c.fails(t, "KILL CONNECTION_ID()")
	if _, err := c.fails(t, "SELECT 1"); err == nil || strings.Contains(err.Error(), "panic") {
		t.Errorf("err = %v", err)
	} else {
		t.Log(err)
	}
}
