package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// secret stands in every masked column, with a number in front of it in pin.
const secret = "s3cr3t"

const maskedTables = `CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20), password VARCHAR(40), pin INT);
INSERT INTO users VALUES (1, 'ann', 's3cr3t-1', 778801), (2, 'bob', 's3cr3t-2', 778802), (3, 'cid', 's3cr3t-3', 778803);
CREATE TABLE orders (id INT PRIMARY KEY, user_id INT, note VARCHAR(20));
INSERT INTO orders VALUES (1, 1, 'x'), (2, 2, 'y');
CREATE TABLE tokens (id INT PRIMARY KEY, password VARCHAR(40));
INSERT INTO tokens VALUES (1, 's3cr3t-1'), (9, 's3cr3t-9');
CREATE VIEW clean AS SELECT id, name FROM users;
CREATE VIEW alike AS SELECT id, password FROM users;
CREATE VIEW renamed AS SELECT id, password AS p FROM users;
CREATE VIEW filtered AS SELECT id FROM users WHERE password LIKE 's%';
CREATE VIEW deep AS SELECT id, p FROM renamed;
CREATE VIEW inner_item AS SELECT s.p AS p FROM (SELECT password AS p FROM users) s;
CREATE VIEW united AS SELECT name AS n FROM users UNION SELECT password FROM users;
`

var bothMasks = Mask{Columns: []string{"pass*", "users.pin", "leaf.code"}}

func openMasked(t *testing.T, s *dbtest.Server, db string, m Mask) *Source {
	t.Helper()
	return openWith(t, Options{DSN: s.URL(db), Policy: capping(), Timeout: 10 * time.Second, Sessions: 2, Mask: m})
}

func eachMasked(t *testing.T, test func(t *testing.T, s *dbtest.Server, db string)) {
	dbtest.EachDatabase(t, maskedTables, test)
}

// told is everything that an answer or an error says, and nothing else: a pointer's digits may look like a pin.
func told(a Answer, err error) string {
	total := "none"
	if a.Total != nil {
		total = a.Total.Kind
		if a.Total.Value != nil {
			total = fmt.Sprint(total, *a.Total.Value)
		}
	}
	return fmt.Sprintf("%+v %+v %+v %+v %+v %v %s", a.Columns, a.Rows, a.Command, a.ServerWarnings, a.Notice, err, total)
}

func leaks(a Answer, err error) bool {
	text := told(a, err)
	return strings.Contains(strings.ToLower(text), secret) || strings.Contains(text, "77880") || strings.Contains(strings.ToLower(text), "733363723374")
}

