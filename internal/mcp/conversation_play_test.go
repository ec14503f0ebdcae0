package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

// TestConversations plays testdata/conversations on each kind of server: over the
// in-memory transport, and with rowcap mcp over standard input and output and over
// HTTP through the official TypeScript client.
func TestConversations(t *testing.T) {
	all := conversations(t)
	official := startOfficial(t)
	dbtest.Each(t, func(t *testing.T, s *dbtest.Server) {
		for _, c := range all {
			t.Run(c.name, func(t *testing.T) {
				var db string
				for _, transport := range []string{"memory", "stdio", "http"} {
					if db == "" || strings.Contains(c.flags, "--execute") {
						db = c.prepare(t, s)
					}
					t.Run(transport, func(t *testing.T) {
						if transport == "memory" {
							c.play(t, s, inMemory(connect(t, s, db, c.knobs(t))))
						} else {
							c.play(t, s, official.meet(t, c, transport, s.URL(db)))
						}
					})
				}
			})
		}
	})
}

func inMemory(c *client) speaker {
	return func(t *testing.T, tool string, arguments json.RawMessage, patience time.Duration) reply {
		t.Helper()
		if patience > 0 {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if result, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments}); err == nil {
				return reply{IsError: result.IsError, Text: textOf(result)}
			}
			return gaveUp
		}
		result := c.result(t, tool, arguments)
		r := reply{IsError: result.IsError, Text: textOf(result)}
		if result.StructuredContent != nil {
			raw := structured(t, result)
			c.conforms(t, tool, raw)
			if err := json.Unmarshal(raw, &r.Structured); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
}

// knobs reads the conversation's flags as rowcap mcp does.
func (c conversation) knobs(t *testing.T) knobs {
	t.Helper()
	k := knobs{cells: DefaultCellChars, response: DefaultResponseChars, saved: c.saved}
	flags := strings.Fields(c.flags)
	for i := 0; i < len(flags); i++ {
		name, value, given := strings.Cut(flags[i], "=")
		if name == "--execute" {
			k.execute = true
			continue
		}
		number, err := strconv.Atoi(value)
		switch {
		case name == "--statement-timeout":
			if k.timeout, err = time.ParseDuration(value); err != nil {
				t.Fatal(err)
			}
		case !given:
			t.Fatalf("%s has no value: write --flag=value", name)
		case name == "--explicit":
			k.explicit = rewrite.Explicit(value)
		case name == "--mask":
			k.mask = query.Mask{Columns: strings.Split(value, "|")}
		case err != nil:
			t.Fatalf("%s: %v", name, err)
		case name == "--default-limit":
			k.def = uint64(number)
		case name == "--max-limit":
			k.max = uint64(number)
		case name == "--cell-chars":
			k.cells = number
		case name == "--response-chars":
			k.response = number
		default:
			t.Fatalf("the flag %s is not known here", name)
		}
	}
	return k
}

// configure writes the saved queries to a file of rowcap's.
func (c conversation) configure(t *testing.T) (path string) {
	t.Helper()
	var b strings.Builder
	for _, q := range c.saved {
		fmt.Fprintf(&b, "[queries.%s]\nsql = '''%s'''\n", q.Name, q.SQL)
	}
	return writeFile(t, "rowcap.toml", b.String())
}

func writeFile(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
