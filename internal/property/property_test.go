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

func TestPostgres(t *testing.T) { check(t, budget, openPostgres(t, dbtest.Postgres(t))) }

func TestPostgres16(t *testing.T) { checkPostgres(t, 16, budget/3) }

func TestPostgres17(t *testing.T) { checkPostgres(t, 17, budget/3) }

func TestPostgres18(t *testing.T) { checkPostgres(t, 18, budget) }

func checkPostgres(t *testing.T, major int, budget time.Duration) {
	check(t, budget, openPostgres(t, dbtest.PostgresVersion(t, major)))
}

func TestMariaDB(t *testing.T) { check(t, budget, openMySQL(t, dbtest.StartMariaDB(t))...) }

func TestMySQL(t *testing.T) { check(t, budget, openMySQL(t, dbtest.StartMySQL(t))...) }

// check draws statements for the sessions and holds what rowcap does with them against
// what the server says.
func check(t *testing.T, budget time.Duration, sessions ...session) {
	var counts tally
	generators := make([]*rapid.Generator[sqlgen.Statement], len(sessions))
	for i, s := range sessions {
		generators[i] = sqlgen.Statements(s.target())
	}
	var last *drawn // that failed
	defer func() {
		t.Logf("\n%s", &counts)
		if last != nil {
			t.Logf("reduced:\n%s", last.reduce())
		}
	}()
	deadline := time.Now().Add(budget)
	rapid.Check(t, func(t *rapid.T) {
		if time.Now().After(deadline) {
			return
		}
		s := rapid.IntRange(0, len(sessions)-1).Draw(t, "session")
		c := draw(t, sessions[s], generators[s].Draw(t, "statement"), &counts)
		if c == nil {
			return
		}
		if why := c.fails(&counts); why != "" {
			last = c
			t.Fatal(why)
		}
	})
	rejected, all := counts.counts["rejected"], counts.counts["statements"]
	if all > 100 && rejected*10 > all {
		t.Errorf("the server rejects %d of %d statements: the generator is to be mended", rejected, all)
	}
	if hits := counts.counts["planned by the shape"]; hits*3 < all {
		t.Errorf("only %d of %d statements were planned by their shape", hits, all)
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
	if c.failed != nil && st.Fails == sqlgen.FailsNever && !s.late(c.failed.code) {
		counts.count("rejected")
		counts.count("rejected " + string(st.Class) + ": " + c.failed.code + " " + c.failed.message)
		if os.Getenv("ROWCAP_SHOW_REJECTED") != "" {
			fmt.Printf("REJECTED %s %s\n%s\n", c.failed.code, c.failed.message, text)
		}
	}
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
	t = explained{t, fmt.Sprintf("%s\nsent is\n%s\n%+v %+v", text, script.SQL(), c.policy, c.ask)}
	checkEdits(t, script)
	checkShape(t, p, c.sibling, text, c.ask, script, counts)
	checkAgain(t, p.parsed, script, c.ask)
	checkCap(t, st, c.policy, c.ask, script, counts)
	for _, plan := range script.Plans {
		counts.count("method " + plan.Method.String())
	}
	if script.Refused() != nil {
		counts.count("refused")
		return
	}
	got, failed := s.run(t, script.SQL(), c.ask.Session)
	if failed.gone() {
		counts.count("the rewritten text: " + failed.code)
		fmt.Printf("%s: %s\nbut not: %s\n", failed.code, script.SQL(), text)
		return
	}
	if checkFailure(t, s, st, script, c.failed, failed) {
		compareAnswers(t, s, st, script, got, c.whole, c.ask.Session != nil)
	}
}

func isPostgres(s session) bool { return s.target().Dialect == sqlgen.Postgres }

// checkFailure checks that the same error came, where one came. It reports whether the
// answers before it are to be compared.
func checkFailure(t fataler, s session, st sqlgen.Statement, script rewrite.Script, whole, got *failure) bool {
	edited := len(script.Edits()) > 0
	switch {
	case whole == nil && got == nil:
		return true
	case whole == nil:
		t.Fatalf("error %s %s, which the original has not", got.code, got.message)
	case got == nil:
		if !edited || st.Fails == sqlgen.FailsEarly || !s.late(whole.code) {
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
		if at := rewrite.OriginalOffset(script.Edits(), got.offset); at != whole.offset {
			t.Fatalf("the error points to byte %d (%d), of the original to %d", at, got.offset, whole.offset)
		}
	}
	return !s.late(whole.code)
}

// compareAnswers compares the answers to all statements of a text.
// Of a bounded session, whole is not all rows either.
func compareAnswers(t fataler, s session, st sqlgen.Statement, script rewrite.Script, got, whole []answer, bounded bool) {
	if len(got) != len(whole) {
		t.Fatalf("%d answers, to the original %d", len(got), len(whole))
	}
	parts := st.Parts
	if len(parts) == 0 {
		parts = []sqlgen.Statement{st}
	}
	plans := plansOf(s, script, len(got))
	if plans == nil {
		return
	}
	for i, p := range plans {
		part := sqlgen.Statement{Settled: false}
		if len(plans) == len(parts) && len(script.Plans) == len(parts) && isPostgres(s) || len(parts) == 1 && len(plans) == 1 {
			part = parts[i]
		}
		if len(parts) > 1 && part.Bounded() {
			part.Settled = false // it is not run without its limit, as others stand before it
		}
		var reference *answer
		if len(parts) == 1 && part.Settled && (len(p.Edits) > 0 || bounded) {
			if all, failed := s.run(t, part.WithoutLimit().Text(), nil); failed == nil && len(all) == 1 {
				reference = &all[0]
			} else {
				part.Settled = false
			}
		}
		checkAnswer(t, part, p, got[i], whole[i], reference)
	}
}

// plansOf returns the plan of each answer. PostgreSQL answers each statement; of the
// others' answers only those with rows are seen.
func plansOf(s session, script rewrite.Script, answers int) []rewrite.Plan {
	var plans []rewrite.Plan
	for _, p := range script.Plans {
		if isPostgres(s) || p.Statement.ReturnsRows {
			plans = append(plans, p)
		}
	}
	for len(plans) == 1 && len(plans) < answers { // a procedure, or a text that was not read
		plans = append(plans, plans[0])
		if len(plans) == answers {
			return plans
		}
	}
	if len(plans) < answers {
		return nil
	}
	return plans[:answers]
}
