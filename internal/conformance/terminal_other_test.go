//go:build !linux

package conformance

import (
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// terminal runs a program in a terminal of its own, which takes Linux.
func terminal(t *testing.T, _ session, _, _ string, _ ...string) string {
	t.Helper()
	dbtest.Missing(t, "terminals are made as Linux makes them")
	return ""
}
