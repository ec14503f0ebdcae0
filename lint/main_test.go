package lint_test

import (
	"flag"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// all has the tests on the servers' own test suites take all of their files.
var all = flag.Bool("all", false, "take all files of the servers' own test suites")

func TestMain(m *testing.M) { dbtest.Main(m) }
