package postgres

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// parsed hides Shape, so that each text is parsed.
type parsed struct{ rewrite.Dialect }

// TestShapePlans plans texts and siblings of them by their shape and by parsing: the
// plans and what is sent must be the same.
func TestShapePlans(t *testing.T) {
	random := rand.New(rand.NewPCG(20261130, 6))
	by, want := planners(t)
	texts := 0
	for i, sql := range append(corpus(t), shapeSeeds...) {
		key, spans, ok := shapeOf(Dialect{}, sql)
		if !ok || i%share != 0 {
			continue
		}
		for _, ask := range []rewrite.Ask{{}, {Limit: 7}} {
			for _, text := range []string{sql, sibling(Dialect{}, random, sql, key, spans), sibling(Dialect{}, random, sql, key, spans)} {
				texts++
				checkPlans(t, text, by.Script(text, ask), want.Script(text, ask))
			}
		}
	}
	t.Logf("%d texts", texts)
	if texts < 2000/share {
		t.Errorf("only %d texts", texts)
	}
}

func planners(t *testing.T) (by, want *rewrite.Rewriter) {
	t.Helper()
	by, err := rewrite.New(New(), rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	want, err = rewrite.New(parsed{New()}, rewrite.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return by, want
}

func checkPlans(t *testing.T, sql string, got, want rewrite.Script) {
	t.Helper()
	if got.SQL() != want.SQL() {
		t.Errorf("%q\nby shape sends   %q\nby parsing sends %q", sql, got.SQL(), want.SQL())
	}
	if len(got.Plans) != len(want.Plans) {
		t.Errorf("%q: %d plans by shape, %d by parsing", sql, len(got.Plans), len(want.Plans))
		return
	}
	for i := range got.Plans {
		if !reflect.DeepEqual(got.Plans[i], want.Plans[i]) {
			t.Errorf("%q\nby shape   %+v\nby parsing %+v", sql, got.Plans[i], want.Plans[i])
		}
	}
}
