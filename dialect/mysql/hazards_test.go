package mysql

import (
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/rewrite"
)

// hazards are texts that would take the parsers seconds, gigabytes or the whole
// process.
func hazards() map[string]string {
	return map[string]string{
		"3 million comments":         "SELECT 1 " + strings.Repeat("/**/", 3_000_000),
		"comments between tokens":    "SELECT 1" + strings.Repeat(" /**/ +1", 100_000),
		"adjacent literals":          "SELECT " + strings.Repeat("'a' ", 100_000),
		"adjacent literals, bounded": "SELECT " + strings.Repeat("'a' ", maxLiterals),
		"open brackets":              "SELECT " + strings.Repeat("(", 100_000),
		"brackets":                   "SELECT " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000),
		"brackets, bounded":          "SELECT " + strings.Repeat("(", maxDepth-1) + "1" + strings.Repeat(")", maxDepth-1) + " FROM t",
		"brackets around":            strings.Repeat("(", maxDepth-1) + "SELECT a FROM t" + strings.Repeat(")", maxDepth-1),
		"nested derived tables":      strings.Repeat("SELECT * FROM (", 390) + "SELECT 1" + strings.Repeat(") x", 390),
		"nested subqueries":          strings.Repeat("SELECT (", 390) + "SELECT 1" + strings.Repeat(")", 390) + " FROM t",
		"long sum":                   "SELECT 1" + strings.Repeat("+1", 100_000),
		"long sum, bounded":          "SELECT 1" + strings.Repeat("+1", maxRun/2-10) + " FROM t",
		"long conjunction":           "SELECT a FROM t WHERE a=1" + strings.Repeat(" AND a=1", 200_000),
		"many nots":                  "SELECT " + strings.Repeat("NOT ", 3_900) + "1 FROM t",
		"many minuses":               "SELECT " + strings.Repeat("-", 3_900) + "1 FROM t",
		"many tildes":                "SELECT " + strings.Repeat("~", 3_900) + "1 FROM t",
		"many unions":                "SELECT 1" + strings.Repeat(" UNION SELECT 1", 10_000),
		"many unions, bounded":       "SELECT 1" + strings.Repeat(" UNION SELECT 1", 1_300),
		"many joins, bounded":        "SELECT 1 FROM t" + strings.Repeat(" JOIN t", 1_900),
		"many common tables":         "WITH a0 AS (SELECT 1)" + strings.Repeat(", a AS (SELECT 1)", 5_000) + " SELECT * FROM a0",
		"case in case":               "SELECT " + strings.Repeat("CASE WHEN ", 1_900) + "1 " + strings.Repeat("THEN 1 END ", 1_000) + "FROM t",
		"list of 20,000":             "SELECT a FROM t WHERE a IN (1" + strings.Repeat(",1", 20_000) + ")",
		"list of 400,000":            "SELECT a FROM t WHERE a IN (1" + strings.Repeat(",1", 400_000) + ")",
		"insert of 2 million values": "INSERT INTO t VALUES (1)" + strings.Repeat(",(1)", 1_000_000),
		"16 MiB literal":             "SELECT '" + strings.Repeat("x", 16<<20) + "'",
		"statements":                 strings.Repeat("SELECT 1;", 100_000),
		"semicolons":                 strings.Repeat(";", 8<<20),
		"dots":                       "SELECT a" + strings.Repeat(".a", 20_000),
		"variables":                  "SELECT " + strings.Repeat("@", 1<<20),
		"executable comments":        strings.Repeat("/*!SELECT*/", 100_000),
		"open executable comments":   strings.Repeat("/*!", 1<<20),
		"question marks":             "SELECT a FROM t WHERE a IN (?" + strings.Repeat(",?", 20_000) + ") LIMIT ?",
		"many limits":                "(SELECT 1 FROM t WHERE a IN (SELECT 1 FROM t LIMIT 5" + strings.Repeat(" UNION SELECT 1 FROM t WHERE a FOR UPDATE", 200) + "))",
		"backslashes":                "SELECT '" + strings.Repeat("\\", 1<<20),
		"number":                     "SELECT " + strings.Repeat("9", 1<<19),
		"decimal":                    "SELECT 1." + strings.Repeat("9", 1<<19) + " FROM t",
		"hexadecimal":                "SELECT 0x" + strings.Repeat("f", 1<<19) + " FROM t",
		"name":                       "SELECT " + strings.Repeat("a", 1<<19) + " FROM t",
		"NUL":                        "SELECT a FROM t\x00 WHERE 1",
		"NUL in a string":            "SELECT a FROM t WHERE a = '\x00'",
		"NUL in a comment":           "SELECT a /* \x00 */ FROM t",
		"NUL in a name":              "SELECT `a\x00b` FROM t",
		"NULs":                       strings.Repeat("\x00", 1<<20),
		"brackets after brackets":    "SELECT " + strings.Repeat("(1),", 12_000) + "1 FROM t",
		"chained calls":              "SELECT " + strings.Repeat("f(", 390) + strings.Repeat(")", 390) + " FROM t",
		"nested sets":                strings.Repeat("(SELECT 1 UNION ", 390) + "SELECT 1" + strings.Repeat(")", 390),
		"nested sets, left":          strings.Repeat("(", 390) + "SELECT 1" + strings.Repeat(" UNION SELECT 1)", 390),
		"set operations in brackets": strings.Repeat("(SELECT 1) UNION ", 300) + "(SELECT 1)",
		"intervals":                  "SELECT a" + strings.Repeat(" + INTERVAL 1 DAY", 900) + " FROM t",
		"collations":                 "SELECT a" + strings.Repeat(" COLLATE x", 1_900) + " FROM t",
		"casts":                      "SELECT " + strings.Repeat("BINARY ", 3_900) + "a FROM t",
		"comparisons":                "SELECT a" + strings.Repeat("=a", 1_900) + " FROM t",
		"ternaries":                  "SELECT a" + strings.Repeat(" BETWEEN 1 AND 2", 900) + " FROM t",
		"nested exists":              "SELECT a FROM t WHERE " + strings.Repeat("EXISTS (SELECT 1 FROM t WHERE ", 390) + "1" + strings.Repeat(")", 390),
		"aliases with string":        "SELECT a 'b' 'c' " + strings.Repeat("'d'", 400) + " FROM t",
	}
}

// TestHazards reads what would harm the parsers. The stack bound makes a runaway
// recursion fail the test rather than fill the memory.
func TestHazards(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(256 << 20))
	for name, sql := range hazards() {
		t.Run(name, func(t *testing.T) {
			for _, d := range []rewrite.Dialect{New(), NewMariaDB()} {
				begin := time.Now()
				statements, err := d.Parse(sql)
				if err != nil {
					t.Fatal(err)
				}
				took := time.Since(begin)
				for _, st := range statements[:min(len(statements), 3)] {
					if st.ReturnsRows && !st.Limitable && st.Obstacle == "" {
						t.Errorf("not limitable and no obstacle says why")
					}
					if st.Limitable {
						edits, err := d.SetLimit(st, 7)
						took = time.Since(begin)
						t.Logf("%s: %s %v: %v", d.Name(), st.Kind, err, took)
						if err == nil && len(edits) == 0 {
							t.Error("neither edits nor an error")
						}
					} else {
						t.Logf("%s: %s %s: %v", d.Name(), st.Kind, st.Obstacle, took)
					}
				}
				if took > time.Minute { // what harms takes hours, or all memory
					t.Errorf("%s took %v", d.Name(), took)
				}
			}
		})
	}
}
