package mysql

import (
	"strings"
	"testing"
)

var benchmarks = []struct{ name, sql string }{
	{"point", "SELECT c FROM sbtest1 WHERE id=501"},
	{"select", "SELECT id, name, price FROM products WHERE price > 10 AND name LIKE 'a%' ORDER BY id"},
	{"list", "SELECT a FROM t WHERE a IN (1" + strings.Repeat(", 12345", 5000) + ")"},
	{"insert", "INSERT INTO t VALUES (1, 'abc')" + strings.Repeat(", (12345, 'abcdef')", 5000)},
}

func BenchmarkParse(b *testing.B) {
	d := New()
	for _, bench := range benchmarks {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Parse(bench.sql); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSetLimit(b *testing.B) {
	d := New()
	for _, bench := range benchmarks[:3] {
		b.Run(bench.name, func(b *testing.B) {
			statements, err := d.Parse(bench.sql)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.SetLimit(statements[0], 101); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
