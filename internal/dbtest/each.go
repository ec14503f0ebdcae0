package dbtest

import "testing"

// Each runs a test on every kind of server, as a subtest of the server's flavor.
func Each(t *testing.T, test func(t *testing.T, s *Server)) {
	for flavor, start := range map[string]func(testing.TB) *Server{FlavorPostgres: Postgres, FlavorMariaDB: MariaDB, FlavorMySQL: MySQL} {
		t.Run(flavor, func(t *testing.T) { test(t, start(t)) })
	}
}

// EachDatabase is Each with a database in which a script has run.
func EachDatabase(t *testing.T, script string, test func(t *testing.T, s *Server, database string)) {
	Each(t, func(t *testing.T, s *Server) {
		database := s.Database(t)
		s.SQL(t, database, script)
		test(t, s, database)
	})
}
