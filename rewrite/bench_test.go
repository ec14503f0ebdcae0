//go:build cgo && unix

package rewrite_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
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
// turns with each it has the grammar's own parser parse the same texts, and reports
// what a plan takes of one parse. docs/performance.md has the table;
// make bench writes it.
func BenchmarkScript(b *testing.B) {
	const many = 64 // plans that take less than a clock can tell
	for _, grammar := range []struct {
		name  string
		parse func(string) error
	}{
		{"postgres", func(sql string) error { _, err := pgquery.Parse(sql); return err }},
		{"mysql", parseTiDB(tidb.New())},
	} {
		for _, text := range benchTexts {
			cold := 1 // plans in turn with a parse
			if len(text.text(0, "")) > remembered {
				cold = many
			}
			for _, way := range []struct {
				name string
				turn int
				make func(i int) string
			}{
				{"exact", many, func(int) string { return text.text(7, "") }},
				{"shape", many, func(i int) string { return text.text(i, "") }},
				{"cold", cold, func(i int) string { return text.text(i, fmt.Sprintf("_%06d", i)) }},
			} {
				b.Run(grammar.name+"/"+text.name+"/"+way.name, func(b *testing.B) {
					benchmarkScript(b, grammar.name, way.turn, way.make, grammar.parse)
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

// remembered is the length of the longest text that a Rewriter remembers, in bytes.
const remembered = 64 << 10

// benchmarkScript plans texts and has them parsed in turns, so that what else the
// machine does falls on both. It counts the processor's time, garbage collection
// included, and the allocations of a plan.
func benchmarkScript(b *testing.B, name string, turn int, text func(i int) string, parse func(string) error) {
	d, err := dialect.Lookup(name)
	if err != nil {
		b.Fatal(err)
	}
	r, err := rewrite.New(d, rewrite.DefaultPolicy())
	if err != nil {
		b.Fatal(err)
	}
	made, texts := 0, make([]string, turn)
	next := func() {
		for i := range texts {
			if i > 0 && len(texts[0]) > remembered {
				// It may come again, and is as near to the processor as what was
				// just received.
				texts[i] = texts[0]
			} else {
				texts[i] = text(made)
				made++
			}
		}
	}
	plan := func() {
		for _, sql := range texts {
			_ = r.Script(sql, rewrite.Ask{}).SQL()
		}
	}
	for range 3 { // learn
		next()
		plan()
	}
	const samples = 8
	var before, after runtime.MemStats
	objects, bytes := uint64(0), uint64(0)
	for range samples {
		next()
		runtime.ReadMemStats(&before)
		plan()
		runtime.ReadMemStats(&after)
		objects += after.Mallocs - before.Mallocs
		bytes += after.TotalAlloc - before.TotalAlloc
	}
	var planning, parsing time.Duration
	plans, parses := 0, 0
	// A busy machine must not leave a few turns only, in which the heap still grows.
	for plans < b.N || parses < 256 && planning+parsing < time.Second {
		next()
		begin := processorTime(b)
		plan()
		planning += processorTime(b) - begin
		plans += turn
		begin = processorTime(b)
		if err := parse(texts[0]); err != nil {
			b.Fatal(err)
		}
		parsing += processorTime(b) - begin
		parses++
	}
	one, once := float64(planning)/float64(plans), float64(parsing)/float64(parses)
	b.ReportMetric(one, "ns/op")
	b.ReportMetric(once, "parse-ns/op")
	b.ReportMetric(one/once, "of-a-parse")
	b.ReportAllocs()
	b.ReportMetric(float64(objects)/float64(samples*turn), "allocs/op")
	b.ReportMetric(float64(bytes)/float64(samples*turn), "B/op")
}

// processorTime returns what the process took of the processors so far.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
