package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/dialect/mysql"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// mysqlTests is the suite of MySQL or of MariaDB.
type mysqlTests struct {
	name, main string
	start      func(testing.TB, ...string) *dbtest.Server
	arguments  []string
	dialect    func() rewrite.Dialect
	// session are settings of every session.
	session []string
	// sample are the files of an ordinary test run.
	sample []string
}

// mysqlArguments are added to the command line of both servers: they need not
// survive a power loss, and nothing may wait for long.
var mysqlArguments = []string{"--lock-wait-timeout=5", "--innodb-lock-wait-timeout=5", "--event-scheduler=OFF",
	"--innodb-flush-method=nosync", "--innodb-flush-log-at-trx-commit=0"}

var mariadbSuite = mysqlTests{
	name: "MariaDB", main: "main", start: dbtest.StartMariaDB, dialect: mysql.NewMariaDB,
	// The suite is written for defaults of its own.
	arguments: append([]string{"--character-set-server=latin1", "--collation-server=latin1_swedish_ci", "--default-storage-engine=MyISAM",
		"--max-statement-time=5", "--sync-frm=OFF"}, mysqlArguments...),
	session: []string{"SET NAMES latin1"}, sample: mariadbSample,
}

var mysqlSuite = mysqlTests{
	name: "MySQL", main: "t", start: dbtest.StartMySQL, dialect: mysql.New,
	arguments: append([]string{"--max-execution-time=5000"}, mysqlArguments...),
	session:   []string{"SET NAMES utf8mb4"}, sample: mysqlSample,
}

// fileTimeout bounds one file of the suite.
const fileTimeout = 2 * time.Minute

func runMySQL(t *testing.T, suite mysqlTests, folder string) *tally {
	server := suite.start(t, suite.arguments...)
	tally := newTally(suite.name+" "+strings.TrimSuffix(server.Version, "-MariaDB"), suiteVersion(t, folder))
	tally.preparesStores = true
	started := time.Now()
	r := &mysqlRun{t: t, suite: suite, folder: folder, server: server, tally: tally, checked: map[string]bool{}}
	for _, file := range suite.files(t, folder) {
		tally.files++
		begin := time.Now()
		if err := r.file(file); err != nil {
			tally.abandoned++
			t.Logf("%s: %v", file, err)
		}
		if took := time.Since(begin); took > fileTimeout/8 {
			t.Logf("%s took %s", file, took.Round(time.Second))
		}
	}
	tally.took = time.Since(started)
	return tally
}

// files returns the suite's files, relative to its folder.
func (suite mysqlTests) files(t *testing.T, folder string) []string {
	t.Helper()
	all, err := MySQLFiles(folder, suite.main)
	if err != nil {
		t.Fatal(err)
	}
	files := slices.DeleteFunc(all, func(path string) bool { return !chosen(path, suite.sample) })
	enough(t, files, suite.sample)
	return files
}

// mysqlRun runs the files of a suite.
type mysqlRun struct {
	t       *testing.T
	suite   mysqlTests
	folder  string
	server  *dbtest.Server
	tally   *tally
	checked map[string]bool // statements that were accepted and checked before
}

// file runs one file in a session of its own.
func (r *mysqlRun) file(path string) error {
	session, err := r.connect()
	if err != nil {
		return err
	}
	defer session.conn.Close()
	planner, err := rewrite.New(r.suite.dialect(), capOne(1))
	if err != nil {
		return err
	}
	c := &checker{tally: r.tally, server: session, rewriter: planner, file: path}
	r.learn(c, session)
	deadline := time.Now().Add(fileTimeout)
	last := ""
	for text := range Statements(r.folder, path) {
		last = text
		r.statement(c, session, strings.ReplaceAll(text, "../../std_data/", r.folder+"/std_data/"))
		if session.broken != nil || !time.Now().Before(deadline) {
			break
		}
	}
	if session.broken != nil {
		r.kill(session.id)
		return fmt.Errorf("the session ended: %w: after %.200s", session.broken, last)
	}
	return nil
}

// connect makes a session in a fresh database test. Where a file before spoilt the
// server (its accounts, its locks), a fresh one is started.
func (r *mysqlRun) connect() (*mysqlSession, error) {
	session, err := r.session()
	if err == nil {
		return session, nil
	}
	r.t.Logf("%s is of no use any more (%v): a fresh one is started", r.server, err)
	r.server.Kill(r.t)
	r.server = r.suite.start(r.t, r.suite.arguments...)
	return r.session()
}

// session makes a session in a fresh database test, and removes what the file
// before left.
func (r *mysqlRun) session() (*mysqlSession, error) {
	session, err := dialMySQL(r.server)
	if err != nil {
		return nil, err
	}
	if err := r.clean(session); err != nil {
		session.conn.Close()
		return nil, err
	}
	return session, nil
}

