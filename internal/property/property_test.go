package property

import (
	"fmt"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

func TestPostgres(t *testing.T) { check(t, budget, openPostgres(t, dbtest.Postgres(t))...) }

func TestPostgres16(t *testing.T) { checkPostgres(t, 16, budget/3) }

func TestPostgres17(t *testing.T) { checkPostgres(t, 17, budget/3) }

func TestPostgres18(t *testing.T) { checkPostgres(t, 18, budget) }

func checkPostgres(t *testing.T, major int, budget time.Duration) {
	check(t, budget, openPostgres(t, dbtest.PostgresVersion(t, major))...)
}

func TestMariaDB(t *testing.T) { check(t, budget, openMySQL(t, dbtest.StartMariaDB(t))...) }

func TestMySQL(t *testing.T) { check(t, budget, openMySQL(t, dbtest.StartMySQL(t))...) }

// check draws statements for the sessions and holds what rowcap does with them against
// what the server says.
func check(t *testing.T, budget time.Duration, sessions ...session) {
	counts := &tally{}
	generators := make([]*rapid.Generator[sqlgen.Statement], len(sessions))
	for i, s := range sessions {
		generators[i] = sqlgen.Statements(s.target())
	}
	var last *drawn // that failed
	defer func() { report(t, counts, last) }()
	sqlgen.Check(t, budget, func(t *rapid.T) {
		s := rapid.IntRange(0, len(sessions)-1).Draw(t, "session")
		c := draw(t, sessions[s], generators[s].Draw(t, "statement"), counts)
		if c == nil {
			return
		}
		if why := c.fails(counts); why != "" {
			last = c
			t.Fatal(why)
		}
	})
	counts.accepted(t)
	if hits, all := counts.counts["planned by the shape"], counts.counts["statements"]; hits*3 < all {
		t.Errorf("only %d of %d statements were planned by their shape", hits, all)
	}
}

// report says what was drawn, and makes the statement that failed smaller.
func report(t *testing.T, counts *tally, last *drawn) {
	t.Logf("\n%s", counts)
	if last != nil {
		t.Logf("reduced:\n%s", last.reduce())
	}
}

// drawn is a statement with the policy that it is planned under.
type drawn struct {
	session   session
	statement sqlgen.Statement
	sibling   string
	policy    rewrite.Policy
	ask       rewrite.Ask
	whole     []answer // the server's answers to the original
	failed    *failure
	values    values   // of parameters, nil where the text is sent as it is
	types     []uint32 // that the server gives the parameters of the original
	replaced  bool     // that another value is sent than the caller's
	through   bool     // that the caller's own text is sent through a door
}

// draw runs a statement and draws a policy that has to do with the rows that came.
func draw(t *rapid.T, s session, st sqlgen.Statement, counts *tally) *drawn {
	c := &drawn{session: s, statement: st}
	text := st.Text()
	counts.count("statements")
	counts.count("class " + string(st.Class))
	c.whole, c.failed = s.run(t, text, nil)
	if c.failed.gone() {
		counts.count("the original: " + c.failed.code)
		if os.Getenv("ROWCAP_SHOW_REJECTED") != "" {
			fmt.Printf("GONE %s\n%s\n", c.failed.code, text)
		}
		return nil
	}
	c.countRejected(counts)
	total := 0
	for _, a := range c.whole {
		total = max(total, len(a.rows))
	}
	c.policy, c.ask = drawPolicy(t, total, !isPostgres(s))
	c.sibling = st.Sibling(t).Text()
	if c.ask.Session != nil {
		c.whole, c.failed = s.run(t, text, c.ask.Session)
	}
	return c
}

// countRejected counts a statement that should have been drawn in another way.
func (c *drawn) countRejected(counts *tally) {
	// MySQL refuses a float as a limit, which is drawn on purpose.
	float := c.values != nil && c.failed != nil && c.failed.code == "1210"
	if c.failed == nil || c.statement.Fails != sqlgen.FailsNever || c.session.late(c.failed.code) || float {
		return
	}
	counts.count("rejected")
	counts.count("rejected " + string(c.statement.Class) + ": " + c.failed.code + " " + c.failed.message)
	if os.Getenv("ROWCAP_SHOW_REJECTED") != "" {
		fmt.Printf("REJECTED %s %s\n%s\n", c.failed.code, c.failed.message, c.statement.Text())
	}
}

// fails says what is wrong with what rowcap does, "" if nothing is.
func (c *drawn) fails(counts *tally) (why string) {
	return caught(func(t fataler) { c.check(t, counts) })
}

// caught returns what f says to Fatalf.
func caught(f func(t fataler)) (why string) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case said:
			why = string(r)
		default:
			panic(r)
		}
	}()
	f(catcher{})
	return ""
}

