package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestReadNested(t *testing.T) {
	eachServer(t, func(t *testing.T, server *dbtest.Server, db string) {
		s := openSource(t, server, db, DefaultTimeout)
		for _, want := range []struct {
			stages []Stage
			sql    string
			limit  uint64
			rows   string
			state  rewrite.Completeness
			source rewrite.Source
		}{
			{[]Stage{{Name: "big", SQL: "SELECT i FROM n WHERE i > 10"}, {Name: "even", SQL: "SELECT i FROM big WHERE i % 2 = 0 -- even"}}, "SELECT i FROM even ORDER BY i", 0, "12 14 16 18 20", rewrite.Complete, rewrite.SourceDefault},
			{[]Stage{{Name: "few", SQL: "SELECT i FROM n ORDER BY i", Limit: 3}}, "SELECT i FROM few ORDER BY i", 0, "1 2 3", rewrite.Complete, rewrite.SourceDefault},
			{[]Stage{{Name: "all", SQL: "SELECT i FROM n", Limit: 5000}}, "SELECT i FROM `all` ORDER BY i", 7, "1 2 3 4 5 6 7", rewrite.Truncated, rewrite.SourceToolParam},
			{[]Stage{{Name: "own", SQL: "SELECT i FROM n ORDER BY i LIMIT 2", Limit: 4}}, "SELECT i FROM own ORDER BY i", 0, "1 2", rewrite.Complete, rewrite.SourceDefault},
			{[]Stage{{Name: "lowered", SQL: "SELECT i FROM n ORDER BY i LIMIT 9;", Limit: 1}}, "SELECT i FROM lowered", 0, "1", rewrite.Complete, rewrite.SourceDefault},
			{[]Stage{{Name: "odd \" ` name", SQL: "SELECT i FROM n"}}, "SELECT 1 AS i", 0, "1", rewrite.Complete, rewrite.SourceDefault},
		} {
			if server.Flavor == dbtest.FlavorPostgres {
				want.sql = strings.ReplaceAll(want.sql, "`", `"`)
			}
			stages := append([]Stage(nil), want.stages...)
			a := mustRead(t, s, Request{Stages: want.stages, SQL: want.sql, Limit: want.limit})
			if got := strings.ReplaceAll(text(a.Result), "\n", " "); got != want.rows || a.Outcome.Completeness != want.state || a.Limit.Source != want.source {
				t.Errorf("%s: %s, %s, %s", a.SQL, got, a.Outcome.Completeness, a.Limit.Source)
			}
			for i := range stages {
				if stages[i] != want.stages[i] {
					t.Errorf("the caller's stage was changed: %v", want.stages[i])
				}
			}
		}
		a := mustRead(t, s, Request{Stages: []Stage{{Name: "b", SQL: "SELECT i FROM n"}}, SQL: "SELECT i FROM b ORDER BY i", Offset: 5, Count: CountExact})
		if text(a.Result) != "6\n7\n8\n9\n10" || a.Total == nil || a.Total.Kind != "exact" || *a.Total.Value != 20 {
			t.Errorf("%v, %+v", text(a.Result), a.Total)
		}
		for _, bad := range []Request{
			{Stages: []Stage{{Name: "a", SQL: "SELECT 1) SELECT (2"}}, SQL: "SELECT 1"},
			{Stages: []Stage{{Name: "a", SQL: "DELETE FROM n"}}, SQL: "SELECT 1"},
			{Stages: []Stage{{Name: "a", SQL: "SELECT 1; SELECT 2"}}, SQL: "SELECT 1"},
			{Stages: []Stage{{Name: "a", SQL: "SELECT 1"}, {Name: "A", SQL: "SELECT 1"}}, SQL: "SELECT 1"},
			{Stages: []Stage{{Name: "", SQL: "SELECT 1"}}, SQL: "SELECT 1"},
			{Stages: []Stage{{Name: "a", SQL: "SELECT 1"}}, SQL: "DELETE FROM n"},
			{Stages: []Stage{{Name: "a", SQL: "SELECT 1"}}, SQL: "WITH b AS (SELECT 1) SELECT * FROM b"},
			{Stages: []Stage{{Name: "a", SQL: "SHOW TABLES"}}, SQL: "SELECT 1"},
		} {
			var refused *rewrite.RefusedError
			if _, err := s.Read(t.Context(), bad); !errors.As(err, &refused) {
				t.Errorf("%+v: %v", bad, err)
			}
		}
	})
}
