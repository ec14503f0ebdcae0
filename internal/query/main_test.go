package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rowcap/rowcap/dialect"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// client is a Session and the rewriter for it.
type client struct {
	Session
	rewriter *rewrite.Rewriter
}

// small is a policy with a cap that tests can go over.
func small() rewrite.Policy {
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = 5, 10
	return p
}

func open(t *testing.T, dsn string, p rewrite.Policy) *client {
	t.Helper()
	s, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	d, err := dialect.Lookup(s.Dialect())
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewrite.New(d, p)
	if err != nil {
		t.Fatal(err)
	}
	return &client{s, r}
}

func (c *client) run(t *testing.T, sql string, limit uint64) []Result {
	t.Helper()
	results, err := c.Run(t.Context(), c.rewriter, sql, rewrite.Ask{Limit: limit})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return results
}

func (c *client) one(t *testing.T, sql string) Result {
	t.Helper()
	results := c.run(t, sql, 0)
	if len(results) != 1 {
		t.Fatalf("%s: %d results", sql, len(results))
	}
	return results[0]
}

func (c *client) fails(t *testing.T, sql string) ([]Result, error) {
	t.Helper()
	results, err := c.Run(t.Context(), c.rewriter, sql, rewrite.Ask{})
	if err == nil {
		t.Fatalf("%s: no error", sql)
	}
	return results, err
}

// text returns the rows with | between values and NULL as <null>.
func text(r Result) string {
	var lines []string
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = v.Text
			if v.Null {
				cells[i] = "<null>"
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n")
}

func names(r Result) string {
	var all []string
	for _, c := range r.Columns {
		all = append(all, c.Name+" "+c.Type)
	}
	return strings.Join(all, ", ")
}

// capCase is a statement whose rows are 1, 2, 3, … and what is to be known of
// its answer.
type capCase struct {
	sql          string
	limit        uint64 // asked for
	rows         int
	completeness rewrite.Completeness
	source       rewrite.Source
	method       rewrite.Method
	warning      string
	notice       string // a part of it
}

func (c *client) checkCaps(t *testing.T, cases []capCase) {
	t.Helper()
	for _, want := range cases {
		t.Run(want.sql, func(t *testing.T) {
			results := c.run(t, want.sql, want.limit)
			if len(results) != 1 {
				t.Fatalf("%d results", len(results))
			}
			r := results[0]
			o := r.Outcome
			if len(r.Rows) != want.rows || o.Rows != uint64(want.rows) || o.Completeness != want.completeness ||
				o.Plan.Cap.Source != want.source || o.Plan.Method != want.method {
				t.Errorf("%d rows, %s, %s, %s", len(r.Rows), o.Completeness, o.Plan.Cap.Source, o.Plan.Method)
			}
			for i, row := range r.Rows {
				if want.method == rewrite.MethodProbe && row[0].Text != fmt.Sprint(i+1) {
					t.Errorf("row %d is %s", i, row[0].Text)
				}
			}
			warned := ""
			if w := o.Plan.Warnings; len(w) > 0 {
				warned = w[0].Kind
			}
			if warned != want.warning {
				t.Errorf("warning %q", warned)
			}
			switch {
			case want.completeness == rewrite.Complete && r.Notice != nil:
				t.Errorf("notice %v", r.Notice)
			case want.completeness != rewrite.Complete && (r.Notice == nil || !strings.Contains(fmt.Sprint(*r.Notice), want.notice)):
				t.Errorf("notice %v", r.Notice)
			}
		})
	}
}

func TestDSNErrors(t *testing.T) {
	for dsn, want := range map[string]string{
		"":                                   "must begin with",
		"oracle://u:secret@h/d":              "must begin with",
		"postgres://u:sec%ret@h/d":           "no PostgreSQL URL",
		"postgres://u:secret@h:port/d":       "no PostgreSQL URL",
		"mysql://u:sec/ret@h/d":              "percent-encode",
		"mysql://u:secret@/d":                "neither a host nor a unix_socket",
		"mysql://u:secret@h/d?unix_socket=s": "both a host and a unix_socket",
		"mysql://u:secret@h/d?timeout=x":     "a parameter has no meaning",
	} {
		for _, err := range []error{CheckDSN(dsn), func() error { _, err := Open(t.Context(), dsn); return err }()} {
			var e *DSNError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sec") {
				t.Errorf("%s: %v", dsn, err)
			}
		}
	}
	for _, dsn := range []string{"postgresql://u@h/d", "host=/run/postgresql user=app", "mariadb://u:p%40ss@h:3307/d?tls=false", "mysql://u@/d?unix_socket=/run/s"} {
		if err := CheckDSN(dsn); err != nil {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	for _, dsn := range []string{"postgres://u:secret@127.0.0.1:1/d", "mysql://u:secret@127.0.0.1:1/d"} {
		_, err := Open(t.Context(), dsn)
		if err == nil || !strings.Contains(err.Error(), "127.0.0.1") || !strings.Contains(err.Error(), "connection refused") ||
			!strings.Contains(err.Error(), "check the address") || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", dsn, err)
		}
	}
}

func TestInterrupt(t *testing.T) {
	s := dbtest.Postgres(t)
	c := open(t, s.URL(s.Database(t)), small())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx, c.rewriter, "SELECT 1", rewrite.Ask{}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("err = %v", err)
	}
}
