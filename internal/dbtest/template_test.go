//go:build linux

package dbtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// makeTemplate is a child's part: it starts a server from a cache folder that
// may be empty.
func makeTemplate() {
	s, err := start(&postgresRecipe, nil)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	s.instance.remove()
}

func TestTemplateIsMadeOnce(t *testing.T) {
	Postgres(t)
	cache, err := os.MkdirTemp("", "rowcap-cache-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(cache)
	if err := os.Chmod(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error)
	for range 3 {
		go func() {
			out, err := child("template", "ROWCAP_CACHE_DIR="+cache).CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%v: %s", err, out)
			}
			errs <- err
		}()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 2 || !strings.HasPrefix(names[0], "template-postgres-") || names[1] != names[0]+".lock" {
		t.Errorf("the cache folder holds %q: want one template and its lock", names)
	}
}

func TestCopyFolder(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(from, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(from, "sub", "file"), []byte("text"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := copyFolder(from, to, nil); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"sub": 0o700, "sub/file": 0o640} {
		info, err := os.Stat(filepath.Join(to, name))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v; want mode %v", name, info, err, mode)
		}
	}
	if got, err := os.ReadFile(filepath.Join(to, "sub", "file")); err != nil || string(got) != "text" {
		t.Errorf("the copy holds %q, %v", got, err)
	}
	if err := copyFolder(from, to, nil); err == nil {
		t.Error("a copy over another gave no error")
	}
}

func TestSweep(t *testing.T) {
	base := t.TempDir()
	made := func(name string, age time.Duration) string {
		dir := filepath.Join(base, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "owner"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(dir, when, when); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	left := made("rowcap-postgres-1", time.Hour)
	used := made("rowcap-mariadb-2", time.Hour)
	young := made("rowcap-mysql-3", time.Minute)
	foreign := made("other-4", time.Hour)
	lock, err := lockFile(filepath.Join(used, "owner"), true)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	sweep(base)
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("a folder without owner is still there: %v", err)
	}
	for _, dir := range []string{used, young, foreign} {
		if _, err := os.Stat(dir); err != nil {
			t.Error(err)
		}
	}
}
