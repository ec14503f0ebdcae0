package conformance

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// fillShop puts a thousand parcels and ten towns into the shop.
func fillShop(t *testing.T, gate string) {
	t.Helper()
	db := openShop(t, gate, "")
	var parcels, towns []string
	for n := 1; n <= 1000; n++ {
		parcels = append(parcels, fmt.Sprintf("(%d, 'town %d')", n, n%10))
	}
	for n := range 10 {
		towns = append(towns, fmt.Sprintf("('town %d', 'region %d')", n, n%3))
	}
	for _, text := range []string{"INSERT INTO parcels (n, town) VALUES " + strings.Join(parcels, ", "), "INSERT INTO towns (town, region) VALUES " + strings.Join(towns, ", ")} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	// Both shards hold some of them.
	var shards int
	rows, err := db.Query("SHOW VITESS_SHARDS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		shards++
	}
	if shards != shopShards {
		t.Fatalf("%d shards", shards)
	}
}

// openShop opens a pool of one connection to addr.
func openShop(t *testing.T, addr, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", "root@tcp("+addr+")/shop?"+options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	return db
}

// shopRows are the numbers that a query gives, and what SHOW WARNINGS tells behind it.
func shopRows(t *testing.T, db *sql.DB, text string, values ...any) (numbers []int, warnings []string) {
	t.Helper()
	numbers, err := tryShop(db, text, values...)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rows, err := db.Query("SHOW WARNINGS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var level, code, message string
		if err := rows.Scan(&level, &code, &message); err != nil {
			t.Fatal(err)
		}
		if code != "1235" { // vtgate's own, that an ORDER BY is ambiguous
			warnings = append(warnings, code+" "+message)
		}
	}
	return numbers, warnings
}

func tryShop(db *sql.DB, text string, values ...any) (numbers []int, err error) {
	rows, err := db.Query(text, values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		numbers = append(numbers, n)
	}
	return numbers, rows.Err()
}

