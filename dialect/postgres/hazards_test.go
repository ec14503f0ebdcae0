package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

func repeat(head, part, tail string, n int) string {
	return head + strings.Repeat(part, n) + tail
}

// TestHazards feeds texts that would end the process, or hold it for long, if they
// reached the parser as they are. Each must come back soon and be guarded.
func TestHazards(t *testing.T) {
	big := func(part string) int { return (maxText - 100) / len(part) }
	for name, sql := range map[string]string{
		"sum of 24,500":        repeat("SELECT 1", "+1", "", 24_500),
		"sum of 1,000,000":     repeat("SELECT 1", "+1", "", 1_000_000),
		"sum to the text size": repeat("SELECT 1", "+1", " FROM t", big("+1")),
		"100,000 brackets":     repeat("SELECT ", "(", "1", 100_000) + strings.Repeat(")", 100_000),
		"open brackets":        repeat("SELECT ", "(", "", big("(")),
		"nested selects":       repeat("", "SELECT (", "1", 50_000) + strings.Repeat(")", 50_000),
		"array brackets":       repeat("SELECT ", "ARRAY[", "1", 50_000) + strings.Repeat("]", 50_000),
		"minus signs":          repeat("SELECT ", "- ", "1", big("- ")),
		"NOT":                  repeat("SELECT ", "NOT ", "true", big("NOT ")),
		"casts":                repeat("SELECT 1", "::int", "", big("::int")),
		"IS NULL":              repeat("SELECT a", " IS NULL", " FROM t", big(" IS NULL")),
		"BETWEEN":              repeat("SELECT a", " BETWEEN 1 AND 2 IS TRUE", " FROM t", big(" BETWEEN 1 AND 2 IS TRUE")),
		"UNION":                repeat("SELECT 1,2", " UNION SELECT 1,2", "", big(" UNION SELECT 1,2")),
		"UNION with OR":        repeat("SELECT a OR b", " UNION SELECT a OR b", "", big(" UNION SELECT a OR b")),
		"JOIN with AND":        repeat("SELECT a FROM t", " JOIN t ON a AND b", "", big(" JOIN t ON a AND b")),
		"CASE with OR":         repeat("SELECT ", "CASE WHEN a OR b THEN ", "1", 20_000) + strings.Repeat(" END", 20_000),
		"calls":                repeat("SELECT ", "f(a,", "1", 50_000) + strings.Repeat(")", 50_000),
		"fetch counts":         repeat("FETCH ", "- ", "5 FROM c", 100_000),
		"text too long":        "SELECT '" + strings.Repeat("a", maxText) + "' FROM t",
		"200,000 comments":     repeat("SELECT a ", "/**/", "FROM t", 200_000),
		"plus signs":           repeat("SELECT 1", "+", "1", 60_000),
		"stars and slashes":    repeat("SELECT /", "*/", "1", 60_000),
		"runs of plus signs":   repeat("SELECT 1", repeat("", "+", "1", 900), " FROM t", 1000),
		"3,000,000 comments":   repeat("SELECT a ", "/**/", "FROM t", 3_000_000),
		"NUL":                  "SELECT a FROM t\x00 LIMIT 5",
		"NUL in a string":      "SELECT 'a\x00' FROM t",
		"in a script":          "SELECT a FROM t; " + repeat("SELECT 1", "+1", "", 24_500) + "; SELECT b FROM t",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			d := New()
			statements, err := d.Parse(sql)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if err != nil {
				if err.Error() == "" {
					t.Error("the error says nothing")
				}
				return
			}
			unknown := 0
			for _, st := range statements {
				if st.Kind == rewrite.KindUnknown {
					unknown++
					if !st.ReturnsRows || st.Limitable || st.Obstacle == "" {
						t.Errorf("unknown without a guard: %s", facts(st))
					}
					if _, err := d.SetLimit(st, 5); err == nil {
						t.Error("a limit was written into text that cannot be read")
					}
				}
			}
			if unknown != 1 {
				t.Errorf("%d statements could not be read, want 1 of %d", unknown, len(statements))
			}
		})
	}
}