// TestMaskedOutput has statements that only show masked columns.
func TestMaskedOutput(t *testing.T) {
	eachMasked(t, func(t *testing.T, s *dbtest.Server, db string) {
		source := openMasked(t, s, db, bothMasks)
		for sql, want := range map[string]string{
			"SELECT id, password FROM users ORDER BY id":                                             "1|[masked]\n2|[masked]\n3|[masked]",
			"SELECT u.id, u.password AS shown, u.name FROM users AS u ORDER BY u.id":                 "1|[masked]|ann\n2|[masked]|bob\n3|[masked]|cid",
			"SELECT * FROM users WHERE id = 2":                                                       "2|bob|[masked]|[masked]",
			"SELECT users.* FROM users WHERE users.id = 2":                                           "2|bob|[masked]|[masked]",
			"SELECT o.note, u.password FROM orders o JOIN users u ON u.id = o.user_id ORDER BY o.id": "x|[masked]\ny|[masked]",
			"WITH w AS (SELECT id, password FROM users) SELECT password, id FROM w ORDER BY id":      "[masked]|1\n[masked]|2\n[masked]|3",
			"SELECT password FROM users UNION ALL SELECT note FROM orders ORDER BY 1":                "",
			"SELECT pin FROM users WHERE id = 1":                                                     "[masked]",
			"SELECT password FROM alike WHERE id = 1":                                                "[masked]",
			"SELECT id FROM tokens ORDER BY id":                                                      "1\n9",
			"SELECT id, name FROM users ORDER BY id":                                                 "1|ann\n2|bob\n3|cid",
			"SELECT id, name FROM clean ORDER BY id":                                                 "1|ann\n2|bob\n3|cid",
			"SELECT u.id, u.name, count(*) AS c FROM users u GROUP BY u.id ORDER BY u.id":            "1|ann|1\n2|bob|1\n3|cid|1",
		} {
			a, err := source.Read(t.Context(), Request{SQL: sql, Count: CountExact})
			if err != nil || leaks(a, err) || want != "" && text(a.Result) != want {
				t.Errorf("%s:\n%s\n%v", sql, text(a.Result), err)
			}
			warned := slices.Contains(strings.Fields(kinds(a)), "columns_masked")
			masked := strings.Contains(text(a.Result), MaskedText) || want == ""
			if warned != masked || warned != (len(a.Masked) > 0) {
				t.Errorf("%s: warnings %s, masked %v", sql, kinds(a), a.Masked)
			}
			for i, c := range a.Columns {
				if want != "" && len(a.Rows) > 0 && c.Masked != (a.Rows[0][i].Text == MaskedText) {
					t.Errorf("%s: column %+v", sql, c)
				}
			}
		}
		a := mustRead(t, source, Request{SQL: "SELECT password FROM users", DryRun: true})
		if !strings.Contains(a.SQL, "NULL") || len(a.Masked) != 2 || !strings.HasSuffix(a.Masked[0], "users.password") {
			t.Errorf("%s %v", a.SQL, a.Masked)
		}
		if a := mustRead(t, source, Request{SQL: "SELECT id, name FROM users", DryRun: true}); a.SQL != "SELECT id, name FROM users LIMIT 6" || a.Masked != nil {
			t.Errorf("%s %v", a.SQL, a.Masked)
		}
	})
}

// TestMaskedPages reads a masked table in pages.
func TestMaskedPages(t *testing.T) {
	eachMasked(t, func(t *testing.T, s *dbtest.Server, db string) {
		source := openMasked(t, s, db, bothMasks)
		a := mustRead(t, source, Request{SQL: "SELECT id, password FROM users ORDER BY id", Limit: 2})
		if text(a.Result) != "1|[masked]\n2|[masked]" || !a.Pages || a.Outcome.Completeness != rewrite.Truncated {
			t.Errorf("%s", told(a, nil))
		}
		a = mustRead(t, source, Request{SQL: "SELECT id, password FROM users ORDER BY id", Limit: 2, Offset: 2})
		if text(a.Result) != "3|[masked]" || a.Outcome.Completeness != rewrite.Complete {
			t.Errorf("%s", told(a, nil))
		}
	})
}

// attacks try to learn a masked value; each must be refused, fail or tell nothing.
var attacks = []string{
	"SELECT upper(password) FROM users",
	"SELECT concat(password, '') AS x FROM users",
	"SELECT substr(password, 1, 1) FROM users",
	"SELECT length(password), max(password), min(password) FROM users",
	"SELECT id FROM users WHERE password = 's3cr3t-1'",
	"SELECT id FROM users WHERE password LIKE 's3c%'",
	"SELECT id FROM users ORDER BY password",
	"SELECT count(*) FROM users GROUP BY password",
	"SELECT CASE WHEN password > 'a' THEN 1 ELSE 0 END FROM users",
	"SELECT u.id FROM users u JOIN tokens t ON u.password = t.password",
	"SELECT * FROM users JOIN tokens USING (password)",
	"SELECT * FROM users NATURAL JOIN tokens",
	"SELECT id FROM users WHERE EXISTS (SELECT 1 FROM tokens t WHERE t.password = users.password)",
	"SELECT id FROM orders WHERE note IN (SELECT password FROM users)",
	"SELECT (SELECT password FROM users WHERE id = 1) AS x",
	"SELECT x FROM (SELECT password AS x FROM users) s WHERE x LIKE 's%'",
	"SELECT upper(x) FROM (SELECT password AS x FROM users) s",
	"WITH w(a, b) AS (SELECT id, password FROM users) SELECT a, upper(b) FROM w",
	"WITH w AS (SELECT * FROM users) SELECT upper(password) FROM w",
	"SELECT name FROM users UNION SELECT password FROM users",
	"SELECT password FROM users EXCEPT SELECT note FROM orders",
	"SELECT * FROM (SELECT * FROM users) s",
	"SELECT DISTINCT password FROM users",
	"SELECT p FROM renamed", "SELECT * FROM renamed", "SELECT p FROM deep", "SELECT id FROM filtered", "SELECT p FROM inner_item", "SELECT n FROM united",
	"SELECT * FROM alike WHERE password > 'a'", "SELECT upper(password) FROM alike",
	"TABLE users",
	"SELECT password + 1 FROM users", "SELECT 1 / (pin - 5) FROM users",
	"SELECT PassWord AS a FROM users", "SELECT max(PASSWORD) FROM USERS",
	"SELECT row_number() OVER (ORDER BY password), id FROM users",
	"SELECT id, lag(password) OVER w FROM users WINDOW w AS (ORDER BY id)",
	"EXPLAIN SELECT * FROM users WHERE password = 's3cr3t-1'",
	"WITH users AS (SELECT 1 AS password) SELECT password FROM users",
	"SELECT count(password) FROM users",
}

