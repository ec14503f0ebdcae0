package rewrite_test

import (
	"errors"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

func query(change func(*rewrite.Statement)) rewrite.Statement {
	st := rewrite.Statement{Kind: rewrite.KindSelect, ReturnsRows: true, Limitable: true}
	if change != nil {
		change(&st)
	}
	return st
}

func literal(n uint64) rewrite.Limit { return rewrite.Limit{Form: rewrite.LimitLiteral, Rows: n} }

func withLimit(l rewrite.Limit) rewrite.Statement {
	return query(func(s *rewrite.Statement) { s.Limit = l })
}

func u64(n uint64) *uint64 { return &n }

// TestCapResolution is the table of cap resolution: the statement's own limit
// against what is asked for and what the policy allows.
func TestCapResolution(t *testing.T) {
	trust := func(p *rewrite.Policy) { p.Explicit = rewrite.ExplicitTrust }
	noMax := func(p *rewrite.Policy) { p.MaxLimit = 0 }
	noDefault := func(p *rewrite.Policy) { p.DefaultLimit = 0 }
	unlimited := func(p *rewrite.Policy) { p.DefaultLimit, p.MaxLimit = 0, 0 }
	param := rewrite.Limit{Form: rewrite.LimitParam, Param: 1}
	for _, c := range []struct {
		name   string
		own    rewrite.Limit
		ask    rewrite.Ask
		policy func(*rewrite.Policy)
		rows   uint64
		source string
		wanted uint64
		method string
		text   string // what is appended
	}{
		{name: "nothing asked for", rows: 100, source: "default", method: "probe", text: " LIMIT 101"},
		{name: "asked for", ask: rewrite.Ask{Limit: 50}, rows: 50, source: "tool_param", method: "probe", text: " LIMIT 51"},
		{name: "asked for the maximum", ask: rewrite.Ask{Limit: 1000}, rows: 1000, source: "tool_param", method: "probe", text: " LIMIT 1001"},
		{name: "asked for too much", ask: rewrite.Ask{Limit: 2000}, rows: 1000, source: "capped", wanted: 2000, method: "probe", text: " LIMIT 1001"},
		{name: "own limit", own: literal(20), rows: 20, source: "user_sql", method: "own"},
		{name: "own limit, larger ask", own: literal(20), ask: rewrite.Ask{Limit: 100}, rows: 20, source: "user_sql", method: "own"},
		{name: "own limit, smaller ask", own: literal(20), ask: rewrite.Ask{Limit: 4}, rows: 4, source: "tool_param", method: "probe", text: " LIMIT 5"},
		{name: "own limit above the default", own: literal(500), rows: 500, source: "user_sql", method: "own"},
		{name: "own limit at the maximum", own: literal(1000), rows: 1000, source: "user_sql", method: "own"},
		{name: "own limit above the maximum", own: literal(5000), rows: 1000, source: "capped", wanted: 5000, method: "probe", text: " LIMIT 1001"},
		{name: "own limit of the widest number", own: literal(1<<64 - 1), rows: 1000, source: "capped", wanted: 1<<64 - 1, method: "probe", text: " LIMIT 1001"},
		{name: "own limit above the maximum, trusted", own: literal(5000), policy: trust, rows: 5000, source: "user_sql", method: "own"},
		{name: "no maximum", own: literal(5000), policy: noMax, rows: 5000, source: "user_sql", method: "own"},
		{name: "LIMIT 0", own: literal(0), rows: 0, source: "user_sql", method: "own"},
		{name: "parameter", own: param, rows: 1000, source: "capped", method: "probe", text: " LIMIT 1001"},
		{name: "parameter, trusted", own: param, policy: trust, rows: rewrite.NoLimit, source: "user_sql", method: "own"},
		{name: "parameter, no maximum", own: param, policy: noMax, rows: rewrite.NoLimit, source: "user_sql", method: "own"},
		{name: "parameter, ask", own: param, ask: rewrite.Ask{Limit: 7}, rows: 7, source: "tool_param", method: "probe", text: " LIMIT 8"},
		{name: "no default", policy: noDefault, rows: 1000, source: "capped", method: "probe", text: " LIMIT 1001"},
		{name: "no limit at all", policy: unlimited, rows: rewrite.NoLimit, source: "none", method: "pass"},
		{name: "smaller session bound", ask: rewrite.Ask{Session: u64(2)}, rows: 2, source: "session", method: "own"},
		{name: "session bound of none", ask: rewrite.Ask{Session: u64(0)}, rows: 0, source: "session", method: "own"},
		{name: "larger session bound", ask: rewrite.Ask{Session: u64(200)}, rows: 100, source: "default", method: "probe", text: " LIMIT 101"},
		{name: "session default", ask: rewrite.Ask{Default: 7}, rows: 7, source: "session", method: "probe", text: " LIMIT 8"},
		{name: "session default above the policy's", ask: rewrite.Ask{Default: 500}, rows: 500, source: "session", method: "probe", text: " LIMIT 501"},
		{name: "session default above the maximum", ask: rewrite.Ask{Default: 5000}, rows: 1000, source: "capped", method: "probe", text: " LIMIT 1001", wanted: 5000},
		{name: "session default and own limit", own: literal(20), ask: rewrite.Ask{Default: 7}, rows: 20, source: "user_sql", method: "own"},
		{name: "session default and session bound", ask: rewrite.Ask{Default: 7, Session: u64(20)}, rows: 7, source: "session", method: "probe", text: " LIMIT 8"},
		{name: "session bound and session default", ask: rewrite.Ask{Default: 20, Session: u64(7)}, rows: 7, source: "session", method: "own"},
		{name: "session bound and own limit", own: literal(20), ask: rewrite.Ask{Session: u64(2)}, rows: 20, source: "user_sql", method: "own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := rewrite.DefaultPolicy()
			if c.policy != nil {
				c.policy(&policy)
			}
			r := newRewriter(t, &fake{facts: map[string]rewrite.Statement{"q": withLimit(c.own)}}, policy)
			s := r.Script("q", c.ask)
			p := s.Plans[0]
			if p.Cap != (rewrite.Cap{Rows: c.rows, Source: p.Cap.Source, Wanted: c.wanted}) || p.Cap.Source.String() != c.source {
				t.Errorf("cap %+v, want %d %s wanted %d", p.Cap, c.rows, c.source, c.wanted)
			}
			if p.Method.String() != c.method {
				t.Errorf("method %s (%s), want %s", p.Method, p.Why, c.method)
			}
			if got := s.SQL(); got != "q"+c.text {
				t.Errorf("sends %q, want %q", got, "q"+c.text)
			}
			if capped := len(p.Warnings) == 1 && p.Warnings[0].Kind == "limit_capped"; capped != (c.wanted > 0) {
				t.Errorf("warnings %v with %d wanted", p.Warnings, c.wanted)
			}
		})
	}
}

