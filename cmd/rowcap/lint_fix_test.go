package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/lint"
	"github.com/rowcap/rowcap/rewrite"
)

// TestFixFile writes over no change of somebody else's, over no other file, and through
// links to the file itself.
func TestFixFile(t *testing.T) {
	l, err := lint.New(lint.Options{Policy: rewrite.DefaultPolicy(), Dialect: "postgres", Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	const before, after = "\ufeffSELECT id FROM a;\r\n", "\ufeffSELECT id FROM a LIMIT 100;\r\n"
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	holds := func(path, want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", path, got, err)
		}
	}

	path := write("a.sql", before, 0o640)
	link := filepath.Join(folder, "link.sql")
	if err := os.Symlink("a.sql", link); err != nil {
		t.Fatal(err)
	}
	// Both names were read before either was mended.
	for i, r := range []lint.Result{l.Path(link), l.Path(path)} {
		if fixed, err := fixFile(r); err != nil || fixed != 1 {
			t.Errorf("%d: %d, %v", i, fixed, err)
		}
	}
	holds(path, after)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}

	r := l.Path(write("b.sql", before, 0o644))
	write("b.sql", "SELECT 1;", 0o644)
	if _, err := fixFile(r); err == nil || !strings.Contains(err.Error(), "it changed while") {
		t.Error(err)
	}
	holds(filepath.Join(folder, "b.sql"), "SELECT 1;")

	write("a/b.sql", "SELECT 1;", 0o644)
	odd := write(`a\b.sql`, before, 0o644)
	if fixed, err := fixFile(l.Path(odd)); err != nil || fixed != 1 {
		t.Errorf("%d, %v", fixed, err)
	}
	holds(odd, after)
	holds(filepath.Join(folder, "a/b.sql"), "SELECT 1;")

	if _, err := fixFile(l.Path(write("c.sql", before, 0o444))); err == nil {
		t.Error("a file that nobody may write is written")
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".rowcap-lint-*")); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestDiffApplies has git make the changes that --diff prints, in files of odd names and
// texts: they become what --fix writes.
func TestDiffApplies(t *testing.T) {
	l, err := lint.New(lint.Options{Policy: rewrite.DefaultPolicy(), Dialect: "postgres", Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	long := strings.Repeat("SELECT 1;\n", 20)
	files := map[string]string{
		"plain.sql":    long + "SELECT id FROM a;\n" + long + "SELECT id\nFROM b\n-- end\n;" + long,
		"a folder.sql": "\ufeffSELECT id FROM a;\r\nSELECT id FROM b\r\n", "new\nline.sql": "SELECT id FROM a", "\"größe\"\\.sql": "SELECT id FROM größe\n;\n",
		"page.md": "```sql\nSELECT id FROM a\n```\n", "-.sql": "SELECT id FROM a;",
	}
	want := map[string]string{}
	var diff strings.Builder
	d := &diffReport{out: &diff}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r := l.Path(name)
		fixed, n := lint.Fix(r)
		if err := d.File(r); err != nil || n == 0 {
			t.Fatalf("%q: %v, %d findings are fixed", name, err, n)
		}
		want[name] = text[:r.Mark] + fixed
	}
	apply := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	apply.Stdin = strings.NewReader(diff.String())
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, diff.String())
	}
	for name := range files {
		if got, err := os.ReadFile(name); err != nil || string(got) != want[name] {
			t.Errorf("%q holds %q, %v; it should hold %q", name, got, err, want[name])
		}
	}
}
