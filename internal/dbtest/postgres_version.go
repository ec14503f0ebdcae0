package dbtest

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
)

// sharedVersions are the PostgreSQL servers of certain major versions that the tests
// of this binary share. scripts/postgres fetches the same versions.
var sharedVersions = map[int]*shared{
	15: {recipe: versionRecipe(15)}, 16: {recipe: versionRecipe(16)},
	17: {recipe: versionRecipe(17)}, 18: {recipe: versionRecipe(18)},
}

// PostgresVersion returns this test binary's PostgreSQL of a major version, 15 to 18. It
// is one that is installed, or the one that scripts/postgres unpacked; otherwise it is
// as the server of Postgres.
func PostgresVersion(t testing.TB, major int) *Server {
	t.Helper()
	s := sharedVersions[major]
	if s == nil {
		t.Fatalf("PostgreSQL %d is not among the versions of these tests: use 15 to 18", major)
	}
	return s.get(t)
}

// versionRecipe is the recipe of one major version.
func versionRecipe(major int) *recipe {
	r := postgresRecipe
	number := strconv.Itoa(major)
	r.variable += "_" + number
	r.install = "it unpacks PostgreSQL " + number + " into the cache folder; or apt-get install postgresql-" + number
	r.note = postgresFolder(major) + ".unavailable"
	r.find = func() (programs, error) { return findPostgresVersion(major) }
	return &r
}

// postgresFolder is where scripts/postgres unpacks a version, in the cache folder.
func postgresFolder(major int) string { return fmt.Sprintf("postgres-%d", major) }

func findPostgresVersion(major int) (p programs, err error) {
	folders := []string{
		filepath.Join("/usr/lib/postgresql", strconv.Itoa(major), "bin"),
		filepath.Join(CacheFolder(), postgresFolder(major), "bin"),
	}
	if p.server, err = findIn(folders, "postgres"); err != nil {
		return p, err
	}
	if p.prepare, err = findIn([]string{filepath.Dir(p.server)}, "initdb"); err != nil {
		return p, err
	}
	if p.client, err = findClient(FlavorPostgres); err != nil {
		return p, err
	}
	p.version, err = programVersion(p.server, "(PostgreSQL)")
	return p, err
}
