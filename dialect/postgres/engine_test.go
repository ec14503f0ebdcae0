package postgres

import (
	"os"
	"sync"
	"testing"
)

// TestStandardErrorStays parses from many goroutines at once. The C parser moves the
// process's standard error away and back on every call; it must be the same file
// afterwards.
func TestStandardErrorStays(t *testing.T) {
	before, err := os.Stderr.Stat()
	must(t, err)
	d := New()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 500 {
				if _, err := d.Parse("SELECT a FROM t LIMIT 5"); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
	after, err := os.Stderr.Stat()
	must(t, err)
	if !os.SameFile(before, after) {
		t.Error("standard error is another file now")
	}
}