// TestMethods is the table of statement classes.
func TestMethods(t *testing.T) {
	kind := func(k rewrite.Kind) rewrite.Statement {
		return rewrite.Statement{Kind: k, ReturnsRows: true, Obstacle: "takes no limit"}
	}
	guardOnly := rewrite.DefaultPolicy()
	guardOnly.PushDown = false
	strict := rewrite.DefaultPolicy()
	strict.Unparsed = rewrite.UnparsedRefuse
	open := rewrite.DefaultPolicy()
	open.CopyOut, open.Catalogs = rewrite.CopyPass, rewrite.CatalogsCap
	for _, c := range []struct {
		name   string
		st     rewrite.Statement
		policy rewrite.Policy
		method string
		source string
		text   string
	}{
		{"locking read", query(func(s *rewrite.Statement) { s.Locks = true }), rewrite.Policy{}, "exact", "default", " LIMIT 100"},
		{"locking read with its own limit", query(func(s *rewrite.Statement) { s.Locks, s.Limit = true, literal(5000) }), rewrite.Policy{}, "guard", "capped", ""},
		{"locking read within the cap", query(func(s *rewrite.Statement) { s.Locks, s.Limit = true, literal(5) }), rewrite.Policy{}, "own", "user_sql", ""},
		{"volatile", query(func(s *rewrite.Statement) { s.Volatile = true }), rewrite.Policy{}, "exact", "default", " LIMIT 100"},
		{"volatile with its own limit", query(func(s *rewrite.Statement) { s.Volatile, s.Limit = true, literal(5000) }), rewrite.Policy{}, "guard", "capped", ""},
		{"one row", query(func(s *rewrite.Statement) { s.AtMostOneRow = true }), rewrite.Policy{}, "pass", "default", ""},
		{"one row with a limit", query(func(s *rewrite.Statement) { s.AtMostOneRow, s.Limit = true, literal(5000) }), rewrite.Policy{}, "pass", "capped", ""},
		{"not limitable", query(func(s *rewrite.Statement) { s.Limitable, s.Obstacle = false, "reasons" }), rewrite.Policy{}, "guard", "default", ""},
		{"guard only", query(nil), guardOnly, "guard", "default", ""},
		{"own limit, guard only", withLimit(literal(5)), guardOnly, "own", "user_sql", ""},
		{"with ties", withLimit(rewrite.Limit{Form: rewrite.LimitLiteral, Rows: 2, WithTies: true}), rewrite.Policy{}, "guard", "user_sql", ""},
		{"with ties above the maximum", withLimit(rewrite.Limit{Form: rewrite.LimitLiteral, Rows: 2000, WithTies: true}), rewrite.Policy{}, "probe", "capped", " LIMIT 1001"},
		{"catalogue", query(func(s *rewrite.Statement) { s.CatalogOnly = true }), rewrite.Policy{}, "pass", "none", ""},
		{"catalogue, capped", query(func(s *rewrite.Statement) { s.CatalogOnly = true }), open, "probe", "default", " LIMIT 101"},
		{"no rows", rewrite.Statement{Kind: rewrite.KindInsert, Writes: true}, rewrite.Policy{}, "pass", "none", ""},
		{"returning", rewrite.Statement{Kind: rewrite.KindInsert, Writes: true, ReturnsRows: true, Obstacle: "writes"}, rewrite.Policy{}, "guard", "default", ""},
		{"stored", rewrite.Statement{Kind: rewrite.KindSelectInto}, rewrite.Policy{}, "pass", "none", ""},
		{"show", kind(rewrite.KindShow), rewrite.Policy{}, "guard", "default", ""},
		{"show one", rewrite.Statement{Kind: rewrite.KindShow, ReturnsRows: true, AtMostOneRow: true}, rewrite.Policy{}, "pass", "none", ""},
		{"call", kind(rewrite.KindCall), rewrite.Policy{}, "guard", "default", ""},
		{"fetch all", rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true}, rewrite.Policy{}, "exact", "default", " LIMIT 100"},
		{"fetch all, guard only", rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true}, guardOnly, "exact", "default", " LIMIT 100"},
		{"fetch too many", rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true, Limit: literal(5000)}, rewrite.Policy{}, "exact", "capped", " LIMIT 1000"},
		{"fetch few", rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true, Limit: literal(5)}, rewrite.Policy{}, "own", "user_sql", ""},
		{"copy out", rewrite.Statement{Kind: rewrite.KindCopy, ReturnsRows: true}, rewrite.Policy{}, "refuse", "none", ""},
		{"copy out, passed", rewrite.Statement{Kind: rewrite.KindCopy, ReturnsRows: true}, open, "pass", "none", ""},
		{"copy in", rewrite.Statement{Kind: rewrite.KindCopy}, rewrite.Policy{}, "pass", "none", ""},
		{"unknown", kind(rewrite.KindUnknown), rewrite.Policy{}, "guard", "default", ""},
		{"unknown, refused", kind(rewrite.KindUnknown), strict, "refuse", "none", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.policy == (rewrite.Policy{}) {
				c.policy = rewrite.DefaultPolicy()
			}
			r := newRewriter(t, &fake{facts: map[string]rewrite.Statement{"q": c.st}}, c.policy)
			s := r.Script("q", rewrite.Ask{})
			p := s.Plans[0]
			if p.Method.String() != c.method || p.Cap.Source.String() != c.source {
				t.Errorf("%s by %s (%s), want %s by %s", p.Method, p.Cap.Source, p.Why, c.method, c.source)
			}
			if got := s.SQL(); got != "q"+c.text {
				t.Errorf("sends %q, want %q", got, "q"+c.text)
			}
			if (s.Refused() != nil) != (c.method == "refuse") {
				t.Errorf("refused: %v", s.Refused())
			}
			if p.Why == "" {
				t.Error("the plan does not say why")
			}
			if p.Method == rewrite.MethodPass && p.Warnings != nil {
				t.Errorf("warns of what it does not do: %v", p.Warnings)
			}
		})
	}
}

