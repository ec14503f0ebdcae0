package dbtest

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// shared is the server of one flavor that all tests of this binary use.
type shared struct {
	recipe *recipe
	once   sync.Once
	server *Server
	err    error
}

var (
	sharedPostgres = shared{recipe: &postgresRecipe}
	sharedMariaDB  = shared{recipe: &mariadbRecipe}
	sharedMySQL    = shared{recipe: &mysqlRecipe}
)

// Postgres returns the PostgreSQL server of this test binary. Besides User,
// whom it trusts, it has the roles RoleSCRAM, RoleMD5 and RoleCleartext, whose
// passwords are their names.
func Postgres(t testing.TB) *Server { t.Helper(); return sharedPostgres.get(t) }

// MariaDB returns the MariaDB server of this test binary.
func MariaDB(t testing.TB) *Server { t.Helper(); return sharedMariaDB.get(t) }

// MySQL returns the MySQL server of this test binary.
func MySQL(t testing.TB) *Server { t.Helper(); return sharedMySQL.get(t) }

func (s *shared) get(t testing.TB) *Server {
	t.Helper()
	s.once.Do(func() {
		if s.server, s.err = given(s.recipe); s.server == nil && s.err == nil {
			s.server, s.err = start(s.recipe, nil)
		}
		if s.server != nil {
			s.server.shared = true
		}
	})
	if s.err != nil {
		giveUp(t, s.recipe, s.err)
	}
	return s.server
}

// stop ends the server if it was started.
func (s *shared) stop() {
	s.once.Do(func() { s.err = fmt.Errorf("the tests are over") })
	if s.server != nil && s.server.instance != nil {
		s.server.instance.remove()
	}
}

// giveUp ends a test that has no server: a skip where a server may be missing,
// a failure where CI is true or where a server is there but does not start.
func giveUp(t testing.TB, r *recipe, err error) {
	t.Helper()
	message := fmt.Sprintf("no %s server for this test: %v: run `make setup` (%s), or name a server in %s",
		r.flavor, err, r.install, r.variable)
	if reason := r.unavailable(); reason != "" {
		t.Skipf("SKIPPED, NOT PASSED: %s: set-up could not get it: %s", message, reason)
	}
	if !isMissing(err) {
		t.Fatal(message)
	}
	Missing(t, message)
}

// Main runs the tests, stops the servers, fails when goroutines are left over,
// and exits. Call it from TestMain. Options say which goroutines may stay.
func Main(m *testing.M, options ...goleak.Option) {
	code := m.Run()
	stopShared()
	if code == 0 {
		// Vitess's parser links glog, which flushes its files for ever.
		options = append(options, goleak.IgnoreAnyFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
		if err := goleak.Find(options...); err != nil {
			fmt.Fprintf(os.Stderr, "goroutines are left over after the tests: %v\n", err)
			code = 1
		}
	}
	os.Exit(code)
}

// stopShared stops the servers of this binary.
func stopShared() {
	for _, s := range []*shared{&sharedPostgres, &sharedMariaDB, &sharedMySQL} {
		s.stop()
	}
	for _, s := range sharedVersions {
		s.stop()
	}
}
