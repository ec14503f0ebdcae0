package dialect

import (
	"fmt"

	"github.com/rowcap/rowcap/rewrite"
)

// Reads says what the text of one statement reads, as its dialect d reads it under the
// session's settings; see rewrite.Reads. An error means that it may read anything.
func Reads(d rewrite.Dialect, sql string) (rewrite.Reads, error) {
	reader, ok := d.(rewrite.Reader)
	if !ok {
		return rewrite.Reads{}, fmt.Errorf("the dialect %s does not tell what a text reads", d.Name())
	}
	return reader.Reads(sql)
}
