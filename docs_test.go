package rowcap_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

var update = flag.Bool("update", false, "write generated documentation instead of comparing it")

// TestPolicyDoc holds docs/policy.md to the knobs' one declaration.
func TestPolicyDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Policy\n\n<!-- Generated from rewrite/policy.go by `make docs`; do not edit. -->\n\n" +
		"What an operator decides about row caps. Each knob is a flag of `rowcap serve`, `rowcap rewrite` and `rowcap query`, " +
		"and an environment variable; a flag wins.\n")
	typ := reflect.TypeFor[rewrite.Policy]()
	for i := range typ.NumField() {
		tag := typ.Field(i).Tag
		values := strings.ReplaceAll(tag.Get("enum"), ",", ", ")
		switch {
		case typ.Field(i).Type.Kind() == reflect.Bool:
			values = "`--" + tag.Get("name") + "` or `--no-" + tag.Get("name") + "`; in the variable `true` or `false`"
		case values == "":
			values = "a number of rows, or 0"
		}
		fmt.Fprintf(&b, "\n## --%s\n\n%s\n\n| variable | default | values |\n|---|---|---|\n| `%s` | `%s` | %s |\n",
			tag.Get("name"), strings.ReplaceAll(tag.Get("help"), "${enum}", values), tag.Get("env"), tag.Get("default"), values)
	}
	if *update {
		if err := os.WriteFile("docs/policy.md", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Error("docs/policy.md is out of date: run make docs")
	}
}

// TestLinks follows every relative link of the documentation.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			target, _, found := strings.Cut(part, ")")
			target, _, _ = strings.Cut(target, "#")
			if !found || target == "" || strings.Contains(target, "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), target)); err != nil {
				t.Errorf("%s links to %s: %v", page, target, err)
			}
		}
	}
	if links == 0 {
		t.Error("the documentation links to nothing")
	}
}
