package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rowcap/rowcap/internal/query"
	"github.com/rowcap/rowcap/internal/render"
)

func (c Config) addExecute(server *sdk.Server) {
	sql := sqlArgument
	sql.help = "One INSERT, UPDATE, DELETE or MERGE (MySQL and MariaDB: also REPLACE)."
	arguments := []argument{sql, c.limitArgument(), paramsArgument, formatArgument,
		{name: "dry_run", kind: "boolean", help: "Show the SQL that would be sent, and send nothing."}}
	t := tool("execute", "Change data", "Runs one statement that changes data, and commits it: INSERT, UPDATE, DELETE or MERGE. Ask the person before. The rows of a RETURNING clause are capped; all changes are made all the same, "+
		"so never run the statement again to see more of them. "+c.limits(), envelopeSchema())
	yes := true
	t.Annotations.ReadOnlyHint, t.Annotations.IdempotentHint, t.Annotations.DestructiveHint = false, false, &yes
	c.offer(server, t, arguments, func(ctx context.Context, g call) (*sdk.CallToolResult, error) {
		q := query.Request{SQL: g.texts["sql"], Params: g.params, DryRun: g.flags["dry_run"], Limit: g.numbers["limit"]}
		a, err := g.source.Database.Execute(ctx, q)
		if err != nil {
			return nil, err
		}
		o := render.Options{Format: g.texts["format"], Boundary: boundary(), MaxLimit: g.source.Database.Policy.MaxLimit, CellChars: c.CellChars, ResponseChars: c.ResponseChars}
		return answered(render.New(a, o)), nil
	})
}
