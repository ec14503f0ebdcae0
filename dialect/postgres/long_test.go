package postgres

import (
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect/dialecttest"
)

func TestLongWrites(t *testing.T) {
	dialecttest.LongWrites(t, New(), longWrite)
	// It may end with RETURNING.
	st, err := New().Parse("INSERT INTO t VALUES " + strings.Repeat("(1),", longWrite/4) + "(1)")
	if err != nil || !st[0].ReturnsRows {
		t.Errorf("a long INSERT is said to return no rows, %v", err)
	}
}
