package corpus

import (
	"sync"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// suites are the suites and their servers, in the order of the page.
var suites = []struct {
	name string
	run  func(*testing.T) *tally
}{
	{"PostgreSQL", runPostgres},
	{"MySQL", func(t *testing.T) *tally { return runMySQL(t, mysqlSuite, dbtest.Suite(t, "mysql")) }},
	{"MariaDB", func(t *testing.T) *tally { return runMySQL(t, mariadbSuite, dbtest.Suite(t, "mariadb")) }},
}

// TestCorpus runs files of all suites on their servers, a sample of them unless the
// flags ask for others, and fails for everything that must not be.
func TestCorpus(t *testing.T) {
	var mu sync.Mutex
	tallies := map[string]*tally{}
	t.Run("suites", func(t *testing.T) {
		for _, suite := range suites {
			t.Run(suite.name, func(t *testing.T) {
				t.Parallel()
				tally := suite.run(t)
				tally.report(t)
				mu.Lock()
				defer mu.Unlock()
				tallies[suite.name] = tally
			})
		}
	})
	if *update {
		if !*all || *only != "" {
			t.Fatal("docs/correctness.md is written by a run of all files: -all -update")
		}
		var names []string
		for _, suite := range suites {
			names = append(names, suite.name)
		}
		writePage(t, tallies, names)
	}
}
