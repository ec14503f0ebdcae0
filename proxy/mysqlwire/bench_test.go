package mysqlwire_test

import (
	"context"
	"database/sql"
	"fmt"
	"runtime"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// BenchmarkPointSelect compares a small query straight and through the door.
func BenchmarkPointSelect(b *testing.B) {
	s := dbtest.MariaDB(b)
	database := s.Database(b)
	s.SQL(b, database, parcels)
	run := serve(b, s.Addr(), policy(100, 1000))
	straight := &running{addr: s.Addr()}
	for name, r := range map[string]*running{"straight": straight, "through": run} {
		c := connect(b, s, database, r, nil)
		text := func(i int) string { return fmt.Sprintf("SELECT label FROM parcels WHERE n = %d", i%12) }
		st, err := c.PrepareContext(context.Background(), "SELECT label FROM parcels WHERE n = ?")
		if err != nil {
			b.Fatal(err)
		}
		var label string
		b.Run(name+"/text", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if err := c.QueryRowContext(context.Background(), text(i)).Scan(&label); err != nil && err != sql.ErrNoRows {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/prepared", func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				if err := st.QueryRow(i % 12).Scan(&label); err != nil && err != sql.ErrNoRows {
					b.Fatal(err)
				}
			}
		})
		st.Close()
	}
}

// BenchmarkRows streams rows, 100,000 in one answer.
func BenchmarkRows(b *testing.B) {
	s := dbtest.MariaDB(b)
	database := s.Database(b)
	run := serve(b, s.Addr(), policy(0, 0))
	for name, r := range map[string]*running{"straight": {addr: s.Addr()}, "through": run} {
		c := connect(b, s, database, r, nil)
		b.Run(name, func(b *testing.B) {
			for range b.N {
				rows, err := c.QueryContext(context.Background(), "SELECT seq, REPEAT('x', 90) FROM seq_1_to_100000")
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for rows.Next() {
					n++
				}
				if rows.Close(); n != 100_000 {
					b.Fatalf("%d rows", n)
				}
			}
		})
	}
}

// TestIdleSessions says what an idle session keeps.
func TestIdleSessions(t *testing.T) {
	const sessions = 50
	f := dbtest.MariaDB(t)
	run := serve(t, f.Addr(), policy(3, 10))
	size := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse + m.StackInuse
	}
	before := size()
	for range sessions {
		c := newWireSide(dialRaw(t, f, run.addr, "", 0))
		ask(c.rawClient, "SELECT 7")
		c.answer(0)
	}
	each := (int64(size()) - int64(before)) / sessions
	t.Logf("%d bytes each, the test's own client included", each)
	if each > 100<<10 {
		t.Errorf("an idle session keeps %d bytes", each)
	}
}
