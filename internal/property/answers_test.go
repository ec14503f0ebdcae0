package property

import (
	"reflect"

	"github.com/rowcap/rowcap/internal/sqlgen"
	"github.com/rowcap/rowcap/rewrite"
)

// compareAnswers compares the answers to all statements of a text.
// Of a bounded session, whole is not all rows either.
func (c *drawn) compareAnswers(t fataler, script rewrite.Script, got []answer) {
	s, st, whole, bounded := c.session, c.statement, c.whole, c.ask.Session != nil
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
	if st.Class == sqlgen.ClassInto && !isPostgres(s) && !reflect.DeepEqual(got, whole) {
		t.Fatalf("what was stored is %q, by the original %q", got, whole)
	}
	for i, p := range plans {
		part := sqlgen.Statement{Settled: false}
		if len(plans) == len(parts) && len(script.Plans) == len(parts) && isPostgres(s) || len(parts) == 1 && len(plans) == 1 {
			part = parts[i]
		}
		if len(parts) > 1 && part.Bounded() {
			part.Settled = false // it is not run without its limit, as others stand before it
		}
		var reference *answer // also of the same text: of rows that its order does not tell apart others may come
		if len(parts) == 1 && part.Settled && (len(p.Edits) > 0 || bounded || c.replaced || part.Bounded()) {
			if all, failed := c.run(t, part.WithoutLimit(), part.WithoutLimit().Text(), nil); failed == nil && len(all) == 1 {
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
