package query

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// TestRun runs a script that writes, and then one that is given up.
func TestRun(t *testing.T) {
	eachServer(t, func(t *testing.T, s *dbtest.Server, db string) {
		source := openSource(t, s, db, DefaultTimeout)
		answers, err := source.Run(t.Context(), "CREATE TABLE made (i INT); INSERT INTO made SELECT i FROM n; SELECT i FROM made", rewrite.Ask{})
		if err != nil || len(answers) != 3 {
			t.Fatalf("%d answers: %v", len(answers), err)
		}
		if a := answers[2]; len(a.Rows) != 5 || a.Limit.Rows != 5 || kinds(a) != "arbitrary_rows" || !a.Ran || a.Committed {
			t.Errorf("%+v", a)
		}
		if got := s.SQL(t, db, "SELECT count(*) FROM made"); got != "20" {
			t.Errorf("%s rows", got)
		}
		policy := capping()
		policy.Overflow = rewrite.OverflowError
		strict := openWith(t, Options{DSN: s.URL(db), Policy: policy, Timeout: DefaultTimeout, Sessions: 1})
		if answers, err = strict.Run(t.Context(), "SELECT 1; SELECT i FROM made", rewrite.Ask{}); len(answers) != 1 || err == nil || !strings.Contains(err.Error(), "more rows than it may") {
			t.Errorf("%d answers, %v", len(answers), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := source.Run(ctx, slow(s, "given-up"), rewrite.Ask{}); err == nil {
			t.Error("the statement was not given up")
		}
		s.Gone(t, "given-up")
	})
}