// TestVitess has the sidecar cap what a cluster of two shards answers.
func TestVitess(t *testing.T) {
	gate := vitess(t)
	fillShop(t, gate)
	s := serveWire(t, "mysql", gate, limits(5, 10)...)
	addr := net.JoinHostPort(s.at.host, s.at.port)
	first := []int{1, 2, 3, 4, 5}
	for _, options := range []string{"interpolateParams=true", ""} {
		name := "prepared"
		if options != "" {
			name = "texts"
		}
		t.Run(name, func(t *testing.T) {
			db := openShop(t, addr, options)
			for _, test := range []struct {
				text   string
				values []any
				want   []int
				told   bool
			}{
				{"SELECT n FROM parcels ORDER BY n", nil, first, true},
				{"SELECT n FROM parcels WHERE n > ? ORDER BY n", []any{100}, []int{101, 102, 103, 104, 105}, true},
				{"SELECT n FROM parcels WHERE n = ?", []any{7}, []int{7}, false},
				{"SELECT count(*) FROM parcels", nil, []int{1000}, false},
				{"SELECT n FROM parcels ORDER BY n LIMIT ?", []any{3}, []int{1, 2, 3}, false},
				{"SELECT n FROM parcels ORDER BY n LIMIT ?", []any{2000}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, true},
				{"SELECT n FROM parcels ORDER BY n LIMIT 2, 3", nil, []int{3, 4, 5}, false},
				{"SELECT p.n FROM parcels p JOIN towns u ON u.town = p.town WHERE u.region = ? ORDER BY p.n", []any{"region 1"}, []int{1, 4, 7, 11, 14}, true},
				{"SELECT n FROM parcels WHERE n < 3 UNION ALL SELECT n FROM parcels WHERE n BETWEEN 3 AND 9 ORDER BY n", nil, first, true},
				{"SELECT max(n) FROM parcels GROUP BY town ORDER BY town", nil, []int{1000, 991, 992, 993, 994}, true},
			} {
				// More often than a driver needs to prepare for good.
				for range 3 {
					got, warnings := shopRows(t, db, test.text, test.values...)
					if !slices.Equal(got, test.want) {
						t.Fatalf("%s %v: %v", test.text, test.values, got)
					}
					told := len(warnings) == 1 && strings.HasPrefix(warnings[0], "61001 ")
					if told != test.told || !told && len(warnings) > 0 {
						t.Fatalf("%s %v: warnings %q", test.text, test.values, warnings)
					}
				}
			}
			got, err := tryShop(db, "SELECT n FROM parcels")
			if err != nil || len(got) != 5 {
				t.Errorf("without an order: %v, %v", got, err)
			}
			var failed *mysql.MySQLError
			if _, err := tryShop(db, "SELECT nothing FROM parcels"); !errors.As(err, &failed) || strings.Contains(failed.Message, "LIMIT") {
				t.Errorf("an unknown column: %v", err)
			}
			if _, err := tryShop(db, "SELECT n FROM parcels WHERE"); !errors.As(err, &failed) || strings.Contains(failed.Message, "limit") {
				t.Errorf("a syntax error: %v", err)
			}
			if got, warnings := shopRows(t, db, "SELECT n FROM parcels ORDER BY n"); !slices.Equal(got, first) || len(warnings) != 1 {
				t.Errorf("behind errors: %v, %q", got, warnings)
			}
		})
	}
	t.Run("pushed down", func(t *testing.T) {
		before := s.statements(t)
		db := openShop(t, addr, "interpolateParams=true")
		shopRows(t, db, "SELECT n FROM parcels WHERE n > 1 ORDER BY n")
		if now := s.statements(t); now["probe"] != before["probe"]+1 {
			t.Errorf("statements %v, before %v", now, before)
		}
	})
	t.Run("transaction", func(t *testing.T) {
		db := openShop(t, addr, "")
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("INSERT INTO parcels (n, town) VALUES (2001, 'town 1'), (2002, 'town 2')"); err != nil {
			t.Fatal(err)
		}
		var n int
		if err := tx.QueryRow("SELECT count(*) FROM parcels").Scan(&n); err != nil || n != 1002 {
			t.Errorf("%d parcels within, %v", n, err)
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
		if got, _ := shopRows(t, db, "SELECT count(*) FROM parcels"); !slices.Equal(got, []int{1000}) {
			t.Errorf("%v parcels after", got)
		}
	})
	t.Run("reset", func(t *testing.T) { resetShop(t, addr) })
	t.Run("sql_select_limit", func(t *testing.T) {
		db := openShop(t, addr, "")
		if _, err := db.Exec("SET sql_select_limit = 2"); err != nil {
			t.Fatal(err)
		}
		if got, _ := shopRows(t, db, "SELECT n FROM parcels ORDER BY n"); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("got %v", got)
		}
		// Its default, by which it means that there is none.
		if _, err := db.Exec("SET sql_select_limit = 0"); err != nil {
			t.Fatal(err)
		}
		if got, warnings := shopRows(t, db, "SELECT n FROM parcels ORDER BY n"); !slices.Equal(got, first) || len(warnings) != 1 {
			t.Errorf("got %v, %q", got, warnings)
		}
	})
}

// resetShop resets a session, whose warnings, statements and transaction are forgotten then;
// vtgate keeps its settings. The driver has no command for it, so the packet goes past it.
func resetShop(t *testing.T, addr string) {
	var conn net.Conn
	mysql.RegisterDialContext("watched", func(ctx context.Context, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", addr)
		conn = c
		return c, err
	})
	t.Cleanup(func() { mysql.DeregisterDialContext("watched") })
	db, err := sql.Open("mysql", "root@watched("+addr+")/shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET sql_select_limit = 2"); err != nil {
		t.Fatal(err)
	}
	const all = "SELECT n FROM parcels ORDER BY n"
	if got, _ := shopRows(t, db, all); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("under sql_select_limit: %v", got)
	}
	for _, text := range []string{"BEGIN", "DELETE FROM parcels WHERE n < 10"} {
		if _, err := db.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := tryShop(db, all); err != nil || !slices.Equal(got, []int{10, 11}) {
		t.Errorf("%v, %v", got, err)
	}
	const comResetConnection = 0x1f
	if _, err := conn.Write([]byte{1, 0, 0, 0, comResetConnection}); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 64)
	if n, err := conn.Read(answer); err != nil || n < 5 || answer[4] != 0 {
		t.Fatalf("the answer to the reset is %x, %v", answer[:n], err)
	}
	if _, warnings := shopRows(t, db, "SELECT 7"); len(warnings) != 0 {
		t.Errorf("warnings behind a reset: %q", warnings)
	}
	if got, warnings := shopRows(t, db, "SELECT count(*) FROM parcels"); !slices.Equal(got, []int{1000}) || len(warnings) != 0 {
		t.Errorf("an open transaction was not undone: %v, %q", got, warnings)
	}
	if got, _ := shopRows(t, db, all); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("behind a reset: %v", got)
	}
}