func TestUnverifiedEditFallsToGuard(t *testing.T) {
	d := &fake{facts: map[string]rewrite.Statement{"q": query(nil)}, fails: errors.New("read back another statement")}
	p := newRewriter(t, d, rewrite.DefaultPolicy()).Script("q", rewrite.Ask{}).Plans[0]
	if p.Method != rewrite.MethodGuard || p.Why != "read back another statement" || p.Statement.Obstacle != p.Why || p.Edits != nil {
		t.Errorf("got %+v", p)
	}
}

func TestScriptPlansEachStatement(t *testing.T) {
	d := &fake{facts: map[string]rewrite.Statement{"a": query(nil), "b": {Kind: rewrite.KindInsert}, "c": withLimit(literal(9000))}}
	s := newRewriter(t, d, rewrite.DefaultPolicy()).Script("a;b;c;", rewrite.Ask{})
	if got, want := s.SQL(), "a LIMIT 101;b;c LIMIT 1001;"; got != want {
		t.Errorf("sends %q, want %q", got, want)
	}
	for sent, own := range map[int]int{0: 0, 1: 1, 5: 1, 11: 1, 12: 2, 15: 5, 16: 5, 26: 5, 27: 6} {
		if got := rewrite.OriginalOffset(s.Edits(), sent); got != own {
			t.Errorf("byte %d of %q stands at %d in the caller's text, want %d", sent, s.SQL(), got, own)
		}
	}
}