var postgresAttacks = []string{
	"SELECT u FROM users u", "SELECT users FROM users", "SELECT u::text FROM users u", "SELECT (u).password FROM users u", "SELECT (users.*)::text FROM users",
	"SELECT row_to_json(u) FROM users u", "SELECT to_jsonb(users) FROM users", "SELECT jsonb_agg(u) FROM users u", "SELECT json_object_agg(id, password) FROM users",
	"SELECT password(u) FROM users u", "SELECT length(password(users)) FROM users",
	"SELECT row(u.*) FROM users u", "SELECT array_agg(u) FROM users u", "SELECT ROW(users.*)::text FROM users", "SELECT (SELECT u FROM users u LIMIT 1)::text",
	"SELECT c FROM users u(a, b, c, d)", "SELECT j.c FROM (users u JOIN orders o ON true) AS j(a, b, c, d)", "SELECT upper(c) FROM users AS u(a, b, c)",
	"SELECT password::int FROM users", "SELECT CAST(password AS date) FROM users", "SELECT 1 FROM users WHERE password::int = 1",
	`SELECT U&"p\0061ssword" || '' FROM users`, `SELECT "password" || '' FROM "users"`,
	"SELECT query_to_xml('SELECT * FROM users', true, true, '')", "SELECT table_to_xml('users', true, true, '')", "SELECT database_to_xml(true, true, '')",
	"SELECT * FROM ts_stat('SELECT to_tsvector(password) FROM users')",
	"SELECT most_common_vals FROM pg_stats WHERE attname = 'password'", "SELECT histogram_bounds::text FROM pg_stats", "SELECT stavalues1::text FROM pg_statistic",
	"SELECT query FROM pg_stat_activity", "SELECT query FROM pg_stat_get_activity(NULL)",
	"SELECT u.spied FROM users u", "SELECT o.id, o.spied_too FROM orders o", `SELECT "users".spied FROM users`, "SELECT id FROM users ORDER BY users.spied", "SELECT o.any_row FROM orders o",
	"SELECT reveal(1)", "SELECT reveal_lang(1)", "SELECT * FROM reveal_all()", "SELECT 1 <<? 2", "SELECT public.reveal(1)", "SELECT spy(id) FROM orders",
	"SELECT * FROM calls", "SELECT * FROM whole", "SELECT w FROM whole_text",
	"SELECT * FROM ONLY users", "SELECT * FROM users TABLESAMPLE BERNOULLI (100)", "SELECT * FROM users *",
	"SELECT x.* FROM orders o, LATERAL (SELECT * FROM users WHERE id = o.id) x", "SELECT u.* FROM orders o LEFT JOIN LATERAL (SELECT upper(password) AS up FROM users) u ON true",
	"SELECT * FROM child", "SELECT c::text FROM child c", "SELECT pin FROM child", "SELECT extra FROM child WHERE id > 0", "SELECT code FROM base", "SELECT code FROM leaf", "SELECT secret_len FROM made",
	"SELECT xmlforest(password) FROM users", "SELECT json_build_object('a', password) FROM users", "SELECT format('%s', u) FROM users u", "SELECT hashtext(u::text) FROM users u",
	"SELECT DISTINCT ON (password) id FROM users", "SELECT id FROM users ORDER BY (SELECT password FROM tokens WHERE id = 1)",
	"SELECT * FROM users FETCH FIRST 1 ROW WITH TIES", "SELECT string_agg(password, ',') FROM users", "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY password) FROM users",
	"SELECT id FROM users GROUP BY GROUPING SETS ((id), (password))", "VALUES ((SELECT password FROM users LIMIT 1))", "SELECT ARRAY(SELECT password FROM users)",
	"SELECT * FROM moved", "SELECT EXISTS (SELECT FROM users WHERE password ~ '^s')", "SELECT * FROM users, pg_sleep(0)",
	"EXPLAIN (ANALYZE, VERBOSE) SELECT * FROM users WHERE password > 'a'", "EXPLAIN VERBOSE SELECT upper(password) FROM users",
	"SELECT * FROM users AS tokens NATURAL JOIN orders", "SELECT public.users.password FROM public.users", "SELECT * FROM public.users", "SELECT pin FROM ONLY (users)",
}

