package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

// maxSQL is the longest statement in characters that a call can have.
const maxSQL = 1 << 20

// Arguments that several tools have.
func (c Config) limitArgument() argument {
	p := c.Source.Policy()
	help := "Rows at most."
	if p.DefaultLimit > 0 {
		help += fmt.Sprintf(" Default %d.", p.DefaultLimit)
	}
	if p.MaxLimit > 0 {
		help += fmt.Sprintf(" More than %d is lowered to %d, with a warning.", p.MaxLimit, p.MaxLimit)
	}
	return argument{name: "limit", kind: "integer", min: 1, max: MaxLimit, help: help}
}

var (
	sqlArgument    = argument{name: "sql", kind: "string", required: true, min: 1, max: maxSQL, help: "One SQL statement that reads."}
	paramsArgument = argument{name: "params", kind: "params", help: "Values for the statement's parameters, in order ($1, $2 … on PostgreSQL, ? on MySQL and MariaDB)."}
	cursorArgument = argument{name: "cursor", kind: "string", min: 1, max: 200, help: "nextCursor of the reply before, to read on. All other arguments stay the same."}
	formatArgument = argument{name: "format", kind: "string", enum: []string{"markdown", "csv", "json"}, help: "Format of the text of the reply; default markdown."}
)

func (c Config) addQuery(server *sdk.Server) {
	arguments := []argument{sqlArgument, c.limitArgument(),
		{name: "offset", kind: "integer", min: 0, max: 1_000_000_000, help: "Rows to skip. Prefer cursor."},
		cursorArgument, paramsArgument, formatArgument,
		{name: "dry_run", kind: "boolean", help: "Show the SQL that would be sent, and send nothing."},
		{name: "show_sql", kind: "boolean", help: "Add the SQL that was sent to the reply."},
		{name: "count", kind: "string", enum: []string{"none", "estimate", "exact"}, help: "Find out how many rows there are without a cap: by the server's planner (estimate) or by counting (exact, a few seconds at most). Default none."},
	}
	c.add(server, tool("query", "Query the database", "Runs one SQL statement that reads and returns its rows. "+c.limits()+" "+whenCut, arguments, envelopeSchema()), arguments,
		func(g given) (query.Request, render.Options) {
			return query.Request{SQL: g.texts["sql"], Params: g.params, Count: query.Count(g.texts["count"]), DryRun: g.flags["dry_run"]},
				render.Options{ShowSQL: g.flags["show_sql"]}
		})
	arguments = []argument{queriesArgument, cursorArgument, paramsArgument, formatArgument, arguments[6], arguments[7], arguments[8]}
	c.add(server, tool("query_nested", "Query in stages", "Runs several queries as stages of one: each may read the earlier ones by their names, as tables, and the rows of the last one are returned. Only the last query's limit sets how many rows are returned; an earlier one's limit bounds that stage. "+c.limits()+" "+whenCut, arguments, envelopeSchema()), arguments,
		func(g given) (query.Request, render.Options) {
			last := len(g.stages) - 1
			g.numbers["limit"] = g.stages[last].Limit
			return query.Request{SQL: g.stages[last].SQL, Stages: g.stages[:last], Params: g.params, Count: query.Count(g.texts["count"]), DryRun: g.flags["dry_run"]},
				render.Options{ShowSQL: g.flags["show_sql"], LimitOf: "for the last query "}
		})
	arguments = []argument{sqlArgument, c.limitArgument(), paramsArgument, formatArgument}
	c.add(server, tool("explain_query", "Explain a query", "Returns the server's plan for one query, without running the query. The plan's lines count as rows. "+c.limits(), arguments, envelopeSchema()), arguments,
		func(g given) (query.Request, render.Options) {
			return query.Request{SQL: g.texts["sql"], Params: g.params, Explain: true}, render.Options{}
		})
}

// add adds a tool that answers with the rows of one statement.
func (c Config) add(server *sdk.Server, t *sdk.Tool, arguments []argument, request func(given) (query.Request, render.Options)) {
	server.AddTool(t, func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		g, err := read(arguments, call.Params.Arguments)
		if err != nil {
			return failed(err), nil
		}
		q, o := request(g)
		if o, err = c.page(t.Name, g, &q, o); err != nil {
			return failed(err), nil
		}
		a, err := c.Source.Read(ctx, q)
		if err != nil {
			return failed(inWords(err)), nil
		}
		return answered(render.New(a, o)), nil
	})
}

// page settles from which row on a call reads, and how the next one will.
func (c Config) page(name string, g given, q *query.Request, o render.Options) (render.Options, error) {
	b := bound(name, c.Identity, *q)
	q.Limit, q.Offset = g.numbers["limit"], g.numbers["offset"]
	if cursor, ok := g.texts["cursor"]; ok {
		at, err := c.place(cursor, b)
		switch {
		case err != nil:
			return o, err
		case q.Offset > 0:
			return o, errors.New("cursor and offset were both given: a cursor has an offset of its own, leave out offset")
		case q.Limit != 0 && q.Limit != at.limit:
			return o, errors.New("the limit is not that of the call that returned the cursor: use the same one, or leave out the cursor to begin with the first row")
		}
		q.Offset, q.Limit = at.offset, at.limit
	}
	limit := q.Limit
	o.Cursor = func(offset uint64) string { return c.cursor(place{offset, limit}, b) }
	o.Format, o.Boundary, o.MaxLimit = g.texts["format"], boundary(), c.Source.Policy().MaxLimit
	o.CellChars, o.ResponseChars = c.CellChars, c.ResponseChars
	return o, nil
}

// inWords adds to an error what to do next, where the server does not say it.
func inWords(err error) error {
	var server *query.Error
	if !errors.As(err, &server) {
		return err
	}
	for _, code := range []string{"57014", "3024", "1969"} {
		if strings.HasPrefix(server.Code, code) {
			return fmt.Errorf("%w; the statement took longer than it may: narrow it, or aggregate less", err)
		}
	}
	return err
}
