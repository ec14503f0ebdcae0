package conformance

// python is Debian's own, where its packages are: another one may be first on the
// PATH.
const python = "/usr/bin/python3"

const jdbc = "/usr/share/java/postgresql.jar"

var postgresMatrix = matrix{protocol: "postgres", tables: `CREATE TABLE parcels (n int PRIMARY KEY, label text NOT NULL);
INSERT INTO parcels SELECT g, 'parcel ' || g FROM generate_series(1, 12) AS g;
CREATE TABLE shelves (n int);`, clients: []client{
	{name: "psql", core: true, modes: []string{"simple"}, version: []string{"psql", "--version"}, present: []string{"psql", "--version"}, run: runPsql},
	{name: "pgbench", core: true, modes: []string{"simple", "extended", "prepared", "pipeline"}, version: []string{"pgbench", "--version"},
		present: []string{"pgbench", "--version"}, run: runPgbench},
	{name: "pg_dump", core: true, older: true, modes: []string{"simple"}, version: []string{"pg_dump", "--version"},
		present: []string{"pg_dump", "--version"}, run: runPgDump},
	{name: "pgx", core: true, modes: pgxModes, run: runPgx},
	{name: "lib/pq", core: true, modes: []string{"text", "binary"}, run: runPq},
	{name: "psycopg2", core: true, modes: []string{"simple"}, script: "psycopg2-client.py", command: []string{python},
		present: []string{python, "-c", "import psycopg2"}, version: []string{python, "-c", "import psycopg2; print(psycopg2.__version__.split()[0])"}},
	{name: "psycopg 3", core: true, modes: []string{"text", "binary", "client"}, script: "psycopg3-client.py", command: []string{python},
		present: []string{python, "-c", "import psycopg"}, version: []string{python, "-c", "import psycopg; print(psycopg.__version__)"}},
	{name: "asyncpg", core: true, modes: []string{"binary"}, script: "asyncpg-client.py", command: []string{python},
		present: []string{python, "-c", "import asyncpg"}, version: []string{python, "-c", "import asyncpg; print(asyncpg.__version__)"}},
	{name: "node-postgres", modes: []string{"simple", "extended"}, script: "node-postgres-client.cjs", command: []string{"node"},
		present: nodeModule("pg"), version: nodeModule("pg")},
	{name: "postgres.js", modes: []string{"prepared", "unprepared"}, script: "postgres-js-client.cjs", command: []string{"node"},
		present: nodeModule("postgres"), version: nodeModule("postgres")},
	{name: "pgjdbc", modes: []string{"extended", "prepared", "simple"}, script: "PgjdbcClient.java", command: []string{"java", "-cp", jdbc},
		present: []string{"sh", "-c", "javac -version && test -e " + jdbc}, version: debianVersion("libpostgresql-jdbc-java")},
	{name: "PHP pgsql", modes: []string{"simple", "extended"}, script: "pgsql-client.php", command: []string{"php"},
		present: []string{"php", "-r", "exit(extension_loaded('pgsql') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
	{name: "PHP PDO", modes: []string{"native", "emulated"}, script: "pdo-client.php", command: []string{"php"},
		present: []string{"php", "-r", "exit(extension_loaded('pdo_pgsql') ? 0 : 1);"}, version: []string{"php", "-r", "echo PHP_VERSION;"}},
	{name: "Ruby pg", modes: []string{"simple", "extended"}, script: "ruby-pg-client.rb", command: []string{"ruby"},
		present: []string{"ruby", "-rpg", "-e", ""}, version: []string{"ruby", "-rpg", "-e", "puts PG::VERSION"}},
	{name: "DBD::Pg", modes: []string{"server", "client"}, script: "dbd-pg-client.pl", command: []string{"perl"},
		present: []string{"perl", "-MDBD::Pg", "-e", ""}, version: []string{"perl", "-MDBD::Pg", "-e", "print $DBD::Pg::VERSION"}},
}}

// nodeModule prints the version of a module that scripts/clients/install put into
// the cache folder.
func nodeModule(name string) []string {
	return []string{"node", "-p", `require(process.env.ROWCAP_CLIENTS + "/node/node_modules/` + name + `/package.json").version`}
}
