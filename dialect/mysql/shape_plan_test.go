package mysql

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/rowcap/rowcap/rewrite"
)

// byParsing hides Shape, so that each text is parsed.
type byParsing struct{ rewrite.Dialect }

// TestShapePlans plans texts and siblings of them by their shape and by parsing: the
// plans and what is sent must be the same.
func TestShapePlans(t *testing.T) {
	random := rand.New(rand.NewPCG(20261130, 9))
	texts := append(forms(t), longCTE)
	texts = append(texts, wrapped(texts)...)
	for _, dialect := range []rewrite.Dialect{New(), NewMariaDB()} {
		shaped, err := rewrite.New(dialect, rewrite.DefaultPolicy())
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := rewrite.New(byParsing{dialect}, rewrite.DefaultPolicy())
		if err != nil {
			t.Fatal(err)
		}
		planned := 0
		for _, text := range texts {
			shape, ok := takeApart(t, sessionDialect(dialect), text)
			if !ok {
				continue
			}
			for range 3 {
				sql := shape.sibling(sessionDialect(dialect), random)
				for _, ask := range []rewrite.Ask{{}, {Limit: 7}} {
					planned++
					got, want := shaped.Script(sql, ask), parsed.Script(sql, ask)
					if got.SQL() != want.SQL() || !reflect.DeepEqual(got.Plans, want.Plans) {
						t.Errorf("%q\nby shape sends   %q\nby parsing sends %q\n%+v\n%+v", sql, got.SQL(), want.SQL(), got.Plans, want.Plans)
					}
				}
			}
		}
		if planned < 1000 {
			t.Errorf("only %d texts were planned", planned)
		}
	}
}

func sessionDialect(d rewrite.Dialect) dialect { return d.(dialect) }
