package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

// SavedQuery is a statement of the operator's that clients run by its name. Its text
// is sent as it is; its rows are capped as they come.
type SavedQuery struct {
	Name, SQL string
	// Source is the name of the source that it is for.
	Source      string
	Description string
}

var nameArgument = argument{name: "name", kind: "string", required: true, min: 1, max: 60, help: "Name of the saved query, as list_saved_queries has it."}

func (c Config) addSaved(server *sdk.Server) {
	arguments := []argument{likeArgument, c.limitArgument(), cursorArgument, formatArgument}
	t := tool("list_saved_queries", "List saved queries", "Lists the queries that the operator saved, which run_saved_query runs. "+c.limits()+" When hasMore is true the list is not whole: read on with cursor, or narrow it with like.", envelopeSchema())
	c.offer(server, t, arguments, func(_ context.Context, g call) (*sdk.CallToolResult, error) {
		q := query.Request{SQL: t.Name, Params: []query.Param{{Text: g.texts["like"]}}}
		o, next, err := c.page(t.Name, g, &q, render.Options{})
		if err != nil {
			return nil, err
		}
		a := query.Listed(g.source.Database.Policy, savedColumns, c.saved(g), q.Limit, q.Offset)
		o.Cursor = next(a)
		return answered(render.New(a, o)), nil
	})
	arguments = []argument{nameArgument, c.limitArgument(), cursorArgument, paramsArgument, formatArgument, countArgument}
	t = tool("run_saved_query", "Run a saved query", "Runs a query that the operator saved, as it is written, and returns its rows. "+c.limits()+" "+whenCut, envelopeSchema())
	c.offer(server, t, arguments, func(ctx context.Context, g call) (*sdk.CallToolResult, error) {
		for _, s := range c.Saved {
			if s.Name == g.texts["name"] && s.Source == g.source.Name {
				return c.answer(ctx, t.Name, g, query.Request{SQL: s.SQL, Params: g.params, Count: query.Count(g.texts["count"]), AsWritten: true}, render.Options{})
			}
		}
		return nil, fmt.Errorf("there is no saved query %q here: list_saved_queries shows those that there are", g.texts["name"])
	})
}

var savedColumns = []query.Column{{Name: "name", Type: "text"}, {Name: "description", Type: "text"}, {Name: "sql", Type: "text"}}

// saved returns the rows of list_saved_queries for a source.
func (c Config) saved(g call) [][]query.Value {
	var rows [][]query.Value
	for _, s := range c.Saved {
		like, narrowed := g.texts["like"]
		if s.Source != g.source.Name || narrowed && !query.Match(strings.ToLower(like), strings.ToLower(s.Name), '%', '_') {
			continue
		}
		rows = append(rows, []query.Value{{Text: s.Name}, {Text: s.Description, Null: s.Description == ""}, {Text: s.SQL}})
	}
	return rows
}