const postgresTraps = `
CREATE FUNCTION reveal(i int) RETURNS text LANGUAGE sql STABLE AS 'SELECT password FROM users WHERE id = i';
CREATE FUNCTION reveal_lang(i int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN (SELECT password FROM users WHERE id = i); END';
CREATE FUNCTION reveal_all() RETURNS SETOF users LANGUAGE sql STABLE AS 'SELECT * FROM users';
CREATE FUNCTION step(a text, i int) RETURNS text LANGUAGE sql STABLE AS 'SELECT password FROM users WHERE id = 1';
CREATE AGGREGATE spy(int) (SFUNC = step, STYPE = text);
CREATE FUNCTION op(a int, b int) RETURNS text LANGUAGE sql STABLE AS 'SELECT password FROM users WHERE id = 1';
CREATE OPERATOR <<? (LEFTARG = int, RIGHTARG = int, FUNCTION = op);
CREATE FUNCTION spied(u users) RETURNS text LANGUAGE sql STABLE AS 'SELECT u.password';
CREATE FUNCTION spied_too(o orders) RETURNS text LANGUAGE sql STABLE AS 'SELECT password FROM users WHERE id = o.id';
CREATE FUNCTION any_row(o anyelement) RETURNS text LANGUAGE sql STABLE AS 'SELECT password FROM users WHERE id = 1';
CREATE VIEW calls AS SELECT reveal(1) AS r;
CREATE VIEW whole AS SELECT u AS r FROM users u;
CREATE VIEW whole_text AS SELECT u::text AS w FROM users u;
CREATE TABLE child (extra int) INHERITS (users);
INSERT INTO child VALUES (4, 'dee', 's3cr3t-4', 778804, 1);
CREATE TABLE base (id int, code text) PARTITION BY LIST (id);
CREATE TABLE leaf PARTITION OF base FOR VALUES IN (1);
INSERT INTO base VALUES (1, 's3cr3t-6');
CREATE TABLE made (id int, password text, secret_len text GENERATED ALWAYS AS (upper(password)) STORED);
INSERT INTO made (id, password) VALUES (1, 's3cr3t-5');
CREATE MATERIALIZED VIEW moved AS SELECT id, password AS copied FROM users;
ANALYZE;
`

