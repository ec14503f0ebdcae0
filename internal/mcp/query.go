package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

// maxSQL is the longest statement in characters that a call can have.
const maxSQL = 1 << 20

// Arguments that several tools have.
var (
	sqlArgument    = argument{name: "sql", kind: "string", required: true, min: 1, max: maxSQL, help: "One SQL statement that reads."}
	paramsArgument = argument{name: "params", kind: "params", help: "Values for the statement's parameters, in order ($1, $2 … on PostgreSQL, ? on MySQL and MariaDB)."}
	cursorArgument = argument{name: "cursor", kind: "string", min: 1, max: 2000, help: "nextCursor of the reply before, to read on. All other arguments stay the same."}
	countArgument  = argument{name: "count", kind: "string", enum: []string{"none", "estimate", "exact"}, help: "Find out how many rows there are without a cap: by the server's planner (estimate) or by counting (exact, a few seconds at most). Default none."}
	formatArgument = argument{name: "format", kind: "string", enum: []string{"markdown", "csv", "json"}, help: "Format of the text of the reply; default markdown."}
)

func (c Config) addQuery(server *sdk.Server) {
	arguments := []argument{sqlArgument, c.limitArgument(),
		{name: "offset", kind: "integer", min: 0, max: 1_000_000_000, help: "Rows to skip. Prefer cursor."},
		cursorArgument, paramsArgument, formatArgument,
		{name: "dry_run", kind: "boolean", help: "Show the SQL that would be sent, and send nothing."},
		{name: "show_sql", kind: "boolean", help: "Add the SQL that was sent to the reply."},
		countArgument,
	}
	c.add(server, tool("query", "Query the database", "Runs one SQL statement that reads and returns its rows. "+c.limits()+" "+whenCut, envelopeSchema()), arguments,
		func(g call) (query.Request, render.Options) {
			return query.Request{SQL: g.texts["sql"], Params: g.params, Count: query.Count(g.texts["count"]), DryRun: g.flags["dry_run"]},
				render.Options{ShowSQL: g.flags["show_sql"]}
		})
	arguments = []argument{queriesArgument, cursorArgument, paramsArgument, formatArgument, arguments[6], arguments[7], arguments[8]}
	c.add(server, tool("query_nested", "Query in stages", "Runs several queries as stages of one: each may read the earlier ones by their names, as tables, and the rows of the last one are returned. Only the last query's limit sets how many rows are returned; an earlier one's limit bounds that stage. "+c.limits()+" "+whenCut, envelopeSchema()), arguments,
		func(g call) (query.Request, render.Options) {
			last := len(g.stages) - 1
			g.numbers["limit"] = g.stages[last].Limit
			return query.Request{SQL: g.stages[last].SQL, Stages: g.stages[:last], Params: g.params, Count: query.Count(g.texts["count"]), DryRun: g.flags["dry_run"]},
				render.Options{ShowSQL: g.flags["show_sql"], LimitOf: "for the last query "}
		})
	arguments = []argument{sqlArgument, c.limitArgument(), paramsArgument, formatArgument}
	c.add(server, tool("explain_query", "Explain a query", "Returns the server's plan for one query, without running the query. The plan's lines count as rows. "+c.limits(), envelopeSchema()), arguments,
		func(g call) (query.Request, render.Options) {
			return query.Request{SQL: g.texts["sql"], Params: g.params, Explain: true}, render.Options{}
		})
}

// add adds a tool that answers with the rows of one statement.
func (c Config) add(server *sdk.Server, t *sdk.Tool, arguments []argument, request func(call) (query.Request, render.Options)) {
	c.offer(server, t, arguments, func(ctx context.Context, g call) (*sdk.CallToolResult, error) {
		q, o := request(g)
		return c.answer(ctx, t.Name, g, q, o)
	})
}

// answer runs a request and makes its rows ready.
func (c Config) answer(ctx context.Context, tool string, g call, q query.Request, o render.Options) (*sdk.CallToolResult, error) {
	o, next, err := c.page(tool, g, &q, o)
	if err != nil {
		return nil, err
	}
	a, err := g.source.Database.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	o.Cursor = next(a)
	return answered(render.New(a, o)), nil
}

func (c Config) cursors() query.Cursors { return query.Cursors{Key: c.CursorKey} }

// page settles from which row on a call reads. next says for its answer how the next
// call will.
func (c Config) page(name string, g call, q *query.Request, o render.Options) (_ render.Options, next func(query.Answer) func(uint64) string, err error) {
	b := query.Bound(name, g.source.Identity, g.user, *q)
	q.Limit, q.Offset = g.numbers["limit"], g.numbers["offset"]
	if cursor, ok := g.texts["cursor"]; ok {
		if err := c.cursors().Resume(q, cursor, b); err != nil {
			return o, nil, err
		}
	}
	next = func(a query.Answer) func(uint64) string { return c.cursors().Next(*q, a, b) }
	o.Format, o.Boundary, o.MaxLimit = g.texts["format"], boundary(), g.source.Database.Policy.MaxLimit
	o.CellChars, o.ResponseChars, q.CutAbove = c.CellChars, c.ResponseChars, c.ResponseChars
	return o, next, nil
}
