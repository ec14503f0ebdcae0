package corpus

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

var (
	update = flag.Bool("update", false, "write docs/correctness.md")
	all    = flag.Bool("all", false, "run all files of the suites")
	only   = flag.String("file", "", "run only the files whose path contains one of these, parted by commas")
	detail = flag.String("detail", "", "write what was guarded and what was found to files in this folder")
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// suiteFolder returns where scripts/corpus put a suite. Where that could not be had
// it skips the test loudly; where nobody tried, the test fails if CI=true.
func suiteFolder(t *testing.T, name string) string {
	t.Helper()
	base := os.Getenv("ROWCAP_CACHE_DIR")
	switch {
	case base != "":
	case os.Geteuid() == 0:
		base = "/var/cache/rowcap"
	default:
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		base = filepath.Join(user, "rowcap")
	}
	folder := filepath.Join(base, "corpus", name)
	if _, err := os.Stat(filepath.Join(folder, "VERSION")); err != nil {
		why := "it is not extracted: run scripts/corpus"
		if note, err := os.ReadFile(folder + ".unavailable"); err == nil {
			why = strings.TrimSpace(string(note))
		} else if os.Getenv("CI") == "true" && os.Getenv("ROWCAP_SKIP_CORPUS") == "" {
			t.Fatalf("the test suite of %s is not there: %s", name, why)
		}
		t.Skipf("SKIPPED, NOT PASSED: the test suite of %s is not there: %s", name, why)
	}
	return folder
}

// suiteVersion names the package that a suite is from.
func suiteVersion(t *testing.T, folder string) string {
	t.Helper()
	version, err := os.ReadFile(filepath.Join(folder, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(version))
}
