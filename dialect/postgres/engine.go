package postgres

import (
	"errors"
	"sync"
)

// The parser is libpg_query, PostgreSQL's own taken out of the server: linked in
// as C with cgo (engine_cgo.go), compiled to WebAssembly without (engine_nocgo.go).
// Both offer the same calls.

// engineLock lets one caller at a time into the parser. As C, it points the
// process's standard error at a pipe while it works (pg_query_raw_parse), and two
// at once would leave it there. As WebAssembly, every caller that finds no
// instance free starts one more, of 260 MB and seconds of compiling.
//
// Lines that the program writes to file descriptor 2 while the parser works are
// lost, so a program logs to a duplicate of that descriptor.
var engineLock sync.Mutex

// engineParse returns the raw parse tree of sql as libpg_query's JSON.
func engineParse(sql string) (string, error) {
	engineLock.Lock()
	defer engineLock.Unlock()
	text, err := parseToJSON(sql)
	return text, engineError(err)
}

// engineScan returns the tokens of sql as an encoded pg_query.ScanResult.
func engineScan(sql string) ([]byte, error) {
	engineLock.Lock()
	defer engineLock.Unlock()
	tokens, err := scanToProtobuf(sql)
	return tokens, engineError(err)
}

func engineError(err error) error {
	var e *engineFailure
	if errors.As(err, &e) {
		return &syntaxError{message: e.Message, cursor: e.Cursorpos}
	}
	return err
}
