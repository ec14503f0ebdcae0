package rewrite_test

import (
	"encoding/json"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// TestOutcomes feeds a meter with rows as a server would send them and reads what
// is told at the end.
func TestOutcomes(t *testing.T) {
	locks := query(func(s *rewrite.Statement) { s.Locks = true })
	writes := rewrite.Statement{Kind: rewrite.KindUpdate, ReturnsRows: true, Writes: true, Obstacle: "the statement writes"}
	ties := withLimit(rewrite.Limit{Form: rewrite.LimitLiteral, Rows: 2, WithTies: true})
	cut := query(func(s *rewrite.Statement) { s.CutByServer, s.Limitable = true, false })
	fetch := rewrite.Statement{Kind: rewrite.KindFetch, ReturnsRows: true, Limitable: true}
	d := &fake{facts: map[string]rewrite.Statement{"q": query(nil), "own": withLimit(literal(2)), "big": withLimit(literal(50)),
		"locks": locks, "writes": writes, "ties": ties, "cut": cut, "fetch": fetch,
		"pass": {Kind: rewrite.KindSelect, ReturnsRows: true, CatalogOnly: true}}}
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit, policy.MaxLimit = 3, 5
	r := newRewriter(t, d, policy)
	for _, c := range []struct {
		sql     string
		ask     uint64
		sent    int // rows that the server sends
		rows    uint64
		json    string
		message string
		detail  string
		hint    string
	}{
		{sql: "q", sent: 2, rows: 2, json: `{"completeness":"complete","rows":2,"limit":3,"limitSource":"default","method":"probe"}`},
		{sql: "q", sent: 3, rows: 3, json: `{"completeness":"complete","rows":3,"limit":3,"limitSource":"default","method":"probe"}`},
		{sql: "q", sent: 4, rows: 3, json: `{"completeness":"truncated","rows":3,"limit":3,"limitSource":"default","method":"probe"}`,
			message: "showing the first 3 rows; more rows exist", detail: "cap 3 from the default limit",
			hint: "add a LIMIT up to 5, narrow the WHERE clause, or aggregate"},
		{sql: "q", ask: 1, sent: 2, rows: 1, json: `{"completeness":"truncated","rows":1,"limit":1,"limitSource":"tool_param","method":"probe"}`,
			message: "showing the first 1 row; more rows exist", detail: "cap 1 from the limit given with the request",
			hint: "ask for up to 5 rows, narrow the WHERE clause, or aggregate"},
		{sql: "big", sent: 5, rows: 5, json: `{"completeness":"complete","rows":5,"limit":5,"limitSource":"capped","wanted":50,"method":"probe"}`},
		{sql: "big", sent: 6, rows: 5, json: `{"completeness":"truncated","rows":5,"limit":5,"limitSource":"capped","wanted":50,"method":"probe"}`,
			message: "showing the first 5 rows; more rows exist", detail: "cap 5 from the maximum limit; 50 rows were asked for",
			hint: "read on with LIMIT and OFFSET, narrow the WHERE clause, or aggregate"},
		{sql: "own", sent: 2, rows: 2, json: `{"completeness":"complete","rows":2,"limit":2,"limitSource":"user_sql","method":"own"}`},
		{sql: "locks", sent: 2, rows: 2, json: `{"completeness":"complete","rows":2,"limit":3,"limitSource":"default","method":"exact"}`},
		{sql: "locks", sent: 3, rows: 3, json: `{"completeness":"unknown","rows":3,"limit":3,"limitSource":"default","method":"exact"}`,
			message: "showing 3 rows, as many as the cap allows; more rows may exist", detail: "cap 3 from the default limit",
			hint: "add a LIMIT up to 5, narrow the WHERE clause, or aggregate"},
		{sql: "writes", sent: 900, rows: 3, json: `{"completeness":"truncated","rows":3,"limit":3,"limitSource":"default","method":"guard"}`,
			message: "showing the first 3 rows; more rows exist",
			detail:  "cap 3 from the default limit; the statement ran to its end and all its changes were made",
			hint:    "do not run the statement again; read the changed rows with a SELECT"},
		{sql: "ties", sent: 4, rows: 4, json: `{"completeness":"complete","rows":4,"limit":5,"limitSource":"user_sql","method":"guard"}`},
		{sql: "ties", sent: 6, rows: 5, json: `{"completeness":"truncated","rows":5,"limit":5,"limitSource":"capped","method":"guard"}`,
			message: "showing the first 5 rows; more rows exist", detail: "cap 5 from the maximum limit",
			hint: "read on with LIMIT and OFFSET, narrow the WHERE clause, or aggregate"},
		{sql: "cut", sent: 1, rows: 1, json: `{"completeness":"unknown","rows":1,"limit":3,"limitSource":"default","method":"guard"}`,
			message: "showing 1 row; the server may have stopped early by the statement's own clause", detail: "cap 3 from the default limit",
			hint: "raise or remove the clause that stops the server early"},
		{sql: "fetch", sent: 3, rows: 3, json: `{"completeness":"unknown","rows":3,"limit":3,"limitSource":"default","method":"exact"}`,
			message: "showing 3 rows, as many as the cap allows; more rows may exist", detail: "cap 3 from the default limit",
			hint: "fetch again to read on"},
		{sql: "pass", sent: 900, rows: 900, json: `{"completeness":"complete","rows":900,"limit":null,"limitSource":"none","method":"pass"}`},
	} {
		m := r.Script(c.sql, rewrite.Ask{Limit: c.ask}).Plans[0].Meter()
		delivered := uint64(0)
		for range c.sent {
			if m.Row() == rewrite.Deliver {
				delivered++
			}
		}
		o := m.Outcome()
		if delivered != c.rows || o.Rows != c.rows || m.Delivered() != c.rows {
			t.Errorf("%s, %d sent: %d delivered, %d told, want %d", c.sql, c.sent, delivered, o.Rows, c.rows)
		}
		if got, err := json.Marshal(o); err != nil || string(got) != c.json {
			t.Errorf("%s, %d sent: %s %v, want %s", c.sql, c.sent, got, err, c.json)
		}
		n, ok := r.Notice(o)
		if ok != (c.message != "") || n != (rewrite.Notice{Message: c.message, Detail: c.detail, Hint: c.hint}) {
			t.Errorf("%s, %d sent: notice %t %+v", c.sql, c.sent, ok, n)
		}
	}
}

func TestMeterVerdicts(t *testing.T) {
	d := &fake{facts: map[string]rewrite.Statement{"probe": query(nil), "guard": {Kind: rewrite.KindShow, ReturnsRows: true}}}
	policy := rewrite.DefaultPolicy()
	policy.DefaultLimit = 1
	r := newRewriter(t, d, policy)
	for sql, want := range map[string][]rewrite.Verdict{
		"probe": {rewrite.Deliver, rewrite.Hold, rewrite.Stop},
		"guard": {rewrite.Deliver, rewrite.Stop, rewrite.Stop},
	} {
		m := r.Script(sql, rewrite.Ask{}).Plans[0].Meter()
		for i, w := range want {
			if got := m.Row(); got != w {
				t.Errorf("%s: row %d gets verdict %d, want %d", sql, i+1, got, w)
			}
		}
	}
}
