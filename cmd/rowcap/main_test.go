package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestMain runs the tests, or rowcap itself where the binary is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "rowcap" {
		main()
		return
	}
	dbtest.Main(m)
}

// TestScripts runs testdata/*.txtar, and those in testdata/postgres and
// testdata/mariadb with a database on such a server.
func TestScripts(t *testing.T) {
	runScripts(t, "testdata", nil)
	t.Run("postgres", func(t *testing.T) { runScripts(t, "testdata/postgres", dbtest.Postgres(t)) })
	t.Run("mariadb", func(t *testing.T) { runScripts(t, "testdata/mariadb", dbtest.MariaDB(t)) })
}

func runScripts(t *testing.T, dir string, s *dbtest.Server) {
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			if err := installRowcap(env); err != nil {
				return err
			}
			if s == nil {
				return nil
			}
			env.Vars = append(env.Vars, append(certificates(t), "SERVERCA="+s.CA)...)
			db := s.Database(t)
			env.Values["database"] = db
			env.Vars = append(env.Vars, "DB="+db, "DBUSER="+s.User, "UPSTREAM="+s.Addr(), "SOCKET="+s.Socket,
				"PGPASSWORD="+s.Password, "PASSWORD="+s.Password, "PGSSLMODE=disable", "PGGSSENCMODE=disable", "URL="+serverURL(s, db))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":    status,
			"freeports": freePorts,
			"waitfor":   waitFor,
			"fetch":     fetch,
			"terminate": terminate,
			"converse":  converse,
			"cursor":    nextCursor,
			"hangup":    hangUp,
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				s.SQL(t, ts.Value("database").(string), strings.Join(args, " "))
			},
		},
	})
}

// installRowcap puts rowcap, which is this test binary by another name, in front
// of the script's PATH.
func installRowcap(env *testscript.Env) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Join(env.WorkDir, ".bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return os.Symlink(self, filepath.Join(bin, "rowcap"))
}

func serverURL(s *dbtest.Server, db string) string {
	u := url.URL{Scheme: s.Flavor, User: url.UserPassword(s.User, s.Password), Host: s.Addr(), Path: "/" + db}
	if s.Flavor == dbtest.FlavorPostgres {
		u.RawQuery = "sslmode=disable"
	}
	return u.String()
}

// status runs a command and checks its exit status: status N command…
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// freePorts sets variables to ports that nobody listens on: freeports VAR…
func freePorts(ts *testscript.TestScript, _ bool, vars []string) {
	for _, name := range vars {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		defer l.Close()
		ts.Setenv(name, fmt.Sprint(l.Addr().(*net.TCPAddr).Port))
	}
}

// terminate sends SIGTERM to the background commands.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGTERM))
	}
}

// hangUp sends SIGHUP to the background commands.
func hangUp(ts *testscript.TestScript, _ bool, _ []string) {
	for _, c := range ts.BackgroundCmds() {
		ts.Check(c.Process.Signal(syscall.SIGHUP))
	}
}

// certificates returns variables with the PEM files of an authority (TLSCA) and of
// two certificates for localhost (CERT1, KEY1, CERT2, KEY2).
func certificates(t *testing.T) []string {
	a := dbtest.NewAuthority(t)
	vars := []string{"TLSCA=" + a.CA}
	for i := 1; i <= 2; i++ {
		cert, key := a.Issue(72*time.Hour, fmt.Sprintf("cert%d", i), "localhost", "127.0.0.1")
		vars = append(vars, fmt.Sprintf("CERT%d=%s", i, cert), fmt.Sprintf("KEY%d=%s", i, key))
	}
	return vars
}

// fetch gets a URL and checks the status: fetch 200 URL. The body is in stdout.
func fetch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fetch STATUS URL")
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
	r, err := client.Get(args[1])
	ts.Check(err)
	defer r.Body.Close()
	_, err = io.Copy(ts.Stdout(), r.Body)
	ts.Check(err)
	if fmt.Sprint(r.StatusCode) != args[0] {
		ts.Fatalf("status %d, want %s", r.StatusCode, args[0])
	}
}

// waitFor waits until somebody answers on every address: waitfor host:port|path…
func waitFor(ts *testscript.TestScript, _ bool, addresses []string) {
	for _, a := range addresses {
		network := "tcp"
		if strings.HasPrefix(a, "/") {
			network = "unix"
		}
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			conn, err := net.DialTimeout(network, a, time.Second)
			if err == nil {
				conn.Close()
				break
			}
			if time.Now().After(deadline) {
				ts.Fatalf("nobody answers on %s: %v", a, err)
			}
		}
	}
}
