package conformance

import (
	"path/filepath"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// mysqlDrivers are run on MariaDB and on MySQL.
var mysqlDrivers = []driver{
	{module: "github.com/go-sql-driver/mysql", version: "v1.10.1", packages: []string{"."}, skip: "TestConnectorReturnsTimeout", least: 400,
		prepare: prepareMySQLDriver, variables: mysqlDriverVariables},
	// Of its packages those whose tests ask a server something; the others read binary
	// logs or play the server themselves. Its example asks a server at port 3306.
	{module: "github.com/go-mysql-org/go-mysql", version: "v1.13.0", packages: []string{"./client", "./driver", "./schema"}, skip: "^Example", least: 45,
		prepare: prepareMySQLDriver, variables: func(*dbtest.Server, address) []string { return nil }},
}

func prepareMySQLDriver(t *testing.T, s *dbtest.Server, _ string) {
	s.SQL(t, "", "CREATE DATABASE gotest; CREATE DATABASE test")
}

func mysqlDriverVariables(_ *dbtest.Server, at address) []string {
	return []string{"MYSQL_TEST_USER=root", "MYSQL_TEST_PASS=", "MYSQL_TEST_PROT=tcp", "MYSQL_TEST_ADDR=" + at.host + ":" + at.port,
		"MYSQL_TEST_DBNAME=gotest", "MYSQL_TEST_CONCURRENT=1"}
}

// mysqlDriverArguments tell go-mysql's tests where the server is.
func mysqlDriverArguments(d driver, at address) driver {
	if d.module == mysqlDrivers[1].module {
		d.arguments = []string{"-host=" + at.host, "-port=" + at.port, "-user=root"}
	}
	return d
}

// mysqlServers are those on which the drivers' tests run.
var mysqlServers = []struct {
	name  string
	start func(t testing.TB, args ...string) *dbtest.Server
}{{"MariaDB", dbtest.StartMariaDB}, {"MySQL", dbtest.StartMySQL}}

// TestMySQLDrivers runs the tests of Go's drivers for MySQL straight and through the
// sidecar, as TestDrivers does for PostgreSQL's. The sidecar offers TLS and has TLS with
// the server, as the server does by itself.
func TestMySQLDrivers(t *testing.T) {
	if !*suites {
		t.Skip("SKIPPED, NOT PASSED: takes ten minutes: make conformance-mysql runs it")
	}
	var ran []driverRuns
	for _, kind := range mysqlServers {
		for _, d := range mysqlDrivers {
			t.Run(kind.name+"/"+d.module, func(t *testing.T) {
				source := moduleCopy(t, d.module, d.version)
				runs := driverRuns{driver: d}
				s := kind.start(t)
				d.prepare(t, s, source)
				runs.server, runs.on = s.Version, ", "+kind.name+" "+s.Version
				at := splitAddress(t, s.Addr())
				runs.direct = goTest(t, source, mysqlDriverArguments(d, at), d.variables(s, at), "direct")
				if n := runs.direct.count("pass"); n < d.least && *only == "" {
					t.Fatalf("%d tests passed direct, and at least %d should: did one of them end the run?", n, d.least)
				}
				fresh := kind.start(t)
				d.prepare(t, fresh, source)
				keys := filepath.Dir(fresh.CA)
				through := serveWire(t, "mysql", fresh.Addr(), append(limits(beyond, beyond), "--copy-out", "pass", "--catalogs", "cap",
					"--listen-tls", "allow", "--listen-tls-cert", filepath.Join(keys, "server.pem"), "--listen-tls-key", filepath.Join(keys, "server.key"),
					"--upstream-tls", "verify-full", "--upstream-tls-ca", fresh.CA)...)
				runs.through = goTest(t, source, mysqlDriverArguments(d, through.at), d.variables(fresh, through.at), "sidecar")
				runs.statements = through.statements(t)
				runs.judge(t)
				ran = append(ran, runs)
			})
		}
	}
	if len(ran) == len(mysqlDrivers)*len(mysqlServers) {
		report(t, "mysql-drivers", driversPage(ran))
	}
}
