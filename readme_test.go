package rowcap_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// step is one command of the README and what it prints.
type step struct {
	command string
	output  string
}

// readConsole returns the steps of a page's console blocks: a line that starts
// with "$ " is a command, those below it its output.
func readConsole(page string) []step {
	var steps []step
	for _, block := range strings.Split(page, "```console\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, line := range strings.SplitAfter(block, "\n") {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				steps = append(steps, step{command: strings.TrimSpace(command)})
			} else if len(steps) > 0 {
				steps[len(steps)-1].output += line
			}
		}
	}
	return steps
}

// TestReadme runs the README's commands in order, with the program built from
// this tree and private servers in the place of those that it names.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := dbtest.Postgres(t)
	db := s.Database(t)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "rowcap"), "./cmd/rowcap").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "PGUSER="+s.User, "PGPASSWORD="+s.Password, "PGSSLMODE=disable")
	setup := exec.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", s.Host, "-p", fmt.Sprint(s.Port), "-d", db, "-f", "testdata/readme/shop.sql")
	setup.Env = env
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	port := freePort(t)
	here := strings.NewReplacer("127.0.0.1:6432", "127.0.0.1:"+port, "-p 6432", "-p "+port,
		"127.0.0.1:5432", s.Addr(), "/shop", "/"+db, " shop ", " "+db+" ")

	steps := readConsole(string(text))
	if len(steps) < 5 {
		t.Fatalf("the README has %d commands only", len(steps))
	}
	for _, st := range steps {
		command, background := strings.CutSuffix(st.command, " &")
		command = here.Replace(command)
		cmd := exec.Command("bash", "-c", command)
		cmd.Env = env
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if background {
			cmd = exec.Command("bash", "-c", "exec "+command)
			cmd.Env = env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				cmd.Process.Signal(os.Interrupt)
				if err := cmd.Wait(); err != nil {
					t.Errorf("%s: %v", command, err)
				}
			})
			waitFor(t, "127.0.0.1:"+port)
			continue
		}
		if err := cmd.Run(); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		if got, want := strings.TrimRight(strings.ReplaceAll(out.String(), "\r\n", "\n"), "\n"), strings.TrimRight(st.output, "\n"); got != want {
			t.Errorf("$ %s\nprints:\n%s\nthe README says:\n%s", command, got, want)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func waitFor(t *testing.T, addr string) {
	t.Helper()
	for range 200 {
		if conn, err := net.DialTimeout("tcp", addr, time.Second); err == nil {
			conn.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nobody listens on %s", addr)
}
