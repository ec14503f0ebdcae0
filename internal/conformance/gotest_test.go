package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// moduleCopy returns a writable copy of a module's source, as the module cache has
// it.
func moduleCopy(t *testing.T, module, version string) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json", module+"@"+version).Output()
	var found struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &found); err != nil || jsonErr != nil {
		dbtest.Missing(t, "the source of "+module+" cannot be had: "+found.Error)
	}
	folder := filepath.Join(t.TempDir(), "source")
	if err := os.CopyFS(folder, os.DirFS(found.Dir)); err != nil {
		t.Fatal(err)
	}
	return folder
}

// goTests is what runs of go test said of each test, subtests included, by package
// and name: pass, fail, skip.
type goTests struct {
	results map[string]string
	outputs map[string]string
	again   int // tests that failed, and passed when they were run again
	took    time.Duration
}

// attempts is how often a test runs that fails: some of the drivers' tests hold
// only on a machine that has time for them.
const attempts = 3

// goTest runs a driver's tests with variables, one package at a time, as some of
// them share tables, and again those that fail.
func goTest(t *testing.T, source string, d driver, variables []string, side string) goTests {
	t.Helper()
	packages := d.packages
	if d.skip != "" {
		packages = append([]string{"-skip", d.skip}, packages...)
	}
	if *only != "" {
		packages = strings.Split(*only, ",")
	}
	g := goTests{results: map[string]string{}, outputs: map[string]string{}}
	started := time.Now()
	g.run(t, source, variables, side, append(packages, d.arguments...)...)
	if g.count("pass") == 0 {
		t.Fatalf("%s: no test of the driver passed", side)
	}
	failed := g.count("fail")
	for range attempts - 1 {
		for _, key := range g.keys() {
			pkg, name, _ := strings.Cut(key, " ")
			if g.results[key] == "fail" && name != "" && !strings.Contains(name, "/") {
				g.run(t, source, variables, side, append([]string{"-run", "^" + name + "$", pkg}, d.arguments...)...)
			}
		}
	}
	g.again, g.took = failed-g.count("fail"), time.Since(started)
	return g
}

// run runs go test once and notes what it says.
func (g goTests) run(t *testing.T, source string, variables []string, side string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json", "-p", "1", "-count", "1", "-vet", "off", "-timeout", "15m"}, args...)...)
	cmd.Dir = source
	cmd.Env = append(environment("GOFLAGS=-mod=mod"), variables...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run() // fails where a test does
	if *detail != "" {
		name := strings.ReplaceAll(t.Name()[strings.Index(t.Name(), "/")+1:], "/", "-") + "-" + side + ".json"
		if f, err := os.OpenFile(filepath.Join(*detail, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666); err == nil {
			f.Write(out.Bytes())
			f.Close()
		}
	}
	seen := false
	for d := json.NewDecoder(&out); ; seen = true {
		var e struct{ Action, Package, Test, Output string }
		if decodeErr := d.Decode(&e); decodeErr == io.EOF {
			break
		} else if decodeErr != nil {
			t.Fatalf("go test -json: %v\n%s", decodeErr, errs.Bytes())
		}
		key := e.Package + " " + stable(e.Test)
		switch e.Action {
		case "run":
			g.outputs[key] = ""
		case "output":
			g.outputs[key] += e.Output
		case "pass", "fail", "skip":
			g.results[key] = e.Action
		case "build-fail":
			t.Fatalf("%s: the driver's tests do not compile:\n%s", side, errs.Bytes())
		}
	}
	if !seen {
		t.Fatalf("%s: go test %v: %v\n%s", side, args, err, errs.Bytes())
	}
}

// stable returns a test's name without the numbers of temporary folders, which
// some names have.
func stable(name string) string {
	if !strings.Contains(name, os.TempDir()+"/") {
		return name
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// isTest says whether a key names a test and not a whole package.
func isTest(key string) bool { return !strings.HasSuffix(key, " ") }

func (g goTests) count(result string) (n int) {
	for key, r := range g.results {
		if r == result && isTest(key) {
			n++
		}
	}
	return n
}

// keys returns the tests in order.
func (g goTests) keys() []string { return slices.Sorted(maps.Keys(g.results)) }