func TestUnreadTextIsGuardedWhole(t *testing.T) {
	s := newRewriter(t, &fake{}, rewrite.DefaultPolicy()).Script("garbage", rewrite.Ask{})
	if s.Err == nil || len(s.Plans) != 1 || s.Plans[0].Method != rewrite.MethodGuard || s.SQL() != "garbage" {
		t.Errorf("got %+v", s)
	}
}

func TestGuardHoldsWhateverThePolicyRefuses(t *testing.T) {
	policy := rewrite.DefaultPolicy()
	policy.Unparsed = rewrite.UnparsedRefuse
	if p := newRewriter(t, &fake{}, policy).Guard("no statement"); p.Method != rewrite.MethodGuard || p.Cap.Rows != 100 {
		t.Errorf("got %+v", p)
	}
}

// TestBound settles limits that are parameters.
func TestBound(t *testing.T) {
	atBind := rewrite.Limit{Form: rewrite.LimitParam, Param: 2, AtBind: true}
	locking := query(func(s *rewrite.Statement) { s.Limit, s.Locks = atBind, true })
	d := &fake{facts: map[string]rewrite.Statement{"q": withLimit(atBind), "l": locking}}
	r := newRewriter(t, d, rewrite.DefaultPolicy())
	for _, c := range []struct {
		sql    string
		value  uint64
		ok     bool
		send   uint64
		source string
		method string
		wanted uint64
	}{
		{"q", 20, true, 20, "user_sql", "own", 0},
		{"q", 0, true, 0, "user_sql", "own", 0},
		{"q", 1000, true, 1000, "user_sql", "own", 0},
		{"q", 1001, true, 1001, "capped", "probe", 1001},
		{"q", 1 << 63, true, 1001, "capped", "probe", 1 << 63},
		{"q", 0, false, 1001, "capped", "probe", 0},
		{"l", 5000, true, 1000, "capped", "exact", 5000},
	} {
		s := r.Script(c.sql, rewrite.Ask{})
		if s.Plans[0].Bind != 2 || s.SQL() != c.sql {
			t.Fatalf("%s: %+v", c.sql, s)
		}
		p, send := s.Plans[0].Bound(c.value, c.ok)
		if send != c.send || p.Cap.Source.String() != c.source || p.Method.String() != c.method || p.Cap.Wanted != c.wanted {
			t.Errorf("%s bound to %d (%t): sends %d, %s by %s, wanted %d", c.sql, c.value, c.ok, send, p.Method, p.Cap.Source, p.Cap.Wanted)
		}
	}
}

func newRewriter(t *testing.T, d rewrite.Dialect, p rewrite.Policy) *rewrite.Rewriter {
	t.Helper()
	r, err := rewrite.New(d, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
