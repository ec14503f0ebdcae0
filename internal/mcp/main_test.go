package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// knobs are what tests configure.
type knobs struct {
	def, max        uint64
	cells, response int
	overflow        rewrite.Overflow
	explicit        rewrite.Explicit
	key             string
	mask            query.Mask
	saved           []SavedQuery
	execute         bool
	timeout         time.Duration
}

// client is an MCP client of a server of its own.
type client struct {
	*sdk.ClientSession
	tools map[string]*sdk.Tool
}

func newConfig(t testing.TB, s *dbtest.Server, db string, k knobs) Config {
	t.Helper()
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit, p.Catalogs = k.def, k.max, rewrite.CatalogsCap
	if k.overflow != "" {
		p.Overflow = k.overflow
	}
	if k.explicit != "" {
		p.Explicit = k.explicit
	}
	source, err := query.NewSource(query.Options{DSN: s.URL(db), Policy: p, Timeout: cmp.Or(k.timeout, query.DefaultTimeout), Sessions: 2, Mask: k.mask})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { source.Close() })
	c := Config{Sources: []Source{{Database: source, Identity: s.URL(db)}}, Saved: k.saved, Execute: k.execute, CellChars: k.cells, ResponseChars: k.response, Version: "test"}
	if k.key != "" {
		c.CursorKey = []byte(k.key)
	}
	return c
}

func connect(t testing.TB, s *dbtest.Server, db string, k knobs) *client {
	t.Helper()
	return connectTo(t, newConfig(t, s, db, k))
}

// connectTo returns a client of a server with a configuration.
func connectTo(t testing.TB, c Config) *client {
	t.Helper()
	server, err := NewServer(c)
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	serving, err := server.Connect(context.Background(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close(); serving.Wait() })
	return &client{session, toolsOf(t, session)}
}

func toolsOf(t testing.TB, session *sdk.ClientSession) map[string]*sdk.Tool {
	t.Helper()
	listed, err := session.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*sdk.Tool{}
	for _, tool := range listed.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

// answer is an envelope as a client reads it.
type answer struct {
	RowCount       int
	HasMore        *bool
	Completeness   string
	Limit          *uint64
	LimitSource    string
	EffectiveLimit *uint64
	Offset         uint64
	NextCursor     string
	Truncated      bool
	RowsOmitted    int
	Total          *query.Total
	Hint, SQL      string
	Columns        []struct{ Name, Type string }
	Data           [][]any
	Warnings       []struct{ Kind, Code, Message, Hint string }

	text string
	raw  json.RawMessage
}

func (a answer) more() bool { return a.HasMore != nil && *a.HasMore }

func (a answer) kinds() string {
	var all []string
	for _, w := range a.Warnings {
		all = append(all, w.Kind)
	}
	return strings.Join(all, " ")
}

type arguments map[string]any

// call calls a tool, and checks the answer against the tool's own schema.
func (c *client) call(t testing.TB, tool string, args any) answer {
	t.Helper()
	r := c.result(t, tool, args)
	if r.IsError {
		t.Fatalf("%s %v: %s", tool, args, textOf(r))
	}
	a := answer{text: textOf(r), raw: structured(t, r)}
	if err := json.Unmarshal(a.raw, &a); err != nil {
		t.Fatal(err)
	}
	c.conforms(t, tool, a.raw)
	if len(a.Data) != a.RowCount {
		t.Errorf("%d rows and rowCount %d", len(a.Data), a.RowCount)
	}
	return a
}

func (c *client) conforms(t testing.TB, tool string, raw json.RawMessage) {
	t.Helper()
	var s jsonschema.Schema
	text, err := json.Marshal(c.tools[tool].OutputSchema)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("the answer is not as its schema says: %v\n%s", err, raw)
	}
}

func structured(t testing.TB, r *sdk.CallToolResult) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// fails calls a tool that must answer with an error, and returns its text.
func (c *client) fails(t testing.TB, tool string, args any) string {
	t.Helper()
	r := c.result(t, tool, args)
	if !r.IsError {
		t.Fatalf("%s %v: no error: %s", tool, args, textOf(r))
	}
	return textOf(r)
}

func (c *client) result(t testing.TB, tool string, args any) *sdk.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	return r
}

func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

const twenty = "CREATE TABLE n (i INT PRIMARY KEY); INSERT INTO n VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10),(11),(12),(13),(14),(15),(16),(17),(18),(19),(20)"

// eachServer runs a test on every kind of server, with the table n of the numbers
// 1 to 20.
func eachServer(t *testing.T, test func(t *testing.T, s *dbtest.Server, db string)) {
	dbtest.EachDatabase(t, twenty, test)
}
