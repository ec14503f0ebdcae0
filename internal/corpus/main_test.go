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

// suiteVersion names the package that a suite is from.
func suiteVersion(t *testing.T, folder string) string {
	t.Helper()
	version, err := os.ReadFile(filepath.Join(folder, "VERSION"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(version))
}
