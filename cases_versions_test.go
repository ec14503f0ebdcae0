package rowcap_test

import (
	"fmt"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestCasesOnPostgresVersions runs PostgreSQL's cases through a sidecar before servers
// whose protocol and plans differ from those of the one that TestCases runs on.
func TestCasesOnPostgresVersions(t *testing.T) {
	for _, major := range []int{16, 17, 18} {
		t.Run(fmt.Sprint(major), func(t *testing.T) {
			at := newPlaces(t, dbtest.PostgresVersion(t, major), "")
			at.run(t, "postgres-rewrite")
			at.run(t, "postgres-siblings")
		})
	}
}
