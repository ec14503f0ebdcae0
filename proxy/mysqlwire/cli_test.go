package mysqlwire_test

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// cli runs the mariadb command line client through run.
func cli(t *testing.T, s *dbtest.Server, run *running, database, input string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("mariadb")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("no mariadb command line client: %v", err)
	}
	host, port, _ := net.SplitHostPort(run.addr)
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--no-defaults", "--skip-ssl", "-h", host, "-P", port, "-u", s.User, database}, args...)...)
	cmd.Env = append(os.Environ(), "MYSQL_PWD="+s.Password)
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if err != nil && !strings.Contains(input, "nothing") {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestCommandLineClient(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server) {
		database := s.Database(t)
		s.SQL(t, database, parcels)
		run := serve(t, s.Addr(), policy(3, 10))
		const script = "SELECT n FROM parcels ORDER BY n;\nSELECT n FROM parcels WHERE n > 10;\nSELECT n FROM parcels ORDER BY n LIMIT 4;\n"
		want(t, cli(t, s, run, database, script), "n\n1\n2\n3\nn\n11\n12\nn\n1\n2\n3\n4\n")
		const told = "Warning (Code 61001): showing the first 3 rows; more rows exist; cap 3 from the default limit; add a LIMIT up to 10, narrow the WHERE clause, or aggregate\n"
		want(t, cli(t, s, run, database, script, "--show-warnings"), "n\n1\n2\n3\n"+told+"n\n11\n12\nn\n1\n2\n3\n4\n")
		verbose := cli(t, s, run, database, script, "-vv")
		if !strings.Contains(verbose, "3 rows in set, 1 warning") || !strings.Contains(verbose, "2 rows in set\n") || !strings.Contains(verbose, "4 rows in set\n") {
			t.Errorf("-vv prints\n%s", verbose)
		}
		want(t, cli(t, s, run, database, "SELECT n FROM parcels ORDER BY n;SHOW WARNINGS;SELECT 7", "-N"), "1\n2\n3\n"+strings.ReplaceAll(notice3, "|", "\t")+"7\n")
		// An error goes by, and the next statement is in step.
		got := cli(t, s, run, database, "SELECT nothing;SELECT 7", "-N", "--force")
		if !strings.Contains(got, "ERROR 1054") || !strings.Contains(got, "7\n") {
			t.Errorf("got %q", got)
		}
		// The client's own bound: --safe-updates sets sql_select_limit.
		want(t, cli(t, s, run, database, "SELECT n FROM parcels ORDER BY n", "-N", "--safe-updates", "--select-limit=2"), "1\n2\n")
	})
}

func TestCommandLineClientLoadsFiles(t *testing.T) {
	s := dbtest.MariaDB(t)
	s.SQL(t, "", "SET GLOBAL local_infile = 1")
	database := s.Database(t)
	s.SQL(t, database, parcels)
	run := serve(t, s.Addr(), policy(3, 10))
	file := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(file, []byte("21\tone\n22\ttwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := cli(t, s, run, database, "LOAD DATA LOCAL INFILE '"+file+"' INTO TABLE parcels;SELECT COUNT(*) FROM parcels;LOAD DATA LOCAL INFILE '/nowhere' INTO TABLE parcels;SELECT 'nothing'", "-N", "--local-infile=1", "--force")
	if !strings.HasPrefix(got, "14\n") || !strings.Contains(got, "not found") || !strings.HasSuffix(got, "nothing\n") {
		t.Errorf("got %q", got)
	}
}
