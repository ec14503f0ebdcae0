package lint_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/lint/source"
	"github.com/rowcap/rowcap/rewrite"
)

// TestRunInOrder looks at many files of very different sizes at once, with some that
// cannot be read: the results come in the order of the files.
func TestRunInOrder(t *testing.T) {
	dir := t.TempDir()
	for i := range 200 {
		sql := strings.Repeat("SELECT id FROM a ORDER BY id LIMIT 5;\n", (i*7919)%300) + fmt.Sprintf("SELECT id FROM t%d;\n", i)
		if i%50 == 7 {
			sql = "\x00"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.sql", i)), []byte(sql), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l := linter(t, "postgres", nil)
	i := 0
	for r := range l.Run(context.Background(), source.Walk([]string{dir}), strings.NewReader("")) {
		if want := fmt.Sprintf("%03d.sql", i); filepath.Base(r.Path) != want {
			t.Fatalf("%s comes in the place of %s", r.Path, want)
		}
		if i%50 == 7 {
			if r.Err == nil {
				t.Errorf("%s was read", r.Path)
			}
		} else if len(r.Findings) != 1 || r.Err != nil || r.Statements != (i*7919)%300+1 {
			t.Errorf("%s: %d findings in %d statements, %v", r.Path, len(r.Findings), r.Statements, r.Err)
		}
		i++
	}
	if i != 200 {
		t.Errorf("%d results", i)
	}
	for range l.Run(context.Background(), source.Walk([]string{dir}), nil) {
		break // who stops early leaves nothing running
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	for range l.Run(ctx, source.Walk([]string{dir}), nil) {
		t.Log("a result after the end")
	}
}

// TestProcessors looks at a file whose parts are looked at side by side: what is found in
// one rests on what stands before it, and is the same on any number of processors.
func TestProcessors(t *testing.T) {
	var text strings.Builder
	text.WriteString("-- rowcap:ignore-file RC104 why\n")
	for i := range 3500 {
		switch {
		case i%700 == 650:
			fmt.Fprintf(&text, "-- name: Q%d :many\n", i)
		case i == 1500:
			text.WriteString("SET standard_conforming_strings = off;\n")
		case i%9 == 0:
			text.WriteString("SELECT id FROM a LIMIT 5; -- rowcap:ignore RC101 unused\n")
		}
		if i < 1500 {
			fmt.Fprintf(&text, "SELECT 'a\\' FROM t%d;\n", i)
		} else {
			fmt.Fprintf(&text, "SELECT 'it\\'s; SELECT 1' FROM t%d WHERE x = :x;\n", i)
		}
	}
	l := linter(t, "postgres", nil)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	one := l.Text("x.sql", text.String())
	codes := map[string]int{}
	for _, f := range one.Findings {
		codes[f.Rule.Code]++
	}
	// All statements but the first ones of each name stand where one may.
	if codes["RC101"] != 3500 || codes["RC001"] != 0 || codes["RC005"] < 2800 || codes["RC104"] == 0 || codes["RC901"] != codes["RC104"] {
		t.Errorf("%d statements, %v", one.Statements, codes)
	}
	for _, n := range []int{2, 8} {
		runtime.GOMAXPROCS(n)
		if several := l.Text("x.sql", text.String()); !reflect.DeepEqual(one, several) {
			t.Errorf("on %d processors: %d findings, and on one %d", n, len(several.Findings), len(one.Findings))
		}
	}
}

// TestBaseline knows findings again after their lines have moved, and no others.
func TestBaseline(t *testing.T) {
	l := linter(t, "postgres", nil)
	before := l.Text("x.sql", "SELECT id FROM a;\nSELECT id FROM a;\n-- rowcap:ignore RC101 why\nSELECT id FROM b;\n")
	var b bytes.Buffer
	if err := lint.WriteBaseline(&b, before.Findings); err != nil {
		t.Fatal(err)
	}
	written := b.String()
	base, err := lint.ReadBaseline(&b)
	if err != nil {
		t.Fatal(err)
	}
	l = linter(t, "postgres", func(o *lint.Options) { o.Baseline = base })
	after := l.Text("x.sql", "SELECT 1;\n\n\nSELECT id -- moved\n  FROM a;\nSELECT id FROM a;\nSELECT id FROM a;\nSELECT id FROM b;\nSELECT id FROM c;\n")
	var known []bool
	for _, f := range after.Findings {
		known = append(known, f.Known)
	}
	if !slices.Equal(known, []bool{true, true, false, false, false}) {
		t.Errorf("known are %v, in %s", known, written)
	}
	if other := l.Text("y.sql", "SELECT id FROM a;"); other.Findings[0].Known {
		t.Error("a finding of another file is known")
	}
	for _, text := range []string{"", "[]", `{"version":2,"findings":[]}`} {
		if _, err := lint.ReadBaseline(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read as a baseline", text)
		}
	}
}

// TestOptions has what makes no sense, and rules that are turned off.
func TestOptions(t *testing.T) {
	p := rewrite.DefaultPolicy()
	if _, err := lint.New(lint.Options{Policy: p, Dialect: "oracle"}); err == nil || !strings.Contains(err.Error(), "postgres, mysql") {
		t.Error(err)
	}
	p.DefaultLimit = 5000
	if _, err := lint.New(lint.Options{Policy: p}); err == nil {
		t.Error("a default above the maximum is taken")
	}
	l := linter(t, "postgres", func(o *lint.Options) {
		o.Off = []*lint.Rule{lint.Lookup("RC101"), lint.Lookup("RC104")}
		o.Policy.Observe = true
	})
	// What suppresses a rule that is off is not unused, and observing hides nothing.
	r := l.Text("x.sql", "-- rowcap:ignore RC101 why\nSELECT id FROM a;\nSELECT id FROM a LIMIT 5000;\n")
	if len(r.Findings) != 1 || r.Findings[0].Rule.Code != "RC102" {
		t.Error(show(r))
	}
	mysql := linter(t, "mysql", func(o *lint.Options) { o.Settings = [][2]string{{"sql_mode", "ANSI_QUOTES"}} })
	if r := mysql.Text("x.sql", `SELECT "a" FROM "t" ORDER BY 1 LIMIT 5`); len(r.Findings) != 0 {
		t.Error(show(r))
	}
}

// TestFixFile keeps CR LF and characters beyond ASCII.
func TestFixFile(t *testing.T) {
	l := linter(t, "postgres", nil)
	r := l.Text("x.sql", "\ufeffSELECT 'größe' FROM a;\r\nSELECT id FROM b\r\n")
	if text, n := lint.Fix(r); n != 2 || r.Mark != 3 || text != "SELECT 'größe' FROM a LIMIT 100;\r\nSELECT id FROM b LIMIT 100\r\n" {
		t.Errorf("%d, %d, %q", n, r.Mark, text)
	}
}

// TestHostileFiles looks at texts that are hard on parsers, and at the beginnings of
// them all.
func TestHostileFiles(t *testing.T) {
	texts := []string{
		"SELECT 1+" + strings.Repeat("1+", 50_000) + "1;", strings.Repeat("(", 100_000), strings.Repeat("SELECT id FROM a WHERE x IN (", 300), strings.Repeat("BEGIN ", 10_000),
		strings.Repeat("'", 9_999), strings.Repeat("/*", 9_999), strings.Repeat(`\`, 999), strings.Repeat(":a", 999), strings.Repeat("${a}", 999), strings.Repeat("$$", 999),
		strings.Repeat(";", 99_999), strings.Repeat("-- rowcap:ignore RC101 x\n", 999), "DELIMITER", "DELIMITER \n", "delimiter ;;\nselect 1;;", `\`, ":", ":'", `:"`, "COPY a FROM stdin;", "COPY a FROM stdin;\r\n\\.\r\n",
		strings.Repeat("\\if :x\n", 20_000) + "SELECT id FROM a;" + strings.Repeat("\\endif\n", 20_000), strings.Repeat("\\if true\n", 9_999), strings.Repeat("\\if :x\nSELECT 1;\n\\elif :y\nSELECT 2;\n\\else\n\\endif\n", 999),
		strings.Repeat("\\else\n", 99), strings.Repeat("SELECT 1\n\\elif\n", 99), "\\if x\nSELECT 1\n\\else\nCOPY a FROM stdin;\n\\endif\n", strings.Repeat("CREATE PROCEDURE p() IF ", 999), strings.Repeat("END ", 999),
		"{", "{{", "SELECT sqlc.arg(", "-- name: x :many", "@", "SELECT 1;\x01\x02", "CREATE FUNCTION f() BEGIN", "SELECT 1 /*! ; */ ;", "/*!50000", "*/",
	}
	for _, dialect := range []string{"postgres", "mysql", "mariadb"} {
		l := linter(t, dialect, nil)
		for _, text := range texts {
			for _, cut := range []int{len(text), len(text) / 2, len(text) - 1} {
				for _, name := range []string{"x.sql", "x.md", "x.go"} {
					sql := text[:max(cut, 0)]
					if name != "x.sql" && len(text) > 2_000 {
						continue
					}
					switch name {
					case "x.md":
						sql = "```sql\n" + sql
					case "x.go":
						sql = fmt.Sprintf("package p\nimport \"database/sql\"\nfunc f(d *sql.DB) { d.Query(%q) }\n", sql)
					}
					begun := time.Now()
					r := l.File(name, sql)
					if took := time.Since(begun); took > time.Minute {
						t.Errorf("%s %s %.60q takes %v", dialect, name, sql, took)
					}
					if r.Err != nil && strings.Contains(r.Err.Error(), "failed:") {
						t.Errorf("%s %s %.60q: %v", dialect, name, sql, r.Err)
					}
				}
			}
		}
	}
}

// TestLongMessages has texts that a parser quotes as a whole, and a bound of what reads
// them here, which is no error of theirs.
func TestLongMessages(t *testing.T) {
	for _, dialect := range []string{"postgres", "mysql", "mariadb"} {
		l := linter(t, dialect, nil)
		for _, text := range []string{"SELECT 'größe" + strings.Repeat("ü", 500_000), "-- rowcap:ignore " + strings.Repeat("ü", 5000) + " why\nSELECT id FROM a ORDER BY id LIMIT 5"} {
			r := l.Text("x.sql", text)
			if len(r.Findings) != 1 || len(r.Findings[0].Message) > 500 || !utf8.ValidString(r.Findings[0].Message) {
				t.Errorf("%s: %d findings in %.40q", dialect, len(r.Findings), text)
			}
		}
		deep := l.Text("x.sql", "SELECT "+strings.Repeat("(", 50_000)+"1"+strings.Repeat(")", 50_000))
		if len(deep.Findings) != 1 || deep.Findings[0].Rule.Name != "not-rewritable" {
			t.Errorf("%s: %.300s", dialect, show(deep))
		}
	}
}
