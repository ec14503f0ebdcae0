package rewrite_test

import (
	"encoding/json"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// answered feeds a meter of p with rows and returns the outcome.
func answered(p rewrite.Plan, sent int) (delivered int, o rewrite.Outcome) {
	m := p.Meter()
	for range sent {
		if m.Row() == rewrite.Deliver {
			delivered++
		}
	}
	return delivered, m.Outcome()
}

// TestOverflow is the table of what the overflow policy error does to each class of
// statement when the server sends more rows than the cap.
func TestOverflow(t *testing.T) {
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit, policy.MaxLimit = 3, 5
	policy.Overflow, policy.CopyOut = rewrite.OverflowError, rewrite.CopyCap
	effects := func(s *rewrite.Statement) { s.Volatile = true }
	for _, c := range []struct {
		name   string
		st     rewrite.Statement
		method string
		strict bool
	}{
		{"query", query(nil), "probe", true},
		{"clamped limit", withLimit(literal(50)), "probe", true},
		{"own limit", withLimit(literal(2)), "own", false},
		{"not limitable", query(func(s *rewrite.Statement) { s.Limitable = false }), "guard", true},
		{"locking read", query(func(s *rewrite.Statement) { s.Locks = true }), "probe", true},
		{"effects", query(effects), "probe", true},
		{"one row", query(func(s *rewrite.Statement) { s.AtMostOneRow = true }), "pass", false},
		{"catalogue", query(func(s *rewrite.Statement) { s.CatalogOnly = true }), "pass", false},
		{"query that writes", query(func(s *rewrite.Statement) { s.Writes = true }), "probe", false},
		{"returning", rewrite.Statement{Kind: rewrite.KindDelete, Writes: true, ReturnsRows: true}, "guard", false},
		{"fetch", rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true}, "exact", false},
		{"execute", rewrite.Statement{Kind: rewrite.KindExecute, ReturnsRows: true}, "guard", true},
		{"copy", rewrite.Statement{Kind: rewrite.KindCopy, ReturnsRows: true}, "guard", true},
		{"unknown", rewrite.Statement{Kind: rewrite.KindUnknown, ReturnsRows: true}, "guard", true},
	} {
		r := newRewriter(t, &fake{facts: map[string]rewrite.Statement{"q": c.st}}, policy)
		p := r.Script("q", rewrite.Ask{}).Plans[0]
		if p.Method.String() != c.method || p.Strict != c.strict {
			t.Errorf("%s: %s, strict %t, want %s, %t", c.name, p.Method, p.Strict, c.method, c.strict)
		}
		_, o := answered(p, 9)
		if err := r.Overflow(o); (err != nil) != c.strict {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, whole := answered(p, 2); r.Overflow(whole) != nil {
			t.Errorf("%s: an error for a whole answer", c.name)
		}
		o.Plan.Statement.Writes = true
		if r.Overflow(o) != nil {
			t.Errorf("%s: an error after a write", c.name)
		}
	}
	r := newRewriter(t, &fake{facts: map[string]rewrite.Statement{"q": withLimit(literal(50))}}, policy)
	_, o := answered(r.Script("q", rewrite.Ask{}).Plans[0], 6)
	want := rewrite.ExceededError{
		Message: "the result has more rows than it may: cap 5 from the maximum limit; 50 rows were asked for; at least 6 rows were found",
		Detail:  "the 5 rows before this error are not the whole result",
		Hint:    "read on with LIMIT and OFFSET, narrow the WHERE clause, or aggregate",
	}
	if err := r.Overflow(o); err == nil || *err != want {
		t.Errorf("got %+v", err)
	}
	if p := r.Guard("reasons"); !p.Strict {
		t.Error("a guard is not strict")
	}
}

// TestObserve holds that a policy that only observes changes and refuses nothing, and
// tells what would have been.
func TestObserve(t *testing.T) {
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit, policy.MaxLimit = 3, 5
	policy.Unparsed, policy.Overflow, policy.Observe = rewrite.UnparsedRefuse, rewrite.OverflowError, true
	facts := map[string]rewrite.Statement{"q": query(nil), "big": withLimit(literal(50)), "own": withLimit(literal(2)),
		"ties":    withLimit(rewrite.Limit{Form: rewrite.LimitLiteral, Rows: 2, WithTies: true}),
		"writes":  {Kind: rewrite.KindUpdate, Writes: true, ReturnsRows: true},
		"copy":    {Kind: rewrite.KindCopy, ReturnsRows: true},
		"unknown": {Kind: rewrite.KindUnknown, ReturnsRows: true}}
	r := newRewriter(t, &fake{facts: facts}, policy)
	for _, c := range []struct {
		sql  string
		sent int
		json string
	}{
		{"q", 3, `{"completeness":"complete","rows":3,"limit":3,"limitSource":"default","method":"probe"}`},
		{"q", 9, `{"completeness":"complete","rows":9,"limit":3,"limitSource":"default","method":"probe","beyond":6}`},
		{"big", 50, `{"completeness":"complete","rows":50,"limit":5,"limitSource":"capped","wanted":50,"method":"probe","beyond":45}`},
		{"own", 2, `{"completeness":"complete","rows":2,"limit":2,"limitSource":"user_sql","method":"own"}`},
		{"ties", 6, `{"completeness":"complete","rows":6,"limit":5,"limitSource":"user_sql","method":"guard","beyond":1}`},
		{"writes", 4, `{"completeness":"complete","rows":4,"limit":3,"limitSource":"default","method":"guard","beyond":1}`},
		{"copy", 9, `{"completeness":"complete","rows":9,"limit":null,"limitSource":"none","method":"refuse"}`},
		{"unknown", 9, `{"completeness":"complete","rows":9,"limit":null,"limitSource":"none","method":"refuse"}`},
		{"garbage", 9, `{"completeness":"complete","rows":9,"limit":null,"limitSource":"none","method":"refuse"}`},
	} {
		s := r.Script(c.sql, rewrite.Ask{})
		p := s.Plans[0]
		if s.SQL() != c.sql || s.Refused() != nil || p.Metered() || p.Strict || !p.Observed {
			t.Errorf("%s: %+v", c.sql, p)
		}
		delivered, o := answered(p, c.sent)
		if got, _ := json.Marshal(o); delivered != c.sent || string(got) != c.json {
			t.Errorf("%s: %d of %d rows, %s, want %s", c.sql, delivered, c.sent, got, c.json)
		}
		if n, ok := r.Notice(o); ok {
			t.Errorf("%s: the notice %+v", c.sql, n)
		}
	}
}

// TestExecuted is what becomes of an EXECUTE when the statement is known that it names.
func TestExecuted(t *testing.T) {
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit, policy.MaxLimit = 3, 5
	r := newRewriter(t, &fake{}, policy)
	execute := rewrite.Statement{Kind: rewrite.KindExecute, ReturnsRows: true, Prepared: "p", Text: "EXECUTE p", Pos: 7}
	for _, c := range []struct {
		name     string
		prepared rewrite.Statement
		method   string
		rows     uint64
		source   string
	}{
		{"query", query(nil), "guard", 3, "default"},
		{"own limit", withLimit(literal(4)), "own", 4, "user_sql"},
		{"larger limit", withLimit(literal(9)), "guard", 5, "capped"},
		{"catalogue", query(func(s *rewrite.Statement) { s.CatalogOnly = true }), "pass", 0, "none"},
		{"one row", query(func(s *rewrite.Statement) { s.AtMostOneRow = true }), "pass", 0, "none"},
		{"insert", rewrite.Statement{Kind: rewrite.KindInsert, Writes: true}, "pass", 0, "none"},
		{"returning", rewrite.Statement{Kind: rewrite.KindInsert, Writes: true, ReturnsRows: true}, "guard", 3, "default"},
	} {
		p := r.Executed(execute, c.prepared)
		if p.Method.String() != c.method || p.Cap.Rows != c.rows || p.Cap.Source.String() != c.source || len(p.Edits) > 0 {
			t.Errorf("%s: %s, cap %+v", c.name, p.Method, p.Cap)
		}
		if st := p.Statement; st.Kind != rewrite.KindExecute || st.Prepared != "p" || st.Pos != 7 || st.Writes != c.prepared.Writes {
			t.Errorf("%s: %+v", c.name, st)
		}
	}
}

// TestUnread is a text that must not be read: the policy for unread texts holds.
func TestUnread(t *testing.T) {
	policy := rewrite.DefaultPolicy()
	s := newRewriter(t, &fake{}, policy).Unread("q", "reasons")
	if p := s.Plans[0]; s.SQL() != "q" || s.Err == nil || p.Method != rewrite.MethodGuard || p.Cap.Rows != 100 || p.Why != "reasons" {
		t.Errorf("%+v", s)
	}
	policy.Unparsed = rewrite.UnparsedRefuse
	if no := newRewriter(t, &fake{}, policy).Unread("q", "reasons").Refused(); no == nil || no.Message != "the statement is refused because it cannot be read: reasons" {
		t.Errorf("%v", no)
	}
}
