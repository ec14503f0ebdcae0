package rowcap_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/rowcap/rowcap/internal/dbtest"
)

// TestPostgresCases runs the PostgreSQL cases through the sidecar with a real
// client.
func TestPostgresCases(t *testing.T) {
	for _, c := range readCases(t, "testdata/cases/postgres-rewrite.jsonl") {
		t.Run(c.ID, func(t *testing.T) {
			s := dbtest.Postgres(t)
			rec := &recorder{}
			addr := sidecar(t, "postgres", s, c.policy(), rec)
			ctx := context.Background()
			var noticed bool
			cfg, err := pgconn.ParseConfig(fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", s.User, s.Password, addr, s.Database(t)))
			if err != nil {
				t.Fatal(err)
			}
			cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { noticed = noticed || n.Code == "01RC1" }
			conn, err := pgconn.ConnectConfig(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close(ctx)
			if _, err := conn.Exec(ctx, c.Setup).ReadAll(); err != nil {
				t.Fatalf("setup: %v", err)
			}
			rec.take()
			noticed = false

			results, err := execPostgres(ctx, conn, c)
			var got []answer
			for _, r := range results {
				got = append(got, postgresAnswer(r))
			}
			code := ""
			var server *pgconn.PgError
			if errors.As(err, &server) {
				code = server.Code
			} else if err != nil {
				t.Fatal(err)
			}
			plans, outcomes := rec.take()
			c.check(t, got, code, plans, outcomes, noticed)
			for _, after := range c.Expect.After {
				results, err := conn.Exec(ctx, after.SQL).ReadAll()
				if err != nil || string(results[0].Rows[0][0]) != after.Value {
					t.Errorf("%s gives %v (%v), want %s", after.SQL, results, err, after.Value)
				}
			}
		})
	}
}

// execPostgres uses the extended protocol for a statement with parameters and
// the simple one for all others.
func execPostgres(ctx context.Context, conn *pgconn.PgConn, c sharedCase) ([]*pgconn.Result, error) {
	if len(c.Params) == 0 {
		return conn.Exec(ctx, c.SQL).ReadAll()
	}
	var params [][]byte
	for _, p := range c.Params {
		if p == nil {
			params = append(params, nil)
		} else {
			params = append(params, fmt.Append(nil, p))
		}
	}
	r := conn.ExecParams(ctx, c.SQL, params, nil, nil, nil).Read()
	return []*pgconn.Result{r}, r.Err
}

func postgresAnswer(r *pgconn.Result) answer {
	var a answer
	for _, f := range r.FieldDescriptions {
		a.Columns = append(a.Columns, f.Name)
	}
	for _, values := range r.Rows {
		row := make([]*string, len(values))
		for i, v := range values {
			if v != nil {
				text := string(v)
				row[i] = &text
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a
}