// TestBigTexts reads texts that are long or wide but not deep.
func TestBigTexts(t *testing.T) {
	for name, sql := range map[string]string{
		"IN list":         repeat("SELECT a FROM t WHERE a IN (1", ",1", ")", 100_000),
		"VALUES":          repeat("VALUES (1,'a')", ",(1,'a')", "", 30_000),
		"OR":              repeat("SELECT a FROM t WHERE a = 1", " OR a = 1", "", 20_000),
		"AND and BETWEEN": repeat("SELECT a FROM t WHERE a = 1", " AND a BETWEEN 1 AND 2", "", 10_000),
		"columns":         repeat("SELECT a", ", a + 1 AS b", " FROM t", 15_000),
		"WHEN":            repeat("SELECT CASE", " WHEN a = 1 THEN 2", " END FROM t", 15_000),
		"comments":        repeat("SELECT a ", "/**/ ", " FROM t", 200_000),
		"ruled lines":     repeat("SELECT a", "\n"+repeat("--", "=", "", 78), "\nFROM t", 1000),
		"UNION":           repeat("SELECT 1", " UNION ALL SELECT 1", "", maxDepth/10),
		"a long string":   "SELECT '" + strings.Repeat("a", maxText-100) + "' FROM t",
	} {
		t.Run(name, func(t *testing.T) {
			d := New()
			statements, err := d.Parse(sql)
			if err != nil || len(statements) != 1 || !statements[0].Limitable {
				t.Fatalf("%d statements, %v", len(statements), err)
			}
			edits, err := d.SetLimit(statements[0], 7)
			if err != nil || len(edits) != 1 {
				t.Fatalf("SetLimit: %+v, %v", edits, err)
			}
		})
	}
}

// TestDeepestTexts reads texts just within the bound on depth, in the shapes that need
// the most of the parser's stack for each token.
func TestDeepestTexts(t *testing.T) {
	for name, shape := range map[string]struct{ head, open, middle, close, tail string }{
		"sum":            {"SELECT 1", "+1", "", "", ""},
		"minus":          {"SELECT ", "- ", "1", "", ""},
		"casts":          {"SELECT 1", "::int", "", "", ""},
		"IS NULL":        {"SELECT a", " ISNULL", "", "", ""},
		"brackets":       {"SELECT ", "(", "1", ")", ""},
		"nested selects": {"", "SELECT(", "1", ")", ""},
		"from selects":   {"", "SELECT FROM(", "SELECT", ")a", ""},
		"with":           {"", "WITH a AS(", "SELECT", ")SELECT", ""},
		"union":          {"SELECT", " UNION SELECT", "", "", ""},
		"union in":       {"", "SELECT UNION(", "SELECT", ")", ""},
		"join":           {"SELECT FROM t", " NATURAL JOIN t", "", "", ""},
		"join in":        {"SELECT FROM ", "(t NATURAL JOIN ", "t", ")", ""},
		"join right":     {"SELECT FROM t", " JOIN t", "", " ON a", ""},
		"case":           {"SELECT ", "CASE WHEN a THEN ", "1", " END", ""},
		"case else":      {"SELECT ", "CASE WHEN a THEN 1 ELSE ", "1", " END", ""},
		"calls":          {"SELECT ", "f(", "1", ")", ""},
		"calls, later":   {"SELECT ", "f(a,", "1", ")", ""},
		"arrays":         {"SELECT ", "ARRAY[", "1", "]", ""},
		"rows":           {"SELECT ", "(1,", "1", ")", ""},
		"and in or":      {"SELECT ", "(a AND b OR ", "a", ")", ""},
		"between":        {"SELECT a", " BETWEEN b AND c IS TRUE", "", "", ""},
		"exists":         {"", "SELECT EXISTS(", "SELECT", ")", ""},
	} {
		t.Run(name, func(t *testing.T) {
			build := func(n int) string {
				return shape.head + strings.Repeat(shape.open, n) + shape.middle + strings.Repeat(shape.close, n) + shape.tail
			}
			fits := func(n int) bool {
				sql := build(n)
				tokens, err := scan(sql)
				if err != nil {
					t.Fatal(err)
				}
				return checkDepth(newWords(sql, tokens)) == nil
			}
			low, high := 1, maxDepth+1
			if fits(high) {
				t.Fatalf("%d levels are let through", high)
			}
			for low+1 < high {
				if mid := (low + high) / 2; fits(mid) {
					low = mid
				} else {
					high = mid
				}
			}
			statements, err := New().Parse(build(low))
			if err != nil || len(statements) != 1 {
				t.Fatalf("%d levels: %d statements, %v", low, len(statements), err)
			}
			t.Logf("%d levels: %s", low, statements[0].Obstacle)
		})
	}
}
