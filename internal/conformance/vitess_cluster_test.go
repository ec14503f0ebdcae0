package conformance

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// vitessFolder returns where scripts/vitess put Vitess's programs, and skips loudly where
// it did not.
func vitessFolder(t *testing.T) string {
	t.Helper()
	version, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", "vitess.io/vitess").Output()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dbtest.CacheFolder(), "vitess-"+strings.TrimSpace(string(version)))
	if _, err := os.Stat(filepath.Join(folder, "ready")); err != nil {
		if *every {
			t.Fatalf("%v: run scripts/vitess", err)
		}
		t.Skip("SKIPPED, NOT PASSED: Vitess is not built: make test-vitess builds it and runs this")
	}
	return folder
}

// shopShards are how many shards the cluster's keyspace has.
const shopShards = 2

const (
	shopSchema = "CREATE TABLE parcels (n BIGINT NOT NULL PRIMARY KEY, town VARCHAR(20) NOT NULL);\n" +
		"CREATE TABLE towns (town VARCHAR(20) NOT NULL PRIMARY KEY, region VARCHAR(20) NOT NULL);\n"
	shopSharding = `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}}, "tables": {
		"parcels": {"column_vindexes": [{"column": "n", "name": "xxhash"}]},
		"towns": {"column_vindexes": [{"column": "town", "name": "xxhash"}]}}}`
)

// vitess starts a cluster of two shards, as MySQL's own programs hold them, and returns
// vtgate's address. It ends with the test, whatever happens to the test.
func vitess(t *testing.T) string {
	t.Helper()
	folder := vitessFolder(t)
	work := workFolder(t, "vitess")
	schema := filepath.Join(work, "schema", "shop")
	data := filepath.Join(work, "data")
	open(t, schema)
	open(t, data)
	for name, text := range map[string]string{"shop.sql": shopSchema, "vschema.json": shopSharding} {
		if err := os.WriteFile(filepath.Join(schema, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.Create(filepath.Join(work, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	port := portBlock(t, 8)
	cmd := exec.Command(filepath.Join(folder, "bin", "vttestserver"), "--port="+strconv.Itoa(port), "--keyspaces=shop", fmt.Sprintf("--num-shards=%d", shopShards),
		"--schema-dir="+filepath.Dir(schema), "--data-dir="+data, "--mysql-bind-host=127.0.0.1", "--vtcombo-bind-host=127.0.0.1", "--replica-count=1", "--rdonly-count=0")
	cmd.Dir = work
	cmd.Env = environment("VTROOT="+folder, "VTDATAROOT="+data, "VT_MYSQL_ROOT="+filepath.Join(folder, "mysql"), "HOME="+work,
		"PATH="+filepath.Join(folder, "bin")+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = alone(t)
	started, ended := make(chan error, 1), make(chan struct{})
	go func() {
		// The death of the thread that starts a child counts as the parent's.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			cmd.Process.Kill() // and with it all that it has started
			<-ended
		}
	})
	gate := net.JoinHostPort("127.0.0.1", strconv.Itoa(port+3))
	for late := time.Now().Add(4 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		select {
		case <-ended:
			t.Fatalf("vttestserver ended:\n%s", endOf(t, log.Name()))
		default:
		}
		if answersShop(gate) {
			return gate
		}
		if time.Now().After(late) {
			t.Fatalf("the cluster does not answer:\n%s", endOf(t, log.Name()))
		}
	}
}

// answersShop reports that all shards serve both tables.
func answersShop(gate string) bool {
	db, err := sql.Open("mysql", "root@tcp("+gate+")/shop?timeout=2s&readTimeout=10s")
	if err != nil {
		return false
	}
	defer db.Close()
	var n int
	return db.QueryRow("SELECT count(*) FROM parcels").Scan(&n) == nil && db.QueryRow("SELECT count(*) FROM towns").Scan(&n) == nil
}

// alone has a child run as a user that servers start as, in a group of processes of its
// own. Root starts it in a process namespace too, so that all that it has started ends
// with it.
func alone(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		return attr
	}
	for _, name := range []string{"mysql", "postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		attr.Cloneflags = syscall.CLONE_NEWPID
		return attr
	}
	t.Fatal("MySQL does not run as root, and none of the users mysql, postgres and nobody exists")
	return nil
}

// portBlock returns the first of so many free ports in a row, below those that the system
// gives to outgoing connections.
func portBlock(t *testing.T, n int) int {
	t.Helper()
	for range 100 {
		port := 20000 + rand.IntN(12000)
		var held []net.Listener
		for i := range n {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port+i)))
			if err != nil {
				break
			}
			held = append(held, l)
		}
		for _, l := range held {
			l.Close()
		}
		if len(held) == n {
			return port
		}
	}
	t.Fatalf("there are no %d free ports in a row", n)
	return 0
}

// endOf returns the last lines of a log.
func endOf(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[max(0, len(b)-6000):])
}
