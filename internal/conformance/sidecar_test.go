package conformance

import (
	"bufio"
	"encoding/json"
	"flag"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var built = flag.String("rowcap", "", "the path of a rowcap to test, instead of one that is built from this tree")

// rowcap builds the command and returns its path.
func rowcap(t *testing.T) string {
	t.Helper()
	if *built != "" {
		return *built
	}
	path := filepath.Join(t.TempDir(), "rowcap")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/rowcap").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// address is a TCP address in two parts, as clients take it.
type address struct{ host, port string }

func splitAddress(t *testing.T, addr string) address {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	return address{host, port}
}

// sidecar is a running `rowcap serve`.
type sidecar struct {
	at    address // for clients
	admin string  // host:port of /metrics
	stop  func()  // tells it to stop, and waits for that
}

// serve starts `rowcap serve` in front of a PostgreSQL server.
func serve(t *testing.T, upstream string, flags ...string) sidecar {
	t.Helper()
	return serveWire(t, "postgres", upstream, flags...)
}

// serveWire starts `rowcap serve` in front of upstream, which speaks the protocol (postgres
// or mysql), with flags. When the test is over it is told to stop and must end in
// peace.
func serveWire(t *testing.T, protocol, upstream string, flags ...string) sidecar {
	t.Helper()
	return serveBuilt(t, rowcap(t), protocol, upstream, flags...)
}

// serveBuilt is serveWire with a rowcap that is built already.
func serveBuilt(t *testing.T, program, protocol, upstream string, flags ...string) sidecar {
	t.Helper()
	args := append([]string{"serve", "--" + protocol, "127.0.0.1:0=" + upstream, "--listen-admin", "127.0.0.1:0",
		"--log-format", "json", "--drain", "5s"}, flags...)
	cmd := exec.Command(program, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	started := make(chan error, 1)
	listening := make(chan listener, 2)
	go func() {
		// The death of the thread that starts a child counts as the parent's.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			follow(log, listening)
			ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("rowcap serve ended with %v", err)
			}
		case <-time.After(20 * time.Second):
			cmd.Process.Kill()
			t.Error("rowcap serve did not end within 20 s of SIGTERM")
			<-ended
		}
	})
	t.Cleanup(stop)
	found := map[string]string{}
	for late := time.After(20 * time.Second); len(found) < 2; {
		select {
		case l, open := <-listening:
			if !open {
				t.Fatal("rowcap serve ended before it listened")
			}
			found[l.Protocol] = l.Listen
		case <-late:
			t.Fatal("rowcap serve did not listen within 20 s")
		}
	}
	return sidecar{splitAddress(t, found[protocol]), found["admin"], stop}
}

// listener is a line of the sidecar's log that tells of one.
type listener struct{ Msg, Protocol, Listen string }

// follow reads the sidecar's log to its end, and gives its two listeners.
func follow(log io.Reader, listening chan<- listener) {
	defer close(listening)
	seen := 0
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var l listener
		if seen < 2 && json.Unmarshal(lines.Bytes(), &l) == nil && l.Msg == "listening" {
			listening <- l
			seen++
		}
	}
	io.Copy(io.Discard, log)
}

// statements returns how many statements the sidecar planned, by method.
func (s sidecar) statements(t *testing.T) map[string]int {
	t.Helper()
	answer, err := http.Get("http://" + s.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	methods := map[string]int{}
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		labels, found := strings.CutPrefix(lines.Text(), "rowcap_statements_total{")
		if !found {
			continue
		}
		_, method, _ := strings.Cut(labels, `method="`)
		method, _, _ = strings.Cut(method, `"`)
		n, err := strconv.ParseFloat(labels[strings.LastIndex(labels, " ")+1:], 64)
		if err != nil {
			t.Fatalf("/metrics has %q", lines.Text())
		}
		methods[method] += int(n)
	}
	return methods
}

// limits are flags for a default limit and a maximum.
func limits(most, max int) []string {
	return []string{"--default-limit", strconv.Itoa(most), "--max-limit", strconv.Itoa(max)}
}

// firstLine shortens what a program said.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
