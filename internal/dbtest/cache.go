package dbtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// CacheFolder is where templates, unpacked servers, test suites and clients are kept:
// ROWCAP_CACHE_DIR, or /var/cache/rowcap for root (servers run as another user,
// who must be able to read it), or rowcap in the user's cache folder.
// scripts/cache has the same rule.
func CacheFolder() string {
	if dir := os.Getenv("ROWCAP_CACHE_DIR"); dir != "" {
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/cache/rowcap"
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "rowcap")
}

// Missing ends a test that lacks something to run: a failure where CI is true, a
// loud skip elsewhere.
func Missing(t testing.TB, what string) {
	t.Helper()
	if ci, _ := strconv.ParseBool(os.Getenv("CI")); ci {
		t.Fatal(what)
	}
	t.Skipf("SKIPPED, NOT PASSED: %s", what)
}

// Suite returns where scripts/corpus put the server's own test suite of that name:
// postgres, mariadb or mysql. Where that could not be had it skips the test loudly;
// where nobody tried, the test fails if CI is true.
func Suite(t testing.TB, name string) string {
	t.Helper()
	folder := filepath.Join(CacheFolder(), "corpus", name)
	if _, err := os.Stat(filepath.Join(folder, "VERSION")); err == nil {
		return folder
	}
	note, err := os.ReadFile(folder + ".unavailable")
	switch {
	case err == nil:
		t.Skipf("SKIPPED, NOT PASSED: the test suite of %s is not there: %s", name, strings.TrimSpace(string(note)))
	case os.Getenv("ROWCAP_SKIP_CORPUS") != "":
		t.Skipf("SKIPPED, NOT PASSED: the test suite of %s is not there, as ROWCAP_SKIP_CORPUS says", name)
	}
	Missing(t, "the test suite of "+name+" is not there: run scripts/corpus")
	return ""
}
