package mcp

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// order is one order to scripts/mcp-client/converse.js.
type order map[string]any

// official is the official client, in a running scripts/mcp-client/converse.js.
type official struct {
	all     *testing.T // the test with all conversations
	absent  error      // why it is not here
	program string
	in      *json.Encoder
	out     *bufio.Reader
}

// startOfficial starts the official client, if it can be had.
func startOfficial(t *testing.T) *official {
	t.Helper()
	modules, err := clientModules(t)
	if err != nil {
		return &official{absent: err}
	}
	cmd := exec.Command("node", "../../scripts/mcp-client/converse.js")
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "NODE_PATH=") }), "NODE_PATH="+modules)
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		stuck := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		defer stuck.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the client ended with %v", err)
		}
	})
	return &official{all: t, program: buildRowcap(t), in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

// meet connects it to rowcap mcp, as a conversation configures it.
func (b *official) meet(t *testing.T, c conversation, transport, dsn string) speaker {
	t.Helper()
	b.mustBeHere(t)
	open := order{"connect": t.Name()}
	flags := append([]string{"--config", c.configure(t), "mcp"}, strings.Fields(c.flags)...)
	environment := map[string]string{"ROWCAP_DSN": dsn, "PATH": os.Getenv("PATH")}
	if transport == "stdio" {
		open["command"], open["args"], open["env"] = b.program, flags, environment
	} else {
		open["url"], open["token"] = serveRowcap(t, b.all, b.program, flags, environment), testToken
	}
	var greeting struct{ Server, Instructions string }
	b.obey(t, open, &greeting)
	if greeting.Server != "rowcap" || !strings.Contains(greeting.Instructions, "Never present such a result as the whole") {
		t.Errorf("the server greets with %+v", greeting)
	}
	t.Cleanup(func() { b.obey(t, order{"close": open["connect"]}, &struct{}{}) })
	return func(t *testing.T, tool string, arguments json.RawMessage, patience time.Duration) reply {
		t.Helper()
		var answer struct {
			reply
			GaveUp bool
		}
		b.obey(t, order{"call": open["connect"], "tool": tool, "arguments": arguments, "patience": patience.Milliseconds()}, &answer)
		if answer.GaveUp {
			return gaveUp
		}
		return answer.reply
	}
}

// mustBeHere ends the test loudly where the official client is not here.
func (b *official) mustBeHere(t *testing.T) {
	t.Helper()
	if b.absent == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("the official MCP client is not here: %v", b.absent)
	}
	t.Skipf("SKIPPED, NOT PASSED: the official MCP client is not here: %v", b.absent)
}

func (b *official) obey(t *testing.T, o order, answer any) {
	t.Helper()
	if err := b.in.Encode(o); err != nil {
		t.Fatal(err)
	}
	line, err := b.out.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var failure struct{ Failed string }
	if err := json.Unmarshal(line, &failure); err != nil || failure.Failed != "" {
		t.Fatalf("%v: %s %v", o, failure.Failed, err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatal(err)
	}
}

// clientModules returns the folder of what scripts/mcp-client/install installs; the
// error says what of it is not there.
func clientModules(t *testing.T) (folder string, err error) {
	t.Helper()
	folder = filepath.Join(dbtest.CacheFolder(), "mcp-client", "node_modules")
	_, err = exec.LookPath("node")
	for _, module := range []string{"sdk", "inspector", "conformance"} {
		if err == nil {
			_, err = os.Stat(filepath.Join(folder, "@modelcontextprotocol", module, "package.json"))
		}
	}
	if err != nil {
		return "", fmt.Errorf("%w; run scripts/mcp-client/install", err)
	}
	return folder, nil
}

// buildRowcap builds the command.
func buildRowcap(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "rowcap")
	if out, err := exec.Command("go", "build", "-o", path, "../../cmd/rowcap").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// serveRowcap runs rowcap mcp over HTTP. It is told to end when the test ends, which may
// take it some seconds, and waited for when the test all does.
func serveRowcap(t, all *testing.T, program string, flags []string, environment map[string]string) (url string) {
	t.Helper()
	cmd := exec.Command(program, append(flags, "--http=:0", "--http-token-file="+writeFile(t, "token", testToken))...)
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	all.Cleanup(func() {
		stuck := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		defer stuck.Stop()
		if err := cmd.Wait(); err != nil {
			all.Errorf("rowcap mcp ended with %v", err)
		}
	})
	t.Cleanup(func() { cmd.Process.Signal(syscall.SIGTERM) })
	line, err := bufio.NewReader(says).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(line), "serving ")
	if err != nil || !ok {
		t.Fatalf("rowcap mcp says %q: %v", line, err)
	}
	return url
}
