package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// pages reads a statement to its end, each page from the one before, and returns the
// first column. Between pages it calls meanwhile.
func pages(t *testing.T, s *Source, q Request, meanwhile func(page int)) (got []string, byKey bool) {
	t.Helper()
	byKey = true
	for page := 1; page < 50; page++ {
		a := mustRead(t, s, q)
		for _, row := range a.Rows {
			got = append(got, row[0].Text)
		}
		if a.Outcome.Completeness == rewrite.Complete {
			return got, byKey
		}
		byKey = byKey && a.Key != nil && !strings.Contains(kinds(a), "unstable_order")
		if (a.Key == nil) != strings.Contains(kinds(a), "unstable_order") {
			t.Errorf("%s: key %v, warnings %s", q.SQL, a.Key, kinds(a))
		}
		q.Offset, q.After = a.Offset+uint64(len(a.Rows)), a.KeyAt(len(a.Rows)-1)
		meanwhile(page)
	}
	t.Fatalf("%s: the pages have no end", q.SQL)
	return nil, false
}

// TestKeysThatAreNone has orders that look total and are not.
func TestKeysThatAreNone(t *testing.T) {
	server := dbtest.Postgres(t)
	db := server.Database(t)
	server.SQL(t, db, `CREATE TABLE r (id int PRIMARY KEY, c int NOT NULL); INSERT INTO r SELECT g, g % 3 FROM generate_series(1, 12) g;
CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE words (k text COLLATE ci NOT NULL);
CREATE UNIQUE INDEX ON words (k COLLATE "C"); INSERT INTO words VALUES ('a'), ('A'), ('b'), ('B'), ('c'), ('C')`)
	source := openSource(t, server, db, DefaultTimeout)
	for sql, want := range map[string]int{
		"SELECT id FROM r i(c, id) ORDER BY id": 12, "SELECT id FROM r AS i(c, id) ORDER BY i.id": 12, "SELECT k FROM words ORDER BY k": 6,
	} {
		whole, byKey := pages(t, source, Request{SQL: sql, Limit: 1}, func(int) {})
		if byKey || len(whole) != want {
			t.Errorf("%s: %d rows, by key %v", sql, len(whole), byKey)
		}
	}
	if whole, byKey := pages(t, source, Request{SQL: "SELECT id FROM r ORDER BY id", Limit: 1}, func(int) {}); !byKey || len(whole) != 12 {
		t.Errorf("%d rows, by key %v", len(whole), byKey)
	}
	// Where nothing is capped, an answer that is cut for its size alone has pages by key only.
	uncapped := rewrite.DefaultPolicy()
	uncapped.DefaultLimit, uncapped.MaxLimit = 0, 0
	open := openWith(t, Options{DSN: server.URL(db), Policy: uncapped, Timeout: DefaultTimeout, Sessions: 1})
	for sql, pages := range map[string]bool{"SELECT c FROM r": false, "SELECT id FROM r ORDER BY id": true} {
		if a := mustRead(t, open, Request{SQL: sql, CutAbove: 10}); a.Pages != pages {
			t.Errorf("%s: pages %v", sql, a.Pages)
		}
	}
}

