package mysql

import (
	"strings"
	"testing"
)

// longCTE is a report of 66 lines, as people write them.
var longCTE = "WITH\n" + strings.Repeat(`recent AS (
    SELECT o.id, o.customer_id, o.total, o.created_at -- the order
    FROM orders AS o
    JOIN customers AS c ON c.id = o.customer_id
    WHERE o.created_at >= '2026-01-01' AND o.status IN ('paid', 'sent')
      AND c.country = 'DE' AND o.total > 12.50
    GROUP BY o.id, o.customer_id
),
`, 7) + `totals AS (
    SELECT customer_id, SUM(total) AS spent, COUNT(*) AS orders
    FROM recent
    GROUP BY customer_id
    HAVING SUM(total) > 1000
)
SELECT c.name, t.spent, t.orders
FROM totals AS t JOIN customers AS c ON c.id = t.customer_id
ORDER BY t.spent DESC, c.name`

// BenchmarkShape compares reading a shape with one parse of the same text by
// TiDB's parser, and with this package's own lexer.
func BenchmarkShape(b *testing.B) {
	d := New().(dialect)
	for _, bench := range []struct{ name, sql string }{
		{"select", benchmarks[1].sql},
		{"cte", longCTE},
		{"list", benchmarks[2].sql},
	} {
		b.Run(bench.name+"/shape", func(b *testing.B) {
			b.SetBytes(int64(len(bench.sql)))
			b.ReportAllocs()
			var key []byte
			var spans []int32
			for b.Loop() {
				var ok bool
				if key, spans, ok = d.Shape(bench.sql, key[:0], spans[:0]); !ok {
					b.Fatal("no shape")
				}
			}
		})
		b.Run(bench.name+"/lexer", func(b *testing.B) {
			b.SetBytes(int64(len(bench.sql)))
			for b.Loop() {
				l := lexer{settings: d.settings, text: bench.sql}
				for _, ok := l.next(); ok; _, ok = l.next() {
				}
			}
		})
		b.Run(bench.name+"/parser", func(b *testing.B) {
			b.SetBytes(int64(len(bench.sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseTiDB(reading{text: bench.sql}, &d.settings); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
