//go:build linux

package dbtest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// childVariable makes this test binary play one part in a test of another.
const childVariable = "ROWCAP_DBTEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVariable) {
	case "":
		Main(m)
	case "leak":
		go func() { select {} }()
		Main(m)
	case "serve", "freeze":
		serveUntilKilled(os.Getenv(childVariable) == "freeze")
	case "template":
		makeTemplate()
	}
}

// serveUntilKilled starts the servers that there are, prints their processes and
// folders and waits for ever.
func serveUntilKilled(freeze bool) {
	var kept []*Server
	for _, r := range []*recipe{&postgresRecipe, &mariadbRecipe, &mysqlRecipe} {
		s, err := start(r, nil)
		if isMissing(err) {
			continue
		}
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		kept = append(kept, s)
		if freeze {
			s.Freeze(&testing.T{})
		}
		for _, pid := range s.instance.pids() {
			fmt.Println("pid", pid)
		}
		fmt.Println("dir", s.instance.dir)
	}
	fmt.Println("ready")
	time.Sleep(5 * time.Minute)
	runtime.KeepAlive(kept) // a collected server's pipes and locks would be closed
}

// child returns this test binary playing a part.
func child(part string, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(append(os.Environ(), childVariable+"="+part), env...)
	return cmd
}

// waitGone waits until a process is gone, or is a zombie that its new parent
// has not reaped yet.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("process %d is still there: %s", pid, stat)
			return
		}
	}
}

// wantIn fails the test for each of wants that is not in text.
func wantIn(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}

func TestNoOrphans(t *testing.T) {
	Postgres(t) // skips or fails where there is no server to start
	for _, part := range []string{"serve", "freeze"} {
		t.Run(part, func(t *testing.T) {
			cmd := child(part)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Wait()
			defer cmd.Process.Kill()
			var pids []int
			for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "ready"; {
				word, value, _ := strings.Cut(lines.Text(), " ")
				switch word {
				case "pid":
					pid, err := strconv.Atoi(value)
					if err != nil {
						t.Fatal(err)
					}
					pids = append(pids, pid)
				case "dir":
					defer os.RemoveAll(value)
				default:
					t.Fatal(lines.Text())
				}
			}
			// Some of a server's processes are short-lived.
			alive := 0
			for _, pid := range pids {
				if syscall.Kill(pid, 0) == nil {
					alive++
				}
			}
			if alive < 2 {
				t.Fatalf("of the child's processes %v only %d live", pids, alive)
			}
			cmd.Process.Kill()
			for _, pid := range pids {
				waitGone(t, pid)
			}
		})
	}
}

func TestMainFindsLeaks(t *testing.T) {
	out, err := child("leak").CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Errorf("the exit code is not 1: %v", err)
	}
	wantIn(t, string(out), "goroutines are left over", "TestMain")
}
