package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestVitessReplicas has two sidecars behind haproxy serve the same clients before a
// cluster of two shards. One is stopped under load: no answer is wrong, none fails but by an
// error that the driver knows to try again, and the pool goes on with the other.
func TestVitessReplicas(t *testing.T) {
	haproxy, err := exec.LookPath("haproxy")
	if err != nil {
		vitessFolder(t) // says that this is not part of ordinary runs
		t.Fatal("haproxy is not installed: apt-get install haproxy")
	}
	gate := vitess(t)
	fillShop(t, gate)
	one, two := serveWire(t, "mysql", gate, limits(5, 10)...), serveWire(t, "mysql", gate, limits(5, 10)...)
	addr := balance(t, haproxy, one.at, two.at)

	db, err := sql.Open("mysql", "root@tcp("+addr+")/shop")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const clients = 8
	db.SetMaxOpenConns(clients)
	db.SetMaxIdleConns(clients)
	want := []int{1, 2, 3, 4, 5}
	ctx, stop := context.WithCancel(t.Context())
	var answers, failures atomic.Int64
	var wrong sync.Map
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for ctx.Err() == nil {
				c, err := db.Conn(context.Background())
				if err != nil {
					failures.Add(1)
					continue
				}
				got, told, err := toldRows(c)
				c.Close()
				switch {
				case err != nil:
					failures.Add(1)
				case !slices.Equal(got, want) || told != 1:
					wrong.Store(fmt.Sprint(got, " with ", told, " warnings"), true)
				default:
					answers.Add(1)
				}
			}
		})
	}
	served := func(s sidecar) int { return s.statements(t)["probe"] }
	time.Sleep(3 * time.Second)
	both, a, b := answers.Load(), served(one), served(two)
	if both == 0 || a == 0 || b == 0 {
		t.Errorf("%d answers of both, %d and %d statements", both, a, b)
	}
	one.stop()
	time.Sleep(500 * time.Millisecond)
	after, failed := answers.Load(), failures.Load()
	time.Sleep(3 * time.Second)
	stop()
	wait.Wait()
	wrong.Range(func(what, _ any) bool { t.Errorf("wrong answer: %v", what); return true })
	if answers.Load() <= after {
		t.Error("no answers with one of them left")
	}
	if late := failures.Load() - failed; late > 0 {
		t.Errorf("%d failures with one of them left", late)
	}
	if failed > clients {
		t.Errorf("%d failures while one was stopped; each of %d sessions may see one", failed, clients)
	}
	if served(two) <= b {
		t.Error("the other did not take over")
	}
	t.Logf("%d answers by both (%d and %d statements), %d with one of them; %d failed while it was stopped", both, a, b, answers.Load()-after, failed)
}

// toldRows asks for more rows than the cap, and how many warnings say so then.
func toldRows(c *sql.Conn) (numbers []int, told int, err error) {
	rows, err := c.QueryContext(context.Background(), "SELECT n FROM parcels ORDER BY n")
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		if err := rows.Scan(&n); err != nil {
			return nil, 0, err
		}
		numbers = append(numbers, n)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	warnings, err := c.QueryContext(context.Background(), "SHOW WARNINGS")
	if err != nil {
		return nil, 0, err
	}
	defer warnings.Close()
	for warnings.Next() {
		var level, code, message string
		if err := warnings.Scan(&level, &code, &message); err != nil {
			return nil, 0, err
		}
		if code == "61001" {
			told++
		}
	}
	return numbers, told, warnings.Err()
}

// balance starts haproxy before two servers, and returns where it listens.
func balance(t *testing.T, haproxy string, servers ...address) string {
	t.Helper()
	port := portBlock(t, 1)
	config := "global\n\tmaxconn 200\ndefaults\n\tmode tcp\n\ttimeout connect 5s\n\ttimeout client 1m\n\ttimeout server 1m\n" +
		"listen in\n\tbind 127.0.0.1:" + strconv.Itoa(port) + "\n\tbalance roundrobin\n\toption redispatch\n\tretries 3\n"
	for i, s := range servers {
		config += fmt.Sprintf("\tserver s%d %s check inter 200ms fall 1\n", i, net.JoinHostPort(s.host, s.port))
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(haproxy, "-db", "-f", path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return addr
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("haproxy does not listen")
	return ""
}
