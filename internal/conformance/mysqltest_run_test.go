package conformance

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// suiteServer is how mysql-test-run starts a server, as far as tests can see it.
var suiteServer = []string{"--character-set-server=latin1", "--collation-server=latin1_swedish_ci", "--default-storage-engine=myisam",
	"--log-bin-trust-function-creators=1", "--key-buffer-size=1M", "--sort-buffer-size=256K", "--max-heap-table-size=1M",
	"--use-stat-tables=preferably", "--histogram-type=json_hb", "--max-allowed-packet=16M", "--max-connections=151",
	"--skip-name-resolve=0", "--connect-timeout=60", "--default-time-zone=+03:00"}

// suiteTime is how long a test of the suite may take.
const suiteTime = 3 * time.Minute

// world is a server and perhaps a sidecar in front of it, with a folder for the
// tests' files.
type world struct {
	*suiteRun
	server  *dbtest.Server
	db      *sql.DB // straight to the server
	folder  string
	through sidecar
	// where the tests find the server
	host, port, socket string
}

func newWorld(t *testing.T, r *suiteRun) *world {
	t.Helper()
	w := &world{suiteRun: r, folder: t.TempDir()}
	for folder := w.folder; folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		os.Chmod(folder, 0o777) // the server runs as another user
	}
	for _, name := range []string{"tmp", "log", "run"} {
		open(t, filepath.Join(w.folder, name))
	}
	if err := os.Symlink(filepath.Join(r.suite.tree(), "std_data"), filepath.Join(w.folder, "std_data")); err != nil {
		t.Fatal(err)
	}
	w.server = dbtest.StartMariaDB(t, append([]string{"--secure-file-priv=" + w.folder}, suiteServer...)...)
	w.host, w.port, w.socket = "127.0.0.1", fmt.Sprint(w.server.Port), w.server.Socket
	var err error
	if w.db, err = sql.Open("mysql", w.server.DSN("")); err != nil {
		t.Fatal(err)
	}
	w.db.SetMaxIdleConns(0) // tests list the server's connections
	t.Cleanup(func() { w.db.Close() })
	w.furnish(t)
	if r.side.flags != nil {
		short, err := os.MkdirTemp("/tmp", "rowcap-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(short) })
		w.socket = filepath.Join(short, "sock") // whose path may have 107 bytes
		w.through = serveBuilt(t, r.program, "mysql", w.server.Addr(), append([]string{"--mysql", w.socket + "=" + w.server.Socket}, r.side.flags...)...)
		w.port = w.through.at.port
	}
	w.options(t)
	return w
}

// furnish makes what tests expect on every server, as mysql-test-run does: time zones, and
// a procedure by which they name lines of the server's log that mean no harm.
func (w *world) furnish(t *testing.T) {
	t.Helper()
	zones, err := os.ReadFile("/usr/share/mysql/mysql_test_data_timezone.sql")
	if err != nil {
		t.Fatal(err)
	}
	w.server.SQL(t, "mysql", string(zones))
	w.server.SQL(t, "", `CREATE DATABASE mtr CHARACTER SET latin1;
CREATE TABLE mtr.test_suppressions (pattern VARCHAR(255)) ENGINE=MyISAM;
CREATE DEFINER=root@localhost PROCEDURE mtr.add_suppression(pattern VARCHAR(255)) INSERT INTO test_suppressions VALUES (pattern);
ALTER TABLE mysql.gtid_slave_pos ENGINE=Aria transactional=0`)
}

// options writes the file of options that all programs get.
func (w *world) options(t *testing.T) {
	t.Helper()
	text := "[client]\nuser=root\nport=" + w.port + "\nsocket=" + w.socket + "\ncharacter-sets-dir=/usr/share/mysql/charsets\nplugin-dir=" +
		filepath.Join(w.suite.folder, "plugin") + "\n"
	for _, program := range []string{"mysql", "mysqlshow", "mysqlimport", "mysqlcheck", "mysql_upgrade"} {
		text += "[" + program + "]\ndefault-character-set=latin1\n"
	}
	if err := os.WriteFile(w.optionFile(), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w *world) optionFile() string { return filepath.Join(w.folder, "my.cnf") }

// end notes what the sidecar planned.
func (w *world) end(t *testing.T) {
	if w.side.flags == nil {
		return
	}
	for method, n := range w.through.statements(t) {
		w.statements[method] += n
	}
	if *detail != "" {
		w.keepStatements(t)
	}
}

// reset gives the next test an empty database, and says whether the server could.
func (w *world) reset() bool {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, query := range []string{"DROP DATABASE IF EXISTS test", "CREATE DATABASE test CHARACTER SET latin1 COLLATE latin1_swedish_ci"} {
		if _, err := w.db.ExecContext(ctx, query); err != nil {
			return false
		}
	}
	return true
}

// suiteResult is how a test ended.
type suiteResult struct {
	status string // passed, skipped, failed, timed out
	output string // without what names the folder and the port
	errors string
	took   time.Duration
	others []string // outputs of later runs
}

const (
	suitePassed  = "passed"
	suiteSkipped = "skipped"
	suiteFailed  = "failed"
	suiteHung    = "timed out"
)

// spoils says whether a test may have left something behind.
func (r *suiteResult) spoils() bool { return r.status == suiteFailed || r.status == suiteHung }

// run runs one test with mysqltest.
func (w *world) run(t *testing.T, test suiteTest) *suiteResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), suiteTime)
	defer cancel()
	args := w.mysqltest()
	if w.side.protocol != "" {
		args = append(args, w.side.protocol)
	}
	args = append(args, "--suite-dir="+w.suite.path(test.suite)+"/", "--test-file="+test.file, "--tail-lines=20")
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = w.suite.tree()
	cmd.Env = append(w.variables(), "MTR_TEST_NAME="+test.base, "MTR_SUITE_DIR="+w.suite.path(test.suite))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	started := time.Now()
	err := cmd.Run()
	result := &suiteResult{output: w.neutral(out.String()), errors: w.neutral(errs.String()), took: time.Since(started)}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		result.status = suiteHung
	case err == nil:
		result.status = suitePassed
	case errors.As(err, &exit) && exit.ExitCode() == 62:
		result.status = suiteSkipped
	case errors.As(err, &exit):
		result.status = suiteFailed
	default:
		t.Fatal(err)
	}
	return result
}

// neutral takes out of an output what is of this server and this run only.
func (w *world) neutral(text string) string {
	data := filepath.Dir(w.server.Socket)
	text = strings.NewReplacer(w.folder, "FOLDER", data, "DATA", w.socket, "SOCKET").Replace(text)
	return replaceNumber(replaceNumber(text, w.port), fmt.Sprint(w.server.Port))
}

// replaceNumber replaces a port where it stands as one, and not among other numbers.
func replaceNumber(text, port string) string {
	for _, before := range []string{":", "=", "'", "\"", "\t", "-P"} {
		text = strings.ReplaceAll(text, before+port, before+"PORT")
	}
	return text
}
