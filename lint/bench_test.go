package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/lint"
)

// BenchmarkFile looks at a file of 1,000 statements of a few shapes, as migrations and
// reports have them, and at one in which no two statements name the same tables.
func BenchmarkFile(b *testing.B) {
	shapes := []string{
		"SELECT id, name FROM customers%[2]s WHERE region = 'r%[1]d' ORDER BY id LIMIT 50;\n",
		"SELECT o.id FROM orders%[2]s o JOIN customers c ON c.id = o.customer WHERE o.total > %[1]d;\n",
		"INSERT INTO orders%[2]s (customer, total) VALUES (%[1]d, 5);\n",
		"SELECT id FROM t%[2]s WHERE x IN (SELECT id FROM u ORDER BY id LIMIT 10) AND y = %[1]d ORDER BY id LIMIT 50;\n",
		"UPDATE customers%[2]s SET name = 'x' WHERE id = %[1]d;\n",
	}
	const statements = 1000
	for _, dialect := range []string{"postgres", "mysql", "mariadb"} {
		for _, kind := range []string{"repeating", "distinct"} {
			b.Run(dialect+"/"+kind, func(b *testing.B) {
				l := linter(b, dialect, func(o *lint.Options) { o.Keep = false })
				for round := 0; b.Loop(); round++ {
					var text strings.Builder
					for i := range statements {
						name := ""
						if kind == "distinct" {
							name = fmt.Sprintf("_%d_%d", round, i)
						}
						fmt.Fprintf(&text, shapes[i%len(shapes)], i+2, name)
					}
					if r := l.Text("x.sql", text.String()); r.Statements != statements {
						b.Fatalf("%d statements, %v", r.Statements, r.Err)
					}
				}
				b.ReportMetric(statements*float64(b.N)/b.Elapsed().Seconds(), "statements/s")
			})
		}
	}
}
