package property

import (
	"flag"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// budget is how long the checks of one server may take. It ends with the default
// number of checks.
var budget = 30 * time.Second

// TestMain raises the number of checks above rapid's default, and keeps it from
// writing files, unless the command line says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for name, value := range map[string]string{"rapid.checks": "1000", "rapid.nofailfile": "true", "rapid.shrinktime": "20s"} {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	if given["rapid.checks"] {
		budget = 100 * time.Hour
	}
	dbtest.Main(m)
}
