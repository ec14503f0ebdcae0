//go:build !cgo

package postgres

import (
	"sync"

	"github.com/wasilibs/go-pgquery/parser"
)

// maxDepth bounds the depth of a parse tree, measured in tokens; see words.depth.
// The WebAssembly parser's stack is small, and overflowing it corrupts the
// parser for good: nested selects did at 370. Statements that people write stay
// below 150.
const maxDepth = 200

type engineFailure = parser.Error

var (
	parseToJSON    = parser.ParseToJSON
	scanToProtobuf = parser.ScanToProtobuf
)

// warmEngine compiles the parser, so that the first statement need not wait.
var warmEngine = sync.OnceFunc(func() { _, _ = engineParse("SELECT 1") })
