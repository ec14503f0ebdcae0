package rowcap_test

import (
	"fmt"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// erroneous is a text that a server refuses, or that fails while it runs.
type erroneous struct {
	sql     string
	params  []any
	session string
	// sameCode reports that only the error's code is the server's own.
	sameCode bool
}

// errorSetup makes the tables of the erroneous texts.
const errorSetup = `CREATE TABLE parcels (n INT PRIMARY KEY, label VARCHAR(40) NOT NULL);
INSERT INTO parcels VALUES (1,'parcel 1'),(2,'parcel 2'),(3,'parcel 3'),(4,'parcel 4'),(5,'parcel 5'),(6,'parcel 6'),
(7,'parcel 7'),(8,'parcel 8'),(9,'parcel 9'),(10,'parcel 10'),(11,'parcel 11'),(12,'parcel 12');
CREATE TABLE scores (id INT PRIMARY KEY, pts INT); INSERT INTO scores VALUES (1,1),(2,2),(3,2)`

// sameErrors runs texts on a server and through a sidecar: the errors must be the
// same in every field, and so the rows before them as far as both have any.
// At least edited of them must fail in a text that rowcap has changed.
func sameErrors(t *testing.T, s *dbtest.Server, texts []erroneous, edited int) {
	database := s.Database(t)
	setUp(t, connect(t, s, s.Addr(), database), errorSetup)
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = 4, 6
	rec := &recorder{}
	addr := sidecar(t, s.Flavor, s, p, rec)
	changed := 0
	for i, e := range texts {
		for _, prepared := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/prepared=%t", i, prepared), func(t *testing.T) {
				direct, through := connect(t, s, s.Addr(), database), connect(t, s, addr, database)
				if e.session != "" { // which may end in an error itself
					direct.run(t, e.session, nil)
					through.run(t, e.session, nil)
				}
				rec.take()
				run := caseSession.run
				if prepared {
					run = caseSession.runPrepared
				}
				want, fail := run(direct, t, e.sql, e.params)
				got, same := run(through, t, e.sql, e.params)
				if fail == (failure{}) {
					t.Fatalf("%s\nis no error", e.sql)
				}
				plans, _ := rec.take()
				if len(plans) > 0 && len(plans[len(plans)-1].Edits) > 0 {
					changed++
				}
				if e.sameCode {
					same = failure{Code: same.Code}
					fail = failure{Code: fail.Code}
				}
				if same != fail {
					t.Errorf("%s\nfails with   %+v\nthe server's %+v\nplans %s", e.sql, same, fail, showPlans(plans))
				}
				if len(got) != len(want) {
					t.Fatalf("%d answers, the server gives %d", len(got), len(want))
				}
				for i := range got {
					// Under a LIMIT the server sorts first and fails at the row in question,
					// without one it may fail before the first.
					rows, own := show(got[i].Rows), show(want[i].Rows)
					if n := min(len(rows), len(own)); len(rows) > int(p.MaxLimit) || fmt.Sprint(rows[:n]) != fmt.Sprint(own[:n]) {
						t.Errorf("%s\ngives %v before the error, the server %v", e.sql, rows, own)
					}
				}
			})
		}
	}
	if changed < edited {
		t.Errorf("%d of the texts were changed, want %d at least", changed, edited)
	}
}

func showPlans(plans []rewrite.Plan) (out string) {
	for _, p := range plans {
		out += fmt.Sprintf("%s %v (%s); ", p.Method, p.Edits, p.Why)
	}
	return out
}
