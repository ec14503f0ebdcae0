package dialect

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// Functions returns the names of the functions that a text may call, as its dialect d
// reads it under the session's settings: without schemas, in lower case unless
// PostgreSQL keeps the capitals of a quoted one, each once. It may name what is no
// function, and leaves out none that the text itself calls; what functions and views
// call inside is not seen. A text that cannot be read as a whole is an error.
func Functions(d rewrite.Dialect, sql string) ([]string, error) {
	reader, ok := d.(interface {
		Functions(sql string) ([]string, error)
	})
	if !ok {
		return nil, fmt.Errorf("the dialect %s does not tell which functions a text calls", d.Name())
	}
	return reader.Functions(sql)
}
