package rowcap_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestCases runs each case three times: through a sidecar with a real client, as
// the text that rowcap rewrite prints, and on the server alone, which must bear
// the case out.
func TestCases(t *testing.T) {
	program := buildRowcap(t)
	for _, on := range []struct {
		flavor, files string
		server        func(testing.TB) *dbtest.Server
	}{
		{dbtest.FlavorPostgres, "postgres", dbtest.Postgres},
		{dbtest.FlavorMariaDB, "mysql", dbtest.MariaDB},
		{dbtest.FlavorMySQL, "mysql", dbtest.MySQL},
	} {
		t.Run(on.flavor, func(t *testing.T) {
			t.Parallel()
			at := newPlaces(t, on.server(t), program)
			at.run(t, on.files+"-rewrite")
			at.run(t, on.files+"-siblings")
		})
	}
}

// places are where the cases of one server run: those that only read in a
// database for each set-up, the others in one of their own.
type places struct {
	t       *testing.T
	server  *dbtest.Server
	program string // rowcap, "" where the cases run through the sidecar only
	bySetup map[string]string
	scratch string // PostgreSQL's database of the schemas
	schemas int
}

func newPlaces(t *testing.T, s *dbtest.Server, program string) *places {
	at := &places{t: t, server: s, program: program, bySetup: make(map[string]string)}
	if s.Flavor == dbtest.FlavorPostgres {
		at.scratch = s.Database(t)
	}
	return at
}

// run runs the cases of a file that hold for the server.
func (at *places) run(t *testing.T, file string) {
	for _, c := range readCases(t, filepath.Join("testdata", "cases", file+".jsonl")) {
		flavor := at.server.Flavor
		if c.Flavor == "mariadb" && flavor != dbtest.FlavorMariaDB || c.Flavor == "mysql8" && flavor != dbtest.FlavorMySQL {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Run("sidecar", func(t *testing.T) { at.throughSidecar(t, c) })
			if at.program == "" {
				return
			}
			if !c.Options.SidecarOnly {
				t.Run("command", func(t *testing.T) { at.throughCommand(t, c) })
			}
			t.Run("server", func(t *testing.T) { at.onServer(t, c) })
		})
	}
}

// session opens a session for a case at addr, and returns which settings of the
// session the case has changed, as NAME=VALUE. A case that only reads shares its
// database with others of its set-up.
func (at *places) session(t *testing.T, c sharedCase, addr string) (session caseSession, settings []string) {
	t.Helper()
	postgres := at.server.Flavor == dbtest.FlavorPostgres
	database, ok := at.bySetup[c.Setup]
	shared := !c.Writes
	if c.Class == "" { // a set-up of tables and of the session
		shared = c.Expect.After == nil
		for _, word := range []string{"; SET ", "; BEGIN", "; SELECT"} {
			shared = shared && !strings.Contains(c.Setup, word)
		}
	}
	switch {
	case shared && !ok:
		database = at.server.Database(at.t)
		setUp(t, connect(t, at.server, at.server.Addr(), database), c.Setup)
		at.bySetup[c.Setup] = database
	case !shared && postgres:
		database = at.scratch // with a schema of the case's own, which is quicker
	case !shared:
		database = at.server.Database(t)
	}
	session = connect(t, at.server, addr, database)
	if strings.Contains(c.SQL, "FILE '") {
		removeExports(t, session)
	}
	sets := strings.Contains(c.Setup+c.Session, "SET ")
	before := at.settings(t, session, sets)
	if !shared {
		if postgres {
			at.schemas++
			setUp(t, session, fmt.Sprintf("CREATE SCHEMA case_%d; SET search_path = case_%[1]d", at.schemas))
		}
		setUp(t, session, c.Setup)
	}
	setUp(t, session, c.Session)
	for name, value := range at.settings(t, session, sets) {
		if value != before[name] {
			settings = append(settings, name+"="+value)
		}
	}
	return session, settings
}

// settings are those of the session that rowcap rewrite can be told, if sets is
// true: asking for them would end what SHOW WARNINGS has to say.
func (at *places) settings(t *testing.T, session caseSession, sets bool) map[string]string {
	t.Helper()
	if !sets {
		return nil
	}
	text := "SELECT name, setting FROM pg_catalog.pg_settings WHERE name IN ('standard_conforming_strings', 'client_encoding')"
	if at.server.Flavor != dbtest.FlavorPostgres {
		text = "SELECT 'sql_mode', @@sql_mode UNION ALL SELECT 'character_set_client', @@character_set_client " +
			"UNION ALL SELECT 'sql_select_limit', @@sql_select_limit LIMIT 3"
	}
	got, fail := session.run(t, text, nil)
	if fail != (failure{}) {
		t.Fatal(fail.Message)
	}
	settings := make(map[string]string)
	for _, row := range show(got[0].Rows) {
		settings[row[0]] = row[1]
	}
	return settings
}

func setUp(t *testing.T, session caseSession, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if _, fail := session.run(t, text, nil); fail != (failure{}) {
		t.Fatalf("setup: %s", fail.Message)
	}
}