func TestPagesByKey(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		source := openSource(t, s, db, DefaultTimeout)
		s.SQL(t, db, `CREATE TABLE k (id INT PRIMARY KEY, a INT NOT NULL, b VARCHAR(20) NOT NULL, n INT, UNIQUE (a, b));
CREATE UNIQUE INDEX nullable ON k (n)`)
		fill := func() {
			rows := make([]string, 12)
			for i := range rows {
				rows[i] = fmt.Sprintf("(%d, %d, '%c%d', NULL)", i*10+10, i%3, "aBcD"[i%4], i)
			}
			s.SQL(t, db, "DELETE FROM k; INSERT INTO k VALUES "+strings.Join(rows, ", "))
		}
		mark := "?"
		if s.Flavor == dbtest.FlavorPostgres {
			mark = "$1"
		}
		fill()
		all := openAll(t, s, db)
		for _, c := range []struct {
			sql   string
			byKey bool
		}{
			{"SELECT id, a FROM k ORDER BY id", true},
			{"SELECT id FROM k ORDER BY id DESC", true},
			{"SELECT * FROM k ORDER BY id", true},
			{"SELECT k.* FROM k WHERE id > 5 ORDER BY k.id -- a comment", true},
			{"SELECT id, b, a FROM k x ORDER BY a, b", true},
			{"SELECT id, b, a FROM k ORDER BY a DESC, b", true},
			{"SELECT id, a, b FROM k ORDER BY b DESC, a DESC;", true},
			{"SELECT id, a FROM k ORDER BY a, id, n", true},
			{"SELECT id, n FROM k ORDER BY n, id", false},
			{"SELECT id, a FROM k ORDER BY a", false},
			{"SELECT id, a FROM k", false},
			{"SELECT id AS a, a AS id FROM k ORDER BY id", false},
			{"SELECT a FROM k ORDER BY id", false},
			{"SELECT id FROM k ORDER BY id + 0", false},
			{"SELECT x.id FROM k x JOIN k y ON x.id = y.id ORDER BY x.id", false},
			{"SELECT DISTINCT id FROM k ORDER BY id", false},
			{"SELECT id FROM k GROUP BY id ORDER BY id", false},
			{"SELECT id, id FROM k ORDER BY id", false},
		} {
			whole, byKey := pages(t, source, Request{SQL: c.sql}, func(int) {})
			sorted := slices.Sorted(slices.Values(whole))
			want := 12
			if byKey != c.byKey || len(whole) != want || !strings.HasPrefix(c.sql, "SELECT a") && len(slices.Compact(sorted)) != want {
				t.Errorf("%s: by key %v, %d rows %v", c.sql, byKey, len(whole), whole)
			}
			direct := mustRead(t, all, Request{SQL: c.sql})
			for i, row := range direct.Rows {
				if c.byKey && whole[i] != row[0].Text {
					t.Errorf("%s: row %d is %s, and %s in one answer", c.sql, i, whole[i], row[0].Text)
				}
			}
		}
		// Rows come and go between the pages: none that stays is lost or repeated.
		for _, sql := range []string{"SELECT id FROM k ORDER BY id", "SELECT id, a, b FROM k ORDER BY a DESC, b"} {
			fill()
			got, byKey := pages(t, source, Request{SQL: sql, Limit: 3}, func(page int) {
				s.SQL(t, db, fmt.Sprintf("INSERT INTO k VALUES (%d, %d, 'A', NULL); DELETE FROM k WHERE id = %d", page, 100+page, page-1))
			})
			for i := 1; i <= 12; i++ {
				n := 0
				for _, id := range got {
					if id == fmt.Sprint(i*10) {
						n++
					}
				}
				if n != 1 || !byKey {
					t.Errorf("%s: row %d came %d times: %v", sql, i*10, n, got)
				}
			}
		}
		fill()
		got, byKey := pages(t, source, Request{SQL: "SELECT id FROM k WHERE id > " + mark + " ORDER BY id", Params: []Param{{Text: "20", Number: true}}, Limit: 4, Count: CountExact}, func(int) {})
		if len(got) != 10 || !byKey {
			t.Errorf("%v", got)
		}
		// The statement's own LIMIT bounds the pages together, and how it is written does not
		// matter.
		for _, c := range []struct {
			limit string
			page  uint64
			want  string
		}{
			{"LIMIT 9", 4, "10 20 30 40 50 60 70 80 90"},
			{"LIMIT 8 -- of twelve", 4, "10 20 30 40 50 60 70 80"},
			{"LIMIT 9 OFFSET 2", 4, "30 40 50 60 70 80 90 100 110"},
			{"LIMIT 9 OFFSET 7;", 4, "80 90 100 110 120"},
			{"LIMIT 2, 9", 4, "30 40 50 60 70 80 90 100 110"},
			{"OFFSET 2 LIMIT 9", 4, "30 40 50 60 70 80 90 100 110"},
			{"OFFSET 2 ROWS FETCH NEXT 9 ROWS ONLY", 4, "30 40 50 60 70 80 90 100 110"},
			{"FETCH FIRST 9 ROWS ONLY", 4, "10 20 30 40 50 60 70 80 90"},
			{"LIMIT 12", 0, "10 20 30 40 50 60 70 80 90 100 110 120"},
			{"LIMIT 5000", 0, "10 20 30 40 50 60 70 80 90 100 110 120"},
		} {
			sql := "SELECT id FROM k ORDER BY id " + c.limit
			mysqlOnly := strings.Contains(c.limit, ",")
			if postgresOnly := strings.Contains(c.limit, "FETCH") || strings.HasPrefix(c.limit, "OFFSET"); mysqlOnly && s.Flavor == dbtest.FlavorPostgres || postgresOnly && s.Flavor != dbtest.FlavorPostgres {
				continue
			}
			fill()
			got, byKey := pages(t, source, Request{SQL: sql, Limit: c.page}, func(int) {})
			if strings.Join(got, " ") != c.want || !byKey {
				t.Errorf("%s: by key %v: %v", sql, byKey, got)
			}
			got, byKey = pages(t, source, Request{SQL: sql, Limit: c.page}, func(page int) {
				s.SQL(t, db, fmt.Sprintf("INSERT INTO k VALUES (%d, %d, 'A', NULL); DELETE FROM k WHERE id = %d", page, 100+page, page*10))
			})
			if strings.Join(got, " ") != c.want || !byKey {
				t.Errorf("%s, while rows come and go: by key %v: %v", sql, byKey, got)
			}
		}
		fill()
		// An index that goes ends the pages.
		a := mustRead(t, source, Request{SQL: "SELECT id FROM k ORDER BY id", Limit: 3, Count: CountExact})
		if a.Key == nil || a.Total == nil || *a.Total.Value != 12 {
			t.Errorf("%v %v", a.Key, a.Total)
		}
		next := Request{SQL: "SELECT id FROM k ORDER BY id", Limit: 3, Offset: 3, After: a.KeyAt(2), Count: CountExact}
		if a := mustRead(t, source, next); *a.Total.Value != 12 || a.Total.Kind != "exact" || a.Rows[0][0].Text != "40" || a.Offset != 3 {
			t.Errorf("%+v", a)
		}
		drop := "ALTER TABLE k DROP PRIMARY KEY"
		if s.Flavor == dbtest.FlavorPostgres {
			drop = "ALTER TABLE k DROP CONSTRAINT k_pkey"
		}
		s.SQL(t, db, drop)
		if _, err := source.Read(t.Context(), next); err == nil || !strings.Contains(err.Error(), "not known to be total any more") {
			t.Errorf("%v", err)
		}
	})
}

