package rowcap_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadmeProgram runs the README's Go code, which prints what its last comment
// says.
func TestReadmeProgram(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```go\n")
	code, _, closed := strings.Cut(block, "```")
	last := strings.LastIndex(code, "fmt.Println")
	if !found || !closed || last < 0 {
		t.Fatal("the README has no Go code that prints")
	}
	_, want, _ := strings.Cut(code[last:], "// ")
	program := `package main

import (
	"fmt"
	"log"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/rewrite"
)

func main() {
` + code + "}\n"
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("it prints %q, want %q: %v", out, want, err)
	}
}