func (r *mysqlRun) clean(session *mysqlSession) error {
	databases, err := session.run("SELECT schema_name FROM information_schema.schemata WHERE schema_name NOT IN " +
		"('information_schema', 'mysql', 'performance_schema', 'sys')")
	if err != nil {
		return err
	}
	set := []string{"SET foreign_key_checks = 0"}
	for _, row := range databases.rows {
		name := textRow(row)[0]
		set = append(set, "DROP DATABASE `"+strings.ReplaceAll(name, "`", "``")+"`")
		r.removeFiles(session, name)
	}
	set = append(set, "SET foreign_key_checks = 1", "CREATE DATABASE test", "CREATE DATABASE mtr", "USE test")
	for _, sql := range append(set, r.suite.session...) {
		if _, err := session.run(sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// removeFiles removes the files that SELECT INTO OUTFILE left in a database's folder,
// with which the server would not drop it.
func (r *mysqlRun) removeFiles(session *mysqlSession, database string) {
	datadir, err := session.run("SELECT @@datadir")
	if err != nil || len(datadir.rows) != 1 {
		return
	}
	folder := filepath.Join(textRow(datadir.rows[0])[0], database)
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".ibd", ".frm", ".opt", ".MYD", ".MYI", ".MAD", ".MAI", ".sdi", ".par", ".TRG", ".TRN", ".MRG", ".ARZ", ".CSV", ".CSM":
		default:
			os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

func (r *mysqlRun) kill(id uint32) {
	if other, err := dialMySQL(r.server); err == nil {
		other.run("KILL " + strconv.FormatUint(uint64(id), 10))
		other.conn.Close()
	}
}

// statement runs one statement of a file, checked if it is a query.
func (r *mysqlRun) statement(c *checker, session *mysqlSession, text string) {
	if harmful(text) {
		return
	}
	r.tally.statements++
	plans := c.rewriter.Script(text, c.ask).Plans
	if !r.checked[text] {
		before := r.tally.queries
		ran, err := c.check(text)
		if r.tally.queries > before {
			r.checked[text] = true
		}
		if ran {
			if err == nil {
				r.tally.accepted++
			}
			return
		}
	}
	if session.broken != nil {
		return
	}
	got, err := session.run(text)
	if err == nil {
		r.tally.accepted++
	}
	if len(plans) != 1 {
		return
	}
	st := plans[0].Statement
	if got.columns != "" && !st.ReturnsRows {
		c.found("class", plans[0], "the statement counts as one without rows, and rows came")
	}
	switch st.Kind {
	case rewrite.KindUtility, rewrite.KindUnknown, rewrite.KindExecute, rewrite.KindCall:
		r.learn(c, session)
	}
}

// learn tells the dialect how the session reads statements now.
func (r *mysqlRun) learn(c *checker, session *mysqlSession) {
	if session.broken != nil {
		return
	}
	a, err := session.run("SELECT @@version, @@sql_mode, @@character_set_client, COALESCE(DATABASE(), ''), @@sql_select_limit")
	if err != nil || len(a.rows) != 1 {
		return
	}
	values := textRow(a.rows[0])
	for i, name := range []string{"server_version", "sql_mode", "character_set_client", "database"} {
		c.rewriter = c.rewriter.With(name, values[i])
	}
	c.ask.Session = nil
	if n, err := strconv.ParseUint(values[4], 10, 64); err == nil && n < rewrite.NoLimit {
		c.ask.Session = &n
	}
}

// harmful tells statements that would harm the server for the files behind, or
// stop it. The suites' own driver starts a fresh server in such cases.
func harmful(text string) bool {
	upper := strings.ToUpper(text)
	words := strings.Fields(upper)
	if len(words) == 0 {
		return true
	}
	second := ""
	if len(words) > 1 {
		second = words[1]
	}
	switch words[0] {
	case "SHUTDOWN", "RESTART", "KILL", "INSTALL", "UNINSTALL", "CHANGE", "STOP", "CLONE", "RESET", "XA", "PURGE", "BACKUP", "LOCK":
		return words[0] != "LOCK" || second == "INSTANCE"
	case "START":
		return !strings.HasPrefix(second, "TRANSACTION")
	case "SET":
		return strings.Contains(upper, "GLOBAL") || strings.Contains(upper, "PERSIST") || strings.HasPrefix(second, "PASSWORD")
	case "COMMIT", "ROLLBACK":
		return words[len(words)-1] == "RELEASE" // ends the session
	case "USE":
		return strings.HasPrefix(second, "MYSQL")
	case "ALTER", "DROP", "RENAME", "CREATE":
		if second == "INSTANCE" || second == "USER" && (strings.Contains(upper, "ROOT") || strings.Contains(upper, "USER()") || strings.Contains(upper, "CURRENT_USER")) {
			return true
		}
		if second == "DATABASE" || second == "SCHEMA" {
			return slices.ContainsFunc(words[2:], func(w string) bool {
				return slices.Contains([]string{"MYSQL", "SYS", "PERFORMANCE_SCHEMA", "`MYSQL`"}, strings.TrimRight(w, ";"))
			})
		}
		return strings.Contains(upper, "MYSQL.")
	case "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REPLACE":
		return strings.Contains(upper, "MYSQL.")
	case "FLUSH":
		return strings.Contains(upper, "PRIVILEGES")
	}
	return false
}