var mysqlAttacks = []string{
	"SELECT `password` AS a, HEX(`password`) FROM `users`", "SELECT group_concat(password) FROM users", "SELECT json_arrayagg(password) FROM users",
	"SELECT password + 0 FROM users", "SELECT CAST(password AS DATE) FROM users", "SELECT password FROM users PROCEDURE ANALYSE()",
	"SELECT /*!40000 upper(password) */ FROM users", "SELECT * FROM /*!40000 users */ WHERE /*!40000 password > 'a' AND */ id = 1", "SELECT `users`.password FROM`users`WHERE id=1",
	"SELECT reveal(1)", "SELECT reveal (1)", "SELECT * FROM calls", "SELECT password FROM users PARTITION (p0)", "SELECT password FROM users USE INDEX (PRIMARY)",
	"SELECT * FROM mysql.user", "SELECT * FROM information_schema.processlist", "SELECT * FROM performance_schema.events_statements_history", "SHOW PROCESSLIST", "SHOW FULL PROCESSLIST",
	"SHOW TABLES WHERE (SELECT password FROM users LIMIT 1) LIKE 's%'", "SHOW VARIABLES WHERE Variable_name = (SELECT password FROM users LIMIT 1)",
	"SELECT extractvalue(1, concat('~', (SELECT password FROM users LIMIT 1)))", "SELECT exp(~(SELECT * FROM (SELECT password FROM users LIMIT 1) x))",
	"SELECT * FROM users u1 JOIN users u2 ON u1.password = u2.password", "SELECT * FROM users u1, users u2 WHERE u1.id = u2.id", "SELECT u.* FROM users AS u ORDER BY 3",
	"SELECT id FROM users HAVING password > 'a'", "SELECT id, password AS p FROM users HAVING p > 'a'", "SELECT secret_len FROM made", "SELECT * FROM made",
	"SELECT pas\u017fword AS a FROM users", "DESCRIBE users", "SHOW CREATE TABLE users", "(SELECT password FROM users) ORDER BY 1", "((SELECT upper(password) FROM users))",
	"SELECT * FROM users FOR UPDATE", "SELECT * FROM users LOCK IN SHARE MODE", "EXPLAIN FORMAT=JSON SELECT * FROM users WHERE password = 's3cr3t-1'", "DESC users password",
	"SELECT JSON_OBJECT('a', u.password) FROM users u", "SELECT users.id, users.password FROM users, orders WHERE users.id = orders.id",
}

const mysqlTraps = `
CREATE FUNCTION reveal(i INT) RETURNS VARCHAR(40) READS SQL DATA RETURN (SELECT password FROM users WHERE id = i);
CREATE VIEW calls AS SELECT reveal(1) AS r;
CREATE TABLE made (id INT, password VARCHAR(40), secret_len VARCHAR(40) GENERATED ALWAYS AS (upper(password)) STORED);
INSERT INTO made (id, password) VALUES (1, 's3cr3t-5');
`

// TestMaskedValuesDoNotLeak tries everything under both rules for use.
func TestMaskedValuesDoNotLeak(t *testing.T) {
	eachMasked(t, func(t *testing.T, s *dbtest.Server, db string) {
		all, traps := append(slices.Clone(attacks), mysqlAttacks...), mysqlTraps
		if s.Flavor == dbtest.FlavorPostgres {
			all, traps = append(slices.Clone(attacks), postgresAttacks...), postgresTraps
		} else if s.Flavor == dbtest.FlavorMySQL {
			s.SQL(t, db, "SET GLOBAL log_bin_trust_function_creators = 1")
		}
		s.SQL(t, db, traps)
		for _, use := range []MaskUse{MaskRefuse, MaskNull} {
			source := openMasked(t, s, db, Mask{Columns: bothMasks.Columns, Use: use})
			ran, refused := 0, 0
			for _, sql := range all {
				for _, q := range []Request{{SQL: sql}, {SQL: sql, Explain: true}, {SQL: sql, AsWritten: true, Count: CountExact}} {
					a, err := source.Read(t.Context(), q)
					own := strings.Contains(sql, secret) && q.Explain // the plan shows the caller's own text
					if leaks(a, err) && !own && !(strings.HasPrefix(sql, "EXPLAIN") && strings.Contains(sql, secret)) {
						t.Errorf("%s: %s: %s\n%s", use, sql, a.SQL, told(a, err))
					}
					var no *rewrite.RefusedError
					switch {
					case err == nil:
						ran++
					case errors.As(err, &no):
						refused++
					}
					if err == nil && len(a.Rows) > 0 && use == MaskRefuse && q.Explain == false && strings.Contains(sql, "WHERE password") {
						t.Errorf("%s was not refused: %s", sql, a.SQL)
					}
				}
			}
			t.Logf("%s: %d statements: %d answers, %d refusals", use, len(all), ran, refused)
			if ran < 10 || refused < 30 {
				t.Errorf("%s: %d answers and %d refusals: the test does not test", use, ran, refused)
			}
		}
		// Without the mask the same statements do tell.
		open := openMasked(t, s, db, Mask{})
		told := 0
		for _, sql := range all {
			if a, err := open.Read(t.Context(), Request{SQL: sql}); leaks(a, err) {
				told++
			}
		}
		if told < 25 {
			t.Errorf("only %d statements tell anything without a mask", told)
		}
		t.Logf("without a mask %d statements tell", told)
	})
}

