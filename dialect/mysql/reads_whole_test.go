package mysql

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/rowcap/rowcap/rewrite"
)

// tablesIn collects the names of tables anywhere in a tree, whatever its visitors
// show.
func tablesIn(v reflect.Value, found map[*ast.TableName]bool, seen map[uintptr]bool) {
	switch v.Kind() {
	case reflect.Interface:
		tablesIn(v.Elem(), found, seen)
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		if v.CanInterface() {
			switch n := v.Interface().(type) {
			case *ast.TableName:
				found[n] = true
			case *ast.ShowStmt: // describes its table and does not read it
				return
			}
		}
		tablesIn(v.Elem(), found, seen)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				tablesIn(v.Field(i), found, seen)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			tablesIn(v.Index(i), found, seen)
		}
	}
}

// TestReadsMissNoTable compares what Reads finds with all that is in the trees of the
// statements in testdata/cases, and of those that hide tables well.
func TestReadsMissNoTable(t *testing.T) {
	texts := []string{
		"SELECT a FROM t WHERE b = ANY (SELECT c FROM u) AND d BETWEEN (SELECT 1 FROM v) AND 2", "SELECT CASE (SELECT a FROM t) WHEN (SELECT b FROM u) THEN (SELECT c FROM v) ELSE (SELECT d FROM w) END",
		"SELECT a FROM t ORDER BY (SELECT b FROM u) LIMIT 3", "SELECT count(*) OVER (PARTITION BY (SELECT a FROM t) ORDER BY (SELECT b FROM u)) FROM v WINDOW w AS (ORDER BY (SELECT c FROM x))",
		"SELECT group_concat(a ORDER BY (SELECT b FROM u) SEPARATOR ',') FROM t GROUP BY (SELECT c FROM v) HAVING EXISTS (SELECT 1 FROM w)", "WITH RECURSIVE c AS (SELECT a FROM t UNION ALL SELECT b FROM c JOIN u) SELECT * FROM c",
		"VALUES ROW((SELECT a FROM t), 2)", "SELECT * FROM (t JOIN u ON (SELECT a FROM v)) LEFT JOIN (SELECT * FROM w) x USING (a)", "SELECT CAST((SELECT a FROM t) AS CHAR), CONVERT((SELECT b FROM u), CHAR), (SELECT c FROM v) COLLATE utf8mb4_bin, INTERVAL 1 DAY + (SELECT d FROM w)",
		"SELECT DEFAULT(a), VALUES(a), MATCH (a) AGAINST ('x') FROM t", "SELECT a IN ((SELECT b FROM u), 2), a LIKE (SELECT c FROM v), a REGEXP (SELECT d FROM w), a IS NULL, ROW(1, (SELECT e FROM x)) = (SELECT 1, 2 FROM y) FROM t",
		"SELECT trim(BOTH (SELECT a FROM t) FROM (SELECT b FROM u)), substring((SELECT c FROM v) FROM 1 FOR (SELECT d FROM w)), extract(DAY FROM (SELECT e FROM x)), JSON_EXTRACT((SELECT f FROM y), '$.a'), a->'$.b' FROM z",
		"EXPLAIN SELECT * FROM t WHERE a = (SELECT b FROM u)", "INSERT INTO t SELECT a FROM u ON DUPLICATE KEY UPDATE b = (SELECT c FROM v)", "UPDATE t, u SET t.a = (SELECT b FROM v) WHERE t.c = u.c", "DELETE t FROM t JOIN u WHERE t.a IN (SELECT b FROM v)",
		"(SELECT a FROM t) UNION (SELECT b FROM u ORDER BY (SELECT c FROM v)) EXCEPT SELECT d FROM w", "SELECT timestampadd(DAY, (SELECT a FROM t), (SELECT b FROM u)), lag((SELECT c FROM v), 1, (SELECT d FROM w)) OVER () FROM x", "SELECT a FROM t FOR UPDATE OF t",
	}
	files, err := filepath.Glob("../../testdata/cases/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var c struct{ SQL string }
			if json.Unmarshal(lines.Bytes(), &c) == nil && c.SQL != "" {
				texts = append(texts, c.SQL)
			}
		}
	}
	compared, tables := 0, 0
	for _, d := range []rewrite.Dialect{New(), NewMariaDB()} {
		own := d.(dialect)
		for _, text := range texts {
			reads, err := own.Reads(text)
			if err != nil {
				continue
			}
			s, _ := one(text, &own.settings)
			node, err := parseTiDB(s.read(nil, false), s.settings)
			if err != nil {
				t.Fatal(err)
			}
			found := map[*ast.TableName]bool{}
			tablesIn(reflect.ValueOf(node), found, map[uintptr]bool{})
			if len(found) != len(reads.Tables) {
				t.Errorf("%s: %d tables, and %d in the tree", text, len(reads.Tables), len(found))
			}
			compared++
			tables += len(found)
		}
	}
	if compared < 200 || tables < 200 {
		t.Errorf("only %d statements with %d tables were compared", compared, tables)
	}
	t.Logf("%d statements, %d tables", compared, tables)
}
