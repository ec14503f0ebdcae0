//go:build cgo

package postgres

import "github.com/pganalyze/pg_query_go/v6/parser"

// maxDepth bounds the depth of a parse tree, measured in tokens; see words.depth.
// The C parser's stack of 8 MB takes more than ten times as much. Statements that
// people write stay below 150.
const maxDepth = 4000

type engineFailure = parser.Error

var (
	parseToJSON    = parser.ParseToJSON
	scanToProtobuf = parser.ScanToProtobuf
)

// warmEngine does nothing: the parser is ready when the program starts.
func warmEngine() {}
