package postgres

import (
	"strings"
	"testing"
)

// benchTexts are the statements that costs are told for.
var benchTexts = []struct{ name, sql string }{
	{"SELECT of 81 bytes", "SELECT id, name, price FROM products WHERE category_id = 4217 ORDER BY price, id;"},
	{"CTE of 66 lines", longCTE()},
	{"IN list of 5,000", "SELECT id, name FROM products WHERE id IN (" + strings.Repeat("104729, ", 4999) + "7) ORDER BY id"},
}

func longCTE() string {
	part := `recent_N AS (
	SELECT o.customer_id, o.status, count(*) AS orders, sum(o.total) AS total
	FROM orders AS o
	LEFT JOIN payments AS p ON p.order_id = o.id
	WHERE o.created_at >= date '2026-01-01' + interval '30 days'
		AND o.status IN ('paid', 'shipped', 'returned')
		AND o.total BETWEEN 10 AND 25000.50
		AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.order_id = o.id AND r.amount > 99)
	GROUP BY o.customer_id, o.status
)`
	var parts []string
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		parts = append(parts, strings.Replace(part, "N", n, 1))
	}
	return "WITH " + strings.Join(parts, ",\n") + `
SELECT c.id, c.name, recent_a.total
FROM customers AS c
JOIN recent_a ON recent_a.customer_id = c.id
WHERE c.country = 'PL' AND recent_a.orders > 3 -- regulars
ORDER BY recent_a.total DESC
LIMIT 500`
}

// BenchmarkShape tells a text's shape beside parsing it once.
func BenchmarkShape(b *testing.B) {
	d := Dialect{}
	for _, text := range benchTexts {
		b.Run(text.name+"/shape", func(b *testing.B) {
			var key []byte
			var spans []int32
			b.SetBytes(int64(len(text.sql)))
			b.ReportAllocs()
			for b.Loop() {
				var ok bool
				if key, spans, ok = d.Shape(text.sql, key[:0], spans[:0]); !ok {
					b.Fatal("no shape")
				}
			}
		})
		b.Run(text.name+"/parse", func(b *testing.B) {
			b.SetBytes(int64(len(text.sql)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engineParse(text.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBenchTexts holds the texts to what they are called.
func TestBenchTexts(t *testing.T) {
	if n := len(benchTexts[0].sql); n != 81 {
		t.Errorf("the SELECT has %d bytes", n)
	}
	if n := strings.Count(benchTexts[1].sql, "\n") + 1; n != 66 {
		t.Errorf("the CTE has %d lines", n)
	}
	for _, text := range benchTexts {
		statements, err := New().Parse(text.sql)
		if err != nil || len(statements) != 1 || !statements[0].Limitable {
			t.Errorf("%s: %d statements, %v", text.name, len(statements), err)
		}
	}
}
