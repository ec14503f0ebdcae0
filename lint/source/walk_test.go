package source_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/lint/source"
)

// tree makes files in a new folder, which becomes the working one.
func tree(t *testing.T, files ...string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, name := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("SELECT 1;\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// walk returns the files, and errors as "path: error".
func walk(paths ...string) (all []string) {
	for path, err := range source.Walk(paths) {
		if err != nil {
			path += ": " + err.Error()
		}
		all = append(all, path)
	}
	return all
}

func TestWalk(t *testing.T) {
	tree(t, "a.sql", "b.txt", "db/1.sql", "db/2.up.sql", "db/deep/er/3.sql", "db/.git/x.sql", "node_modules/m.sql", "vendor/v.sql", "main.go", "README.md", "db/odd.name", "-")
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"."}, "README.md a.sql db/1.sql db/2.up.sql db/deep/er/3.sql main.go"},
		{[]string{"db"}, "db/1.sql db/2.up.sql db/deep/er/3.sql"},
		{[]string{"./db/../a.sql", "a.sql"}, "a.sql"},
		{[]string{"b.txt"}, "b.txt"}, // named by hand
		{[]string{"*.sql"}, "a.sql"},
		{[]string{"db/**/*.sql"}, "db/1.sql db/2.up.sql db/deep/er/3.sql"},
		{[]string{"**/?.sql"}, "a.sql db/1.sql db/deep/er/3.sql"},
		{[]string{"db/*.up.sql"}, "db/2.up.sql"},
		{[]string{"-", "a.sql"}, "- a.sql"},
		{[]string{"./-", "-"}, "./- -"},
		{[]string{"gone.sql", "a.sql"}, "gone.sql: no such file or directory a.sql"},
		{[]string{"x*.sql"}, "x*.sql: no file fits the pattern"},
		{[]string{"[.sql"}, "[.sql: syntax error in pattern"},
	} {
		if got := strings.Join(walk(c.paths...), " "); got != c.want {
			t.Errorf("%v: %s", c.paths, got)
		}
	}
	for range source.Walk([]string{"."}) {
		break // the rest need not be looked at
	}
}

// TestWalkLinks has links that lead elsewhere, nowhere and back.
func TestWalkLinks(t *testing.T) {
	tree(t, "db/a.sql", "other/b.sql")
	for _, l := range [][2]string{{"../other", "db/link"}, {"..", "db/back"}, {"gone.sql", "db/broken.sql"}, {"a.sql", "db/same.sql"}, {"loop.sql", "db/loop.sql"}} {
		if err := os.Symlink(l[0], l[1]); err != nil {
			t.Fatal(err)
		}
	}
	got := walk("db")
	for _, want := range []string{"db/a.sql", "db/link/b.sql", "db/same.sql", "db/broken.sql: no such file or directory", "db/loop.sql: too many levels of symbolic links",
		"db/back/db: the link leads back to a folder that it stands in"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if len(got) > 12 {
		t.Errorf("%d files: %q", len(got), got)
	}
}

func TestRead(t *testing.T) {
	tree(t, "a.sql")
	for name, content := range map[string]string{
		"utf16.sql":  "\xff\xfeS\x00",
		"binary.sql": "\x7fELF\x00\x01",
		"latin1.sql": "SELECT 1;\n-- gr\xf6\xdfer",
		"late.sql":   strings.Repeat("SELECT 1", 2000) + "\x00",
		"bom.sql":    "\xef\xbb\xbfSELECT 1;\r\nSELECT 2;\r\n",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	huge, err := os.Create("huge.sql")
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(1 << 30); err != nil { // a hole of 1 GB
		t.Fatal(err)
	}
	huge.Close()
	for name, want := range map[string]string{
		"gone.sql": "no such file", "utf16.sql": "UTF-16", "binary.sql": "binary", "late.sql": "(byte 16000)", "latin1.sql": "no UTF-8 (byte 15, line 2)", "huge.sql": "larger than 64 MiB", ".": "no regular file",
	} {
		if _, err := source.Read(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := source.Read("bom.sql")
	if err != nil || f.Mark != 3 || f.Text != "SELECT 1;\r\nSELECT 2;\r\n" || f.Line(2) != "SELECT 2;" {
		t.Errorf("%+v, %v", f, err)
	}
	endless := strings.NewReader(strings.Repeat("x", source.MaxFile+5))
	if _, err := source.ReadFrom("-", endless); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error(err)
	}
}

func TestPositions(t *testing.T) {
	f := source.NewFile("x.sql", "a\r\nö😀b\n\nc\rd")
	for _, c := range []struct{ offset, line, column int }{{0, 1, 1}, {1, 1, 2}, {3, 2, 1}, {5, 2, 2}, {9, 2, 3}, {10, 2, 4}, {11, 3, 1}, {12, 4, 1}, {14, 5, 1}, {15, 5, 2}, {999, 5, 2}, {-1, 1, 1}} {
		if p := f.Position(c.offset); p.Line != c.line || p.Column != c.column {
			t.Errorf("offset %d is at %d:%d", c.offset, p.Line, p.Column)
		}
	}
	if f.Line(2) != "ö😀b" || f.Line(3) != "" || f.Line(0) != "" || f.Line(9) != "" {
		t.Errorf("lines %q %q", f.Line(2), f.Line(3))
	}
}