// openAll returns a source without a cap.
func openAll(t *testing.T, s *dbtest.Server, db string) *Source {
	t.Helper()
	return openWith(t, Options{DSN: s.URL(db), Policy: rewrite.DefaultPolicy(), Timeout: DefaultTimeout, Sessions: 1})
}

// TestPagesOfInheritedTables has a primary key that does not hold for all rows.
func TestPagesOfInheritedTables(t *testing.T) {
	s := dbtest.Postgres(t)
	db := s.Database(t)
	s.SQL(t, db, `CREATE TABLE top (id int PRIMARY KEY); CREATE TABLE below () INHERITS (top);
INSERT INTO top SELECT generate_series(1, 8); INSERT INTO below SELECT generate_series(1, 8);
CREATE TABLE parts (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE part PARTITION OF parts FOR VALUES FROM (0) TO (100); INSERT INTO parts SELECT generate_series(1, 8);
CREATE VIEW seen AS SELECT id FROM parts; CREATE TABLE late (id int NOT NULL UNIQUE DEFERRABLE); INSERT INTO late SELECT generate_series(1, 8);
CREATE TABLE "Odd" ("Id" int PRIMARY KEY, id int); INSERT INTO "Odd" SELECT g, 1 FROM generate_series(1, 8) g`)
	source := openSource(t, s, db, DefaultTimeout)
	for sql, want := range map[string]bool{
		"SELECT id FROM top ORDER BY id": false, "SELECT id FROM parts ORDER BY id": true, "SELECT id FROM seen ORDER BY id": false,
		"SELECT id FROM late ORDER BY id": false, `SELECT "Id" FROM "Odd" ORDER BY "Id"`: true, `SELECT id FROM "Odd" ORDER BY id`: false,
	} {
		if a := mustRead(t, source, Request{SQL: sql}); (a.Key != nil) != want {
			t.Errorf("%s: key %v", sql, a.Key)
		}
	}
}

func TestCursorsHoldKeys(t *testing.T) {
	c := Cursors{Key: []byte("a key of this test")}
	bound := Bound("t", "i", "u", Request{SQL: "SELECT 1"})
	for _, p := range []Place{{}, {Offset: 1 << 40, Limit: 7}, {Offset: 5, After: []Param{{Text: "x\x00y"}, {Text: "12", Number: true}, {Text: ""}}}} {
		text := c.Write(p, bound)
		got, err := c.Read(text, bound)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(p) {
			t.Errorf("%v: %v %v", p, got, err)
		}
		for i := range len(text) {
			altered := []byte(text)
			altered[i] = "AB"[min(int(altered[i]&1), 1)]
			if string(altered) == text {
				continue
			}
			if got, err := c.Read(string(altered), bound); err == nil {
				t.Errorf("%s altered to %s reads %v", text, altered, got)
			}
		}
	}
}
