package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nextCursor sets a variable to the cursor in a JSON answer: cursor VAR FILE.
func nextCursor(ts *testscript.TestScript, _ bool, args []string) {
	var answer struct{ NextCursor string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &answer))
	ts.Setenv(args[0], answer.NextCursor)
}

// converse sends the messages of a file, a line each, to a command, and waits for
// an answer to each that has an id: converse FILE command…. The answers are in
// stdout.
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: converse FILE command [args...]")
	}
	path := args[1]
	for _, dir := range strings.Split(ts.Getenv("PATH"), ":") {
		if found, err := exec.LookPath(dir + "/" + args[1]); err == nil {
			path = found
			break
		}
	}
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "SHOP_URL="+ts.Getenv("SHOP_URL"), "PASSWORD="+ts.Getenv("PASSWORD"))
	cmd.Stderr = ts.Stderr()
	in, err := cmd.StdinPipe()
	ts.Check(err)
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	stuck := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer stuck.Stop()
	answers := bufio.NewReader(out)
	for _, message := range strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n") {
		_, err := io.WriteString(in, message+"\n")
		ts.Check(err)
		var sent struct{ ID *int }
		ts.Check(json.Unmarshal([]byte(message), &sent))
		if sent.ID == nil {
			continue
		}
		answer, err := answers.ReadString('\n')
		ts.Check(err)
		_, err = io.WriteString(ts.Stdout(), answer)
		ts.Check(err)
	}
	ts.Check(in.Close())
	rest, err := io.ReadAll(answers)
	ts.Check(err)
	if len(rest) > 0 {
		ts.Fatalf("unexpected output: %s", rest)
	}
	if err := cmd.Wait(); err != nil {
		ts.Fatalf("after its client left: %v", err)
	}
}