// TestMaskedErrors holds messages to the caller's own text.
func TestMaskedErrors(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, maskedTables)
	source := openMasked(t, s, db, bothMasks)
	_, err := source.Read(t.Context(), Request{SQL: "SELECT password, nope\nFROM users"})
	var e *Error
	if !errors.As(err, &e) || e.Line != 1 || e.Column != 18 {
		t.Errorf("%v", err)
	}
	_, err = source.Read(t.Context(), Request{SQL: "SELECT password FROM users WHERE nope"})
	if !errors.As(err, &e) || e.Line != 1 || e.Column != 34 {
		t.Errorf("%v", err)
	}
}

// TestMaskedWrites refuses to change tables with masked columns, whose values could be
// copied.
func TestMaskedWrites(t *testing.T) {
	eachMasked(t, func(t *testing.T, s *dbtest.Server, db string) {
		source := openMasked(t, s, db, bothMasks)
		for _, sql := range []string{
			"INSERT INTO orders SELECT id + 100, id, password FROM users", "UPDATE users SET name = password", "DELETE FROM users WHERE password LIKE 's%'",
			"INSERT INTO orders SELECT id + 100, id, p FROM renamed", "INSERT INTO users VALUES (1, 'x', 'y', 1)",
		} {
			a, err := source.Execute(t.Context(), Request{SQL: sql})
			var no *rewrite.RefusedError
			if !errors.As(err, &no) || leaks(a, err) {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if a, err := source.Execute(t.Context(), Request{SQL: "INSERT INTO orders VALUES (3, 3, 'z')"}); err != nil || *a.Affected != 1 {
			t.Errorf("%v", err)
		}
	})
}

// TestMaskExempt uses what the operator vouches for.
func TestMaskExempt(t *testing.T) {
	eachMasked(t, func(t *testing.T, s *dbtest.Server, db string) {
		m := bothMasks
		m.Exempt = []string{"filtered"}
		source := openMasked(t, s, db, m)
		if a := mustRead(t, source, Request{SQL: "SELECT id FROM filtered ORDER BY id"}); text(a.Result) != "1\n2\n3" {
			t.Errorf("%s", text(a.Result))
		}
		if _, err := source.Read(t.Context(), Request{SQL: "SELECT p FROM renamed"}); err == nil || !strings.Contains(err.Error(), "--mask-exempt") {
			t.Errorf("%v", err)
		}
	})
}

func TestMaskPatterns(t *testing.T) {
	s := Source{columns: Mask{Columns: []string{"pass*", "users.PIN", "audit.log.*", "*_token"}}.patterns()}
	for name, want := range map[string]bool{
		"shop.users.password": true, "shop.users.Passport": true, "shop.users.pin": true, "shop.orders.pin": false, "audit.log.anything": true,
		"shop.log.anything": false, "shop.keys.api_token": true, "shop.keys.token": false, "shop.keys.my_pass": false,
	} {
		p := strings.Split(name, ".")
		if got := s.masks(p[0], p[1], p[2]); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{{"", "", true}, {"*", "", true}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-b-b", false}, {"**a", "aa", true}, {"a_c", "abc", true}, {"_", "", false}} {
		if got := Match(c.pattern, c.text, '*', '_'); got != c.want {
			t.Errorf("%q %q: %v", c.pattern, c.text, got)
		}
	}
	if !Match(strings.Repeat("*a", 1000)+"*", strings.Repeat("a", 1000), '*', 0) {
		t.Error("a long pattern does not match")
	}
}
