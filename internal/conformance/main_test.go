package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

var (
	suites = flag.Bool("suites", false, "run PostgreSQL's regression suite and the drivers' own suites; takes half an hour")
	every  = flag.Bool("every", false, "run all clients, not only those that every test run takes")
	update = flag.Bool("update", false, "write what was found to docs/conformance.md")
	detail = flag.String("detail", "", "leave the suites' results and differences in this folder")
	only   = flag.String("only", "", "run only the tests of PostgreSQL's suite, the packages of the drivers' or the clients of this name")
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// missing ends a test that lacks something to run: a failure where CI is true, a
// loud skip elsewhere.
func missing(t *testing.T, what string) {
	t.Helper()
	if ci, _ := strconv.ParseBool(os.Getenv("CI")); ci {
		t.Fatal(what)
	}
	t.Skip("SKIPPED, NOT PASSED: " + what)
}

// cacheFolder returns where the set-up scripts put what they fetch.
func cacheFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("ROWCAP_CACHE_DIR"); dir != "" {
		return dir
	}
	if os.Geteuid() == 0 {
		return "/var/cache/rowcap"
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "rowcap")
}

// workFolder returns a folder that all users may enter and write to: the server
// runs as another one. It stays if the flag -detail names one.
func workFolder(t *testing.T, name string) string {
	t.Helper()
	folder := filepath.Join(*detail, name)
	if *detail == "" {
		var err error
		if folder, err = os.MkdirTemp("/tmp", "rowcap-conformance-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(folder) })
	} else if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	open(t, folder)
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// open makes a folder that all users may write to.
func open(t *testing.T, folder string) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
}

// environment is this process's without what sets up PostgreSQL's clients or the
// language, and with the given variables.
func environment(variables ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			env = append(env, v)
		}
	}
	return append(env, variables...)
}
