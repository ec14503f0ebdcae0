package pgwire

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

func kinds(q *queue) string {
	out := ""
	for _, e := range q.items[q.head:] {
		out += string("0QFPBDECSRc"[e.kind])
	}
	return out
}

func fill(expectations ...expectation) *queue {
	q := &queue{}
	for _, k := range expectations {
		q.push(&expected{kind: k})
	}
	return q
}

func TestQueueTakesCopy(t *testing.T) {
	q := fill(expectExecute, expectSync, expectSync, expectCopyEnd, expectSync, expectQuery)
	if syncs, ended := q.takeCopy(); syncs != 2 || !ended || q.len() != 3 || q.ends != 2 {
		t.Errorf("%d Syncs, %t, left %s, %d ends", syncs, ended, kinds(q), q.ends)
	}
	q = fill(expectExecute, expectSync, expectSync)
	if syncs, ended := q.takeCopy(); syncs != 2 || ended || q.len() != 1 || q.ends != 0 {
		t.Errorf("%d Syncs, %t, left %s, %d ends", syncs, ended, kinds(q), q.ends)
	}
}

func TestQueueSkips(t *testing.T) {
	q := fill(expectBind, expectExecute, expectQuery, expectRefusal, expectCopyEnd, expectSync, expectParse)
	if !q.skipToSync() || q.front().kind != expectSync || q.ends != 1 || q.refusals != 0 {
		t.Errorf("left %s, %d ends", kinds(q), q.ends)
	}
	q = fill(expectBind, expectCopyEnd)
	if q.skipToSync() || q.front() != nil || q.len() != 0 {
		t.Errorf("left %s", kinds(q))
	}
}

// TestQueueKeepsOrder pushes and pops at random distances, beyond what the
// slice is compacted at.
func TestQueueKeepsOrder(t *testing.T) {
	q := &queue{}
	in, out := 0, 0
	for round := range 200 {
		for range 97 * (round % 5) {
			q.push(&expected{kind: expectParse, name: fmt.Sprint(in)})
			in++
		}
		for range 150 {
			if e := q.front(); e != nil {
				if e.name != fmt.Sprint(out) {
					t.Fatalf("got %s, want %d", e.name, out)
				}
				q.pop()
				out++
			}
		}
	}
	if q.len() != in-out {
		t.Errorf("%d left, want %d", q.len(), in-out)
	}
}

func TestPortalAsks(t *testing.T) {
	plan := func(m rewrite.Method, k rewrite.Kind, writes bool) rewrite.Plan {
		return rewrite.Plan{Method: m, Cap: rewrite.Cap{Rows: 5, Source: rewrite.SourceDefault},
			Statement: rewrite.Statement{Kind: k, ReturnsRows: true, Writes: writes}}
	}
	for _, c := range []struct {
		name        string
		plan        rewrite.Plan
		asked, sent []uint32
	}{
		{"pass", rewrite.Plan{Cap: rewrite.Cap{Rows: 5, Source: rewrite.SourceDefault}}, []uint32{0, 9}, []uint32{0, 9}},
		{"own", plan(rewrite.MethodOwn, rewrite.KindSelect, false), []uint32{0, 9}, []uint32{0, 9}},
		{"probe, all", plan(rewrite.MethodProbe, rewrite.KindSelect, false), []uint32{0}, []uint32{0}},
		{"probe, pages", plan(rewrite.MethodProbe, rewrite.KindSelect, false), []uint32{2, 2, 2, 2}, []uint32{2, 2, 2, 1}},
		{"probe, just the cap", plan(rewrite.MethodProbe, rewrite.KindSelect, false), []uint32{5}, []uint32{6}},
		{"exact, above", plan(rewrite.MethodExact, rewrite.KindSelect, false), []uint32{9}, []uint32{6}},
		{"guard, all", plan(rewrite.MethodGuard, rewrite.KindShow, false), []uint32{0, 0}, []uint32{6, 1}},
		{"guard of a write", plan(rewrite.MethodGuard, rewrite.KindInsert, true), []uint32{2, 0, 9}, []uint32{2, 0, 0}},
		{"guard of a SELECT that writes", plan(rewrite.MethodGuard, rewrite.KindSelect, true), []uint32{0}, []uint32{0}},
		{"guard of what is not known", plan(rewrite.MethodGuard, rewrite.KindUnknown, false), []uint32{4, 4}, []uint32{4, 0}},
	} {
		p := &portal{}
		p.bind(&statement{plan: c.plan})
		var sent []uint32
		for _, n := range c.asked {
			s := p.ask(n)
			p.coming += rowsOf(s)
			sent = append(sent, s)
		}
		if !slices.Equal(sent, c.sent) {
			t.Errorf("%s: asked %v, sent %v, want %v", c.name, c.asked, sent, c.sent)
		}
	}
}

func TestRecount(t *testing.T) {
	for tag, want := range map[string]string{
		"SELECT 6": "SELECT 5", "FETCH 6": "FETCH 5", "INSERT 0 6": "INSERT 0 6", "DELETE 6": "DELETE 6",
		"COPY 6": "COPY 6", "SHOW": "SHOW", "SELECT x": "SELECT x", "CREATE TABLE": "CREATE TABLE",
	} {
		if got, _ := recount(tag, 5, rewrite.KindSelect); got != want {
			t.Errorf("%s: %s, want %s", tag, got, want)
		}
	}
}

func TestCharacterEdits(t *testing.T) {
	text := "SELECT 'äö' LIMIT 9; SELECT '€' "
	edits := []rewrite.Edit{{Start: 20, End: 21, Text: "'é'"}, {Start: 35, End: 35, Text: "LIMIT 6"}}
	want := []rewrite.Edit{{Start: 18, End: 19, Text: "xxx"}, {Start: 31, End: 31, Text: "xxxxxxx"}}
	if got := characterEdits(text, edits, true); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := characterEdits(text, edits, false); !slices.Equal(got, edits) {
		t.Errorf("got %v, want %v", got, edits)
	}
}

func TestTablesForget(t *testing.T) {
	var tables tables
	tables.clear()
	for i := range statementLimit + 10 {
		tables.remember(fmt.Sprint(i), &statement{})
	}
	if n := len(tables.statements); n > statementLimit || n < statementLimit/2 {
		t.Errorf("%d statements are remembered", n)
	}
	if tables.statements[fmt.Sprint(statementLimit+9)] == nil {
		t.Error("the last statement is forgotten")
	}
}
