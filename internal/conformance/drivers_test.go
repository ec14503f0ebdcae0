package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// driver is a driver whose own tests are run.
type driver struct {
	module, version string
	// packages are those with tests that talk to a server, and skip names tests of
	// theirs that need certificates of their own for the server, or that talk to
	// none and take gigabytes or minutes, or the internet.
	packages []string
	skip     string
	// least is how many tests pass at the least where the server is well.
	least int
	// prepare makes what the tests expect on a fresh server.
	prepare func(t *testing.T, s *dbtest.Server, source string)
	// variables tell the tests where the server is, or arguments do.
	variables func(s *dbtest.Server, at address) []string
	arguments []string
}

var drivers = []driver{
	{module: "github.com/jackc/pgx/v5", version: "v5.12.0", packages: []string{".", "./pgconn", "./pgtype/...", "./pgxpool", "./stdlib", "./tracelog",
		"./multitracer", "./pgproto3", "./pgxtest"}, skip: "BiggerThanMaxMessageBodyLen|ChunkReaderNextFuzz",
		prepare: preparePgx, variables: pgxVariables},
	{module: "github.com/lib/pq", version: "v1.12.3", packages: []string{".", "./hstore"}, skip: "^TestSSL", prepare: preparePq, variables: pqVariables},
}

func preparePgx(t *testing.T, s *dbtest.Server, source string) {
	setup, err := os.ReadFile(filepath.Join(source, "testsetup", "postgresql_setup.sql"))
	if err != nil {
		t.Fatal(err)
	}
	s.SQL(t, "", "CREATE ROLE postgres SUPERUSER LOGIN")
	s.SQL(t, "", "CREATE DATABASE pgx_test")
	s.SQL(t, "pgx_test", string(setup))
	for _, role := range []string{dbtest.RoleMD5, dbtest.RoleSCRAM, dbtest.RoleCleartext} {
		s.SQL(t, "", "ALTER ROLE "+role+" SUPERUSER")
	}
}

func pgxVariables(s *dbtest.Server, at address) []string {
	place := fmt.Sprintf("host=%s port=%s dbname=pgx_test sslmode=disable ", at.host, at.port)
	role := func(name string) string { return place + "user=" + name + " password=" + name }
	return []string{
		"PGX_TEST_DATABASE=" + place + "user=" + s.User,
		"PGX_TEST_TCP_CONN_STRING=" + place + "user=" + s.User,
		"PGX_TEST_MD5_PASSWORD_CONN_STRING=" + role(dbtest.RoleMD5),
		"PGX_TEST_SCRAM_PASSWORD_CONN_STRING=" + role(dbtest.RoleSCRAM),
		"PGX_TEST_PLAIN_PASSWORD_CONN_STRING=" + role(dbtest.RoleCleartext),
	}
}

// preparePq does what the driver's own set-up does (testdata/postgres of its
// module), but for certificates.
func preparePq(t *testing.T, s *dbtest.Server, _ string) {
	s.SQL(t, "", `CREATE ROLE pqgo SUPERUSER LOGIN;
CREATE ROLE postgres SUPERUSER LOGIN;
CREATE ROLE pqgopassword LOGIN PASSWORD 'wordpass';
CREATE ROLE pqgoscram LOGIN PASSWORD 'wordpass';
SET password_encryption = md5;
CREATE ROLE pqgomd5 LOGIN PASSWORD 'wordpass'`)
	s.SQL(t, "", "CREATE DATABASE pqgo OWNER pqgo")
	s.SQL(t, "", `COPY (VALUES ('local all all trust'), ('host all pqgomd5 all md5'), ('host all pqgopassword all password'),
	('host all pqgoscram all scram-sha-256'), ('host all all 127.0.0.1/32 trust')) TO '`+strings.TrimSpace(s.SQL(t, "", "SHOW hba_file"))+"'")
	s.SQL(t, "", "SELECT pg_reload_conf()")
}

func pqVariables(_ *dbtest.Server, at address) []string {
	return []string{"PGHOST=localhost", "PGPORT=" + at.port, "PGUSER=pqgo", "PGDATABASE=pqgo", "PGSSLMODE=disable", "PGCONNECT_TIMEOUT=20"}
}

// TestDrivers runs the drivers' own tests straight and through the sidecar: what
// passes straight must pass.
func TestDrivers(t *testing.T) {
	if !*suites {
		t.Skip("SKIPPED, NOT PASSED: takes half an hour: make conformance-postgres runs it")
	}
	var ran []driverRuns
	for _, d := range drivers {
		t.Run(d.module, func(t *testing.T) {
			source := moduleCopy(t, d.module, d.version)
			runs := driverRuns{driver: d}
			s := dbtest.StartPostgres(t)
			d.prepare(t, s, source)
			runs.server = s.Version
			runs.direct = goTest(t, source, d, d.variables(s, splitAddress(t, s.Addr())), "direct")
			fresh := dbtest.StartPostgres(t)
			d.prepare(t, fresh, source)
			through := serve(t, fresh.Addr(), append(limits(beyond, beyond), "--copy-out", "pass", "--catalogs", "cap")...)
			runs.through = goTest(t, source, d, d.variables(fresh, through.at), "sidecar")
			runs.statements = through.statements(t)
			runs.judge(t)
			ran = append(ran, runs)
		})
	}
	if len(ran) == len(drivers) {
		report(t, "drivers", driversPage(ran))
	}
}
