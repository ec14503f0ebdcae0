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
	if st.Class == sqlgen.ClassInto && !isPostgres(s) {
		for i := range got {
			if !reflect.DeepEqual(got[i].rows, whole[i].rows) {
				t.Fatalf("what was stored is %q, by the original %q", got, whole)
			}
			got[i].columns = whole[i].columns // a variable's type is what was in it before
		}
	}
	if c.through {
		c.executed(t, plans)
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
		if c.through {
			guarded := rewrite.Cap{Rows: rewrite.NoLimit}
			if len(parts) > 1 {
				guarded.Rows = c.policy.DefaultLimit
			}
			checkDelivered(t, part, p, guarded, got[i], whole[i], reference)
		} else {
			checkAnswer(t, part, p, got[i], whole[i], reference)
		}
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

// executed gives each EXECUTE the plan that a door gives it, which knows what was prepared.
func (c *drawn) executed(t fataler, plans []rewrite.Plan) {
	r, err := rewrite.New(c.session.dialect(), c.policy)
	if err != nil {
		t.Fatalf("%v", err)
	}
	prepared := map[string]rewrite.Statement{}
	for i, p := range plans {
		if st := p.Statement; st.Inner != nil {
			prepared[st.Prepared] = *st.Inner
		} else if inner, ok := prepared[st.Prepared]; ok && st.Kind == rewrite.KindExecute {
			plans[i] = r.Executed(st, inner)
		}
	}
}