// removeExports removes the files of INTO OUTFILE from the database's folder,
// which the server leaves there, when the test ends.
func removeExports(t *testing.T, session caseSession) {
	t.Helper()
	got, fail := session.run(t, "SELECT CONCAT(@@datadir, DATABASE())", nil)
	if fail != (failure{}) {
		t.Fatal(fail.Message)
	}
	t.Cleanup(func() {
		files, _ := filepath.Glob(filepath.Join(*got[0].Rows[0][0], "*.txt"))
		for _, f := range files {
			os.Remove(f)
		}
	})
}

// throughSidecar runs a case as a client of the sidecar.
func (at *places) throughSidecar(t *testing.T, c sharedCase) {
	rec := &recorder{}
	session, _ := at.session(t, c, sidecar(t, at.server.Flavor, at.server, c.policy(t), rec))
	rec.take()
	got, fail := session.run(t, c.SQL, c.Params)
	plans, outcomes := rec.take()
	noticed := c.Expect.Truncated
	if at.server.Flavor == dbtest.FlavorPostgres || len(c.Expect.After) == 0 && len(c.Expect.Results) == 0 {
		noticed = session.told(t) // on MySQL it tells of the last statement only, and asking ends what After asks for
	}
	c.checkAfter(t, session)
	c.checkAnswers(t, got, fail.Code)
	c.checkPlans(t, plans, outcomes, noticed)
}

// onServer runs a case on the server alone: what it expects must be true.
func (at *places) onServer(t *testing.T, c sharedCase) {
	if c.Options.Refused {
		return // it is not to run
	}
	session, _ := at.session(t, c, at.server.Addr())
	got, fail := session.run(t, c.SQL, c.Params)
	want, missing := c.results(), false
	for i := range got {
		if i < len(want) && want[i].RowsReturned != nil && len(got[i].Rows) > *want[i].RowsReturned {
			missing = true
			got[i].Rows = got[i].Rows[:*want[i].RowsReturned]
		}
	}
	c.checkAnswers(t, got, fail.Code)
	if missing != c.Expect.Truncated && !c.Options.Unknown {
		t.Errorf("rows are missing: %t, the case says %t", missing, c.Expect.Truncated)
	}
	c.checkAfter(t, session)
}

// results are the expected answers.
func (c sharedCase) results() []answer {
	if c.Expect.Results != nil {
		return c.Expect.Results
	}
	return []answer{c.Expect.answer}
}

// checkAnswers compares what a client got with what is right.
func (c sharedCase) checkAnswers(t *testing.T, got []answer, code string) {
	t.Helper()
	if (code != "") != c.Expect.Error || c.Expect.ErrorCode != "" && code != c.Expect.ErrorCode {
		t.Errorf("error %q, want %q (%t)", code, c.Expect.ErrorCode, c.Expect.Error)
	}
	want := c.results()
	for len(got) < len(want) {
		got = append(got, answer{})
	}
	for i, w := range want {
		g := got[i]
		if w.RowsReturned != nil && len(g.Rows) != *w.RowsReturned {
			t.Errorf("result %d has %d rows, want %d", i, len(g.Rows), *w.RowsReturned)
		}
		if w.Rows != nil && !slices.EqualFunc(g.Rows, w.Rows, equalRows) {
			t.Errorf("result %d has rows %v, want %v", i, show(g.Rows), show(w.Rows))
		}
		if w.Columns != nil && !slices.Equal(g.Columns, w.Columns) {
			t.Errorf("result %d has columns %v, want %v", i, g.Columns, w.Columns)
		}
	}
}

// checkAfter runs the statements that show what the case left behind.
func (c sharedCase) checkAfter(t *testing.T, session caseSession) {
	t.Helper()
	for _, after := range c.Expect.After {
		got, fail := session.run(t, after.SQL, nil)
		if fail != (failure{}) {
			t.Errorf("%s: %s", after.SQL, fail.Message)
		} else if value := show(got[0].Rows); len(value) != 1 || value[0][0] != after.Value {
			t.Errorf("%s gives %v, want %s", after.SQL, value, after.Value)
		}
	}
}

// checkPlans compares what a door says it did with what is right.
func (c sharedCase) checkPlans(t *testing.T, plans []rewrite.Plan, outcomes []rewrite.Outcome, noticed bool) {
	t.Helper()
	if len(plans) == 0 {
		t.Fatal("the door planned nothing")
	}
	plan := plans[len(plans)-1]
	if c.Expect.MustNotChange && len(plan.Edits) > 0 {
		t.Errorf("the text was changed: %v", plan.Edits)
	}
	source, missing := plan.Cap.Source, false
	for _, o := range outcomes {
		source = o.Plan.Cap.Source
		// Where no row is probed for, reaching the cap is all that can be known.
		missing = missing || o.Completeness != rewrite.Complete
	}
	if source.String() != c.Expect.LimitSource {
		t.Errorf("limit source %s, want %s (%s: %s)", source, c.Expect.LimitSource, plan.Method, plan.Why)
	}
	if missing != c.Expect.Truncated || noticed != c.Expect.Truncated {
		t.Errorf("rows missing: %t, the client was told: %t, want %t (%s: %s)", missing, noticed, c.Expect.Truncated, plan.Method, plan.Why)
	}
}

func equalRows(a, b []*string) bool {
	return slices.EqualFunc(a, b, func(x, y *string) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) })
}

func show(rows [][]*string) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		for _, v := range r {
			if v == nil {
				out[i] = append(out[i], "NULL")
			} else {
				out[i] = append(out[i], *v)
			}
		}
	}
	return out
}
