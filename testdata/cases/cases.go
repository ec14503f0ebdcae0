// Package cases has the files of this folder for tests that do not run in the source
// tree, such as fuzz targets that were built elsewhere.
package cases

import "embed"

// Files are the files with cases, one case a line.
//
//go:embed *.jsonl
var Files embed.FS
