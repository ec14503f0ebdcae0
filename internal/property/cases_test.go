package property

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/dialect/postgres"
	"github.com/rowcap/rowcap/internal/dbtest"
	"github.com/rowcap/rowcap/rewrite"
)

// sharedCase is what is used here of one line of testdata/cases: a fault that was seen
// somewhere, with the outcome that is right.
type sharedCase struct {
	ID         string
	Setup, SQL string
	Params     []any
	Session    json.RawMessage // settings, which the doors follow
	Options    json.RawMessage // other knobs than the two numbers
	DefaultCap uint64          `json:"default_cap"`
	MaxCap     *uint64         `json:"max_cap"`
	Expect     struct {
		RowsReturned  *int `json:"rows_returned"`
		Rows          [][]*string
		Truncated     bool
		MustNotChange bool `json:"must_not_change"`
		Error         bool
		ErrorCode     string `json:"error_code"`
		LimitSource   string `json:"limit_source"`
	}
}

// TestCasesOnPostgresVersions plans the shared cases and runs what is sent on the versions
// that the sidecar's own tests do not run on.
func TestCasesOnPostgresVersions(t *testing.T) {
	var cases []sharedCase
	files, err := filepath.Glob("../../testdata/cases/postgres-*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no shared cases", err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		// The tables that all cases of the file have.
		tables, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".sql")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var c sharedCase
			if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			c.Setup = string(tables) + c.Setup
			cases = append(cases, c)
		}
		f.Close()
	}
	for _, major := range []int{16, 17, 18} {
		t.Run(strconv.Itoa(major), func(t *testing.T) {
			s := dbtest.PostgresVersion(t, major)
			ctx := context.Background()
			conn, err := pgconn.Connect(ctx, s.DSN(s.Database(t)))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(ctx)
			ran := 0
			for _, c := range cases {
				if len(c.Params) > 0 || len(c.Session) > 0 || len(c.Options) > 0 {
					continue // what binds and settings do is the doors' part
				}
				if ok, why := c.run(conn); why != "" {
					t.Errorf("%s: %s\n%s", c.ID, why, c.SQL)
				} else if ok {
					ran++
				}
			}
			t.Logf("%s: %d of %d cases", s, ran, len(cases))
			if ran*2 < len(cases) {
				t.Errorf("only %d of %d cases ran", ran, len(cases))
			}
		})
	}
}

// run runs one case in a schema of its own and says what is wrong. ok is false for a
// case that is refused, as it should.
func (c sharedCase) run(conn *pgconn.PgConn) (ok bool, why string) {
	ctx := context.Background()
	p := rewrite.DefaultPolicy()
	p.DefaultLimit, p.MaxLimit = c.DefaultCap, 0
	if c.MaxCap != nil {
		p.MaxLimit = *c.MaxCap
	}
	r, err := rewrite.New(postgres.New(), p)
	if err != nil {
		return false, err.Error()
	}
	script := r.Script(c.SQL, rewrite.Ask{})
	if script.Refused() != nil {
		if !c.Expect.Error {
			return false, "refused: " + script.Refused().Error()
		}
		return false, ""
	}
	if c.Expect.MustNotChange && script.SQL() != c.SQL {
		return false, "the text was changed: " + script.SQL()
	}
	const begin = "DROP SCHEMA IF EXISTS rowcap_case CASCADE; CREATE SCHEMA rowcap_case; SET search_path = rowcap_case; DEALLOCATE ALL; "
	if _, err := conn.Exec(ctx, begin+c.Setup).ReadAll(); err != nil {
		return false, "setup: " + err.Error()
	}
	defer func() { _, _ = conn.Exec(ctx, "ROLLBACK; RESET ALL").ReadAll() }()
	results, err := conn.Exec(ctx, script.SQL()).ReadAll()
	code := ""
	var server *pgconn.PgError
	if errors.As(err, &server) {
		code = server.Code
	}
	if (err != nil) != c.Expect.Error || c.Expect.ErrorCode != "" && code != c.Expect.ErrorCode {
		return false, fmt.Sprintf("error %v, want %t %s", err, c.Expect.Error, c.Expect.ErrorCode)
	}
	if err != nil || len(results) != 1 || len(script.Plans) != 1 || c.Expect.RowsReturned == nil {
		return true, ""
	}
	m := script.Plans[0].Meter()
	var rows [][]*string
	for _, row := range results[0].Rows {
		if m.Row() != rewrite.Deliver {
			continue
		}
		values := make([]*string, len(row))
		for i, v := range row {
			if v != nil {
				text := string(v)
				values[i] = &text
			}
		}
		rows = append(rows, values)
	}
	o := m.Outcome()
	switch {
	case len(rows) != *c.Expect.RowsReturned:
		return false, fmt.Sprintf("%d rows, want %d", len(rows), *c.Expect.RowsReturned)
	case (o.Completeness != rewrite.Complete) != c.Expect.Truncated:
		return false, fmt.Sprintf("%s, want truncated %t", o.Completeness, c.Expect.Truncated)
	case o.Plan.Cap.Source.String() != c.Expect.LimitSource:
		return false, fmt.Sprintf("limit source %s, want %s", o.Plan.Cap.Source, c.Expect.LimitSource)
	case c.Expect.Rows != nil && !slices.EqualFunc(rows, c.Expect.Rows, sameValues):
		return false, "other rows"
	}
	return true, ""
}

func sameValues(a, b []*string) bool {
	return slices.EqualFunc(a, b, func(x, y *string) bool { return (x == nil) == (y == nil) && (x == nil || *x == *y) })
}
