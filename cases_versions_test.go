package rowcap_test

import (
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestCasesOnPostgres18 runs PostgreSQL's cases through a sidecar before the newest
// server, whose protocol and plans differ from those that TestCases runs on.
func TestCasesOnPostgres18(t *testing.T) {
	at := newPlaces(t, dbtest.PostgresVersion(t, 18), "")
	at.run(t, "postgres-rewrite")
	at.run(t, "postgres-siblings")
}
