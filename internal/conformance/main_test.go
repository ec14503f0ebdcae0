package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

var (
	suites = flag.Bool("suites", false, "run the servers' and the drivers' own suites; takes half an hour for PostgreSQL, hours for MariaDB")
	every  = flag.Bool("every", false, "run all clients, not only those that every test run takes")
	update = flag.Bool("update", false, "write what was found to docs/conformance.md")
	detail = flag.String("detail", "", "leave the suites' results and differences in this folder")
	only   = flag.String("only", "", "run only the tests of the servers' suites, the packages of the drivers' or the clients of this name")
)

func TestMain(m *testing.M) { dbtest.Main(m) }

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

// environment is this process's without what sets up the databases' clients or the
// language, and with the given variables.
func environment(variables ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "MYSQL") && !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG") {
			env = append(env, v)
		}
	}
	return append(env, variables...)
}
