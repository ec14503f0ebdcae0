//go:build cgo

package rewrite_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	pgquery "github.com/pganalyze/pg_query_go/v6"
	tidb "github.com/pingcap/tidb/pkg/parser"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

// benchText makes one of many texts of a shape: n is in its literals, name in its
// words.
type benchText struct {
	name string
	text func(n int, name string) string
}

var benchTexts = []benchText{
	{"select of 81 bytes", func(n int, name string) string {
		return fmt.Sprintf("SELECT id, name, price%s FROM products WHERE category = %04d ORDER BY price, id;", name, 1000+n%9000)
	}},
	{"CTE of 66 lines", func(n int, name string) string {
		part := `%s AS (
    SELECT o.customer_id, o.status, count(*) AS orders, sum(o.total) AS total
    FROM orders AS o
    LEFT JOIN payments AS p ON p.order_id = o.id
    WHERE o.created_at >= '2026-01-01'
      AND o.status IN ('paid', 'shipped', 'returned')
      AND o.total BETWEEN 10 AND %d
      AND NOT EXISTS (SELECT 1 FROM refunds AS r WHERE r.order_id = o.id AND r.amount > 99)
    GROUP BY o.customer_id, o.status
),
`
		var b strings.Builder
		b.WriteString("WITH ")
		for _, cte := range []string{"a", "b", "c", "d", "e", "f"} {
			fmt.Fprintf(&b, part, "recent_"+cte+name, 1000+n)
		}
		fmt.Fprintf(&b, "one AS (SELECT 1 AS n)\nSELECT c.id, c.name, recent_a%s.total\nFROM customers AS c\nJOIN recent_a%s ON recent_a%s.customer_id = c.id\nWHERE c.country = 'PL'\nORDER BY c.id", name, name, name)
		return b.String()
	}},
	{"IN list of 5,000", func(n int, name string) string {
		return "SELECT id, name" + name + " FROM products WHERE id IN (" + strings.Repeat("104729, ", 4999) + fmt.Sprint(1000+n) + ") ORDER BY id"
	}},
	{"INSERT of 5,000 rows", func(n int, name string) string {
		return "INSERT INTO products" + name + " VALUES " + strings.Repeat("(104729, 'a product', 12.50), ", 4999) + fmt.Sprintf("(%d, 'last', 1.5)", 1000+n)
	}},
}

// BenchmarkScript plans texts that come again word for word (exact), that differ
// from earlier ones in literals (shape), and that are new in every way (cold). In
// turns with each it has the grammar's own parser parse the same texts once, and
// reports what a plan takes of one parse. docs/performance.md has the table;
// make bench writes it.
func BenchmarkScript(b *testing.B) {
	for _, grammar := range []struct {
		name  string
		parse func(string) error
	}{
		{"postgres", func(sql string) error { _, err := pgquery.Parse(sql); return err }},
		{"mysql", parseTiDB(tidb.New())},
	} {
		for _, text := range benchTexts {
			for _, way := range []struct {
				name string
				make func(i int) string
			}{
				{"exact", func(int) string { return text.text(7, "") }},
				{"shape", func(i int) string { return text.text(i, "") }},
				{"cold", func(i int) string { return text.text(i, fmt.Sprintf("_%06d", i)) }},
			} {
				b.Run(grammar.name+"/"+text.name+"/"+way.name, func(b *testing.B) {
					benchmarkScript(b, grammar.name, way.make, grammar.parse)
				})
			}
		}
	}
}

func parseTiDB(p *tidb.Parser) func(string) error {
	return func(sql string) error {
		_, _, err := p.ParseSQL(sql)
		return err
	}
}

// benchmarkScript plans texts in turns, and in each turn has one of them parsed, so
// that what else the machine does falls on both.
func benchmarkScript(b *testing.B, name string, text func(i int) string, parse func(string) error) {
	const turn = 64
	d, err := dialect.Lookup(name)
	if err != nil {
		b.Fatal(err)
	}
	r, err := rewrite.New(d, rewrite.DefaultPolicy())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 3 { // learn
		r.Script(text(-1-i), rewrite.Ask{})
	}
	b.ReportAllocs()
	b.StopTimer()
	b.ResetTimer()
	var planning, parsing time.Duration
	var texts [turn]string
	turns := 0
	for at := 0; at < b.N; at += turn {
		n := min(turn, b.N-at)
		for i := range n {
			texts[i] = text(at + i)
		}
		b.StartTimer()
		begin := time.Now()
		for _, sql := range texts[:n] {
			_ = r.Script(sql, rewrite.Ask{}).SQL()
		}
		planning += time.Since(begin)
		b.StopTimer()
		begin = time.Now()
		if err := parse(texts[0]); err != nil {
			b.Fatal(err)
		}
		parsing += time.Since(begin)
		turns++
	}
	plan, once := float64(planning)/float64(b.N), float64(parsing)/float64(turns)
	b.ReportMetric(plan/once, "of-a-parse")
	b.ReportMetric(once, "parse-ns/op")
}
