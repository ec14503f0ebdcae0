package rowcap_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/rowcap/rowcap"

// arrows says which packages of the module a package may import. A package that
// is not in the table fails the test: a new room is a decision.
var arrows = map[string][]string{
	"rewrite":                {},
	"dialect":                {"rewrite", "dialect/postgres", "dialect/mysql"},
	"dialect/postgres":       {"rewrite"},
	"dialect/mysql":          {"rewrite"},
	"dialect/dialecttest":    {"rewrite"},
	"proxy":                  {"rewrite"},
	"proxy/pgwire":           {"rewrite", "proxy", "proxy/socket"},
	"proxy/mysqlwire":        {"rewrite", "proxy", "proxy/socket", "proxy/mysqlwire/packet", "internal/mysqlerror"},
	"proxy/socket":           {},
	"proxy/mysqlwire/packet": {},
	"lint":                   {"rewrite", "dialect", "lint/source"},
	"lint/source":            {"rewrite"},
	"lint/report":            {"rewrite", "lint", "lint/source"},
	"internal/mysqlerror":    {"rewrite"},
	"internal/query":         {"rewrite", "dialect", "internal/mysqlerror"},
	"internal/render":        {"rewrite", "internal/query"},
	"internal/mcp":           {"rewrite", "internal/query", "internal/render"},
	"internal/telemetry":     {"rewrite", "proxy"},
	"internal/demo":          {"rewrite", "internal/query", "internal/render"},
	"internal/config":        {"rewrite"},
	"internal/dbtest":        {},
	"internal/corpus":        {},
	"internal/sqlgen":        {},
	"internal/property":      {},
	"internal/conformance":   {},
	"fuzz":                   {},
	"cmd/rowcap": {"rewrite", "dialect", "proxy", "proxy/pgwire", "proxy/mysqlwire", "internal/query", "internal/render",
		"internal/telemetry", "internal/demo", "internal/mcp", "lint", "lint/report", "lint/source", "internal/config"},
}

// rooms says for each third-party module the one package that imports it.
// Tests may import more.
var rooms = map[string]string{
	"github.com/pganalyze/pg_query_go/v6": "dialect/postgres",
	"github.com/wasilibs/go-pgquery":      "dialect/postgres",
	"github.com/pingcap/tidb/pkg/parser":  "dialect/mysql",
	"vitess.io/vitess":                    "dialect/mysql",
	"github.com/jackc/pgx/v5/pgproto3":    "proxy/pgwire",
	"github.com/jackc/pgx/v5":             "internal/query",
	"github.com/go-sql-driver/mysql":      "internal/query",
	"github.com/alecthomas/kong":          "cmd/rowcap",

	"github.com/pelletier/go-toml/v2":        "internal/config",
	"github.com/modelcontextprotocol/go-sdk": "internal/mcp",
	"github.com/prometheus/client_golang":    "internal/telemetry",
	"github.com/pires/go-proxyproto":         "proxy",
	"go.uber.org/goleak":                     "internal/dbtest",
	"pgregory.net/rapid":                     "internal/sqlgen",
}

type listed struct {
	ImportPath string
	Standard   bool
	Imports    []string
	GoFiles    []string
	CgoFiles   []string
}

// list returns the module's packages and the set of standard packages that
// they import, for builds with and without cgo.
func list(t *testing.T, cgo string) (packages []listed, standard map[string]bool) {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Standard,Imports,GoFiles,CgoFiles", "./...")
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	standard = map[string]bool{"C": true}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return packages, standard
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Standard {
			standard[p.ImportPath] = true
		} else if strings.HasPrefix(p.ImportPath, module+"/") {
			packages = append(packages, p)
		}
	}
}

// TestArrows holds the house's two rules: dependencies point one way, and each
// third-party module has one room.
func TestArrows(t *testing.T) {
	for _, cgo := range []string{"0", "1"} {
		packages, standard := list(t, cgo)
		if len(packages) < len(arrows)-2 {
			t.Fatalf("found %d packages only", len(packages))
		}
		for _, p := range packages {
			name := strings.TrimPrefix(p.ImportPath, module+"/")
			allowed, known := arrows[name]
			if !known {
				t.Errorf("%s is not in the table of arrows", name)
				continue
			}
			for _, imported := range p.Imports {
				if own, ok := strings.CutPrefix(imported, module+"/"); ok {
					if !slices.Contains(allowed, own) {
						t.Errorf("%s may not import %s", name, own)
					}
					continue
				}
				if standard[imported] {
					if imported == "regexp" || strings.HasPrefix(imported, "regexp/") {
						t.Errorf("%s imports %s: no regular expressions", name, imported)
					}
					continue
				}
				if room := roomOf(imported); room == "" {
					t.Errorf("%s imports %s, which has no room", name, imported)
				} else if room != name {
					t.Errorf("%s imports %s, whose room is %s", name, imported, room)
				}
			}
		}
	}
}

// roomOf returns the room of the longest module path that holds path.
func roomOf(path string) string {
	best := ""
	for m := range rooms {
		if (path == m || strings.HasPrefix(path, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return rooms[best]
}

// TestFileSizes keeps files small enough to be read in one go.
func TestFileSizes(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != "." {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		most := 400
		if strings.HasSuffix(path, "_test.go") {
			most = 600
		}
		if lines := bytes.Count(text, []byte("\n")); lines > most {
			t.Errorf("%s has %d lines, over %d: split it by what it holds", path, lines, most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
