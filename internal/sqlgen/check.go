package sqlgen

import (
	"flag"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// checksGiven sets rapid's flags as the tests of this module want them: no files are written,
// and a budget ends the checks before their number does. Without a number of checks they draw
// the same in each run, so that a failure is the change's and not luck's. It reports that the
// command line gave the number.
var checksGiven = sync.OnceValue(func() bool {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	flags := map[string]string{"rapid.checks": "1000", "rapid.nofailfile": "true", "rapid.shrinktime": "20s"}
	if !given["rapid.checks"] {
		flags["rapid.seed"] = "1"
	}
	for name, value := range flags {
		if !given[name] {
			if err := flag.Set(name, value); err != nil {
				panic(err)
			}
		}
	}
	return given["rapid.checks"]
})

// Check is rapid.Check that ends when budget is over, unless the command line says how many
// checks there are to be (-rapid.checks), or one has failed, which rapid then runs again.
func Check(t *testing.T, budget time.Duration, property func(*rapid.T)) {
	t.Helper()
	all, deadline := checksGiven(), time.Now().Add(budget)
	rapid.Check(t, func(t *rapid.T) {
		if all || time.Now().Before(deadline) {
			defer func() { all = all || t.Failed() }()
			property(t)
		}
	})
}