type (
	catcher struct{}
	said    string
)

func (catcher) Fatalf(format string, args ...any) { panic(said(fmt.Sprintf(format, args...))) }

// explained adds what was planned to each message.
type explained struct {
	fataler
	what string
}

func (e explained) Fatalf(format string, args ...any) {
	e.fataler.Fatalf("%s\n%s", fmt.Sprintf(format, args...), e.what)
}

func (c *drawn) check(t fataler, counts *tally) {
	s, st, text := c.session, c.statement, c.statement.Text()
	p, err := newPlanner(s.dialect(), c.policy)
	if err != nil {
		t.Fatalf("%v", err)
	}
	script := p.parsed.Script(text, c.ask)
	t = explained{t, fmt.Sprintf("%s\nsent is\n%s\n%+v %+v %v", text, script.SQL(), c.policy, c.ask, c.values)}
	checkEdits(t, script)
	checkShape(t, p, c.sibling, text, c.ask, script, counts)
	checkAgain(t, p.parsed, script, c.ask)
	checkCap(t, st, c.policy, c.ask, script, counts)
	for _, plan := range script.Plans {
		counts.count("method " + plan.Method.String())
	}
	if refused := script.Refused(); refused != nil {
		counts.count("refused")
		if c.through {
			if _, failed := c.runThrough(t, counts); failed == nil || failed.message != refused.Message {
				t.Fatalf("%q is to be refused: %s; the door says %v", text, refused.Message, failed)
			}
		}
		return
	}
	var got []answer
	var failed *failure
	if c.through {
		got, failed = c.runThrough(t, counts)
	} else {
		got, failed = c.runSent(t, &script, counts)
	}
	if failed.gone() {
		counts.count("the rewritten text: " + failed.code)
		fmt.Printf("%s: %s\nbut not: %s\n", failed.code, script.SQL(), text)
		return
	}
	if c.checkFailure(t, script, failed) {
		c.compareAnswers(t, script, got)
	}
}

func isPostgres(s session) bool { return s.target().Dialect == sqlgen.Postgres }

// checkFailure checks that the same error came, where one came. It reports whether the
// answers before it are to be compared.
func (c *drawn) checkFailure(t fataler, script rewrite.Script, got *failure) bool {
	s, whole, edited := c.session, c.failed, len(script.Edits()) > 0 || c.replaced
	switch {
	case whole == nil && got == nil:
		return true
	case whole == nil:
		t.Fatalf("error %s %s, which the original has not", got.code, got.message)
	case got == nil:
		if !edited || c.statement.Fails == sqlgen.FailsEarly || !s.late(whole.code) {
			t.Fatalf("the error %s %s of the original is lost", whole.code, whole.message)
		}
		return false
	case whole.code != got.code:
		if edited && s.late(whole.code) && s.late(got.code) {
			return false // another row came first
		}
		t.Fatalf("error %s %s, of the original %s %s", got.code, got.message, whole.code, whole.message)
	}
	if whole.offset >= 0 || got.offset >= 0 {
		at := got.offset
		if !c.through { // the door has done that
			at = rewrite.OriginalOffset(script.Edits(), at)
		}
		if at != whole.offset {
			t.Fatalf("the error points to byte %d (%d), of the original to %d", at, got.offset, whole.offset)
		}
	}
	return !s.late(whole.code)
}
